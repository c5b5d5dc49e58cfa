#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# storus ranks: of a region, of a question, and of the job that it runs in.
. "$(dirname "$0")/lib-golden.sh"
unset TORUS_GEOMETRY TORUS_COORDS SLURM_JOB_NODELIST TORUS_NODELIST TORUS_RING TORUS_UNIT TORUS_SLICES

golden region storus ranks --torus torus.yaml --region pod0:3,0,0+2x2x1
golden turned storus ranks --torus torus.yaml --region 3,0,0+2x2x1 \
	--orientation 1,0,-
golden strided storus ranks --torus 8x8 --region 1,0+2x2/4x4
golden folded storus ranks --torus 4x4:MM --region 0,0+4x2 --orientation 0+1
golden scattered storus ranks --torus flat:8 --region '{2,5-6}' --per-node 2
golden question storus ranks --torus torus.yaml --busy 0,0,0+4x2x1 \
	--geometry 2x2 --conn-type nav
golden combine storus ranks --torus 4x4x2:MMT --strategy semitorus-nep \
	--geometry 32 --json
golden hostfile storus ranks --torus torus.yaml --region 3,0,0+2x1x2 \
	--hostfile --per-node 2
golden no storus ranks --torus torus.yaml --busy 0,0,0+4x2x2 --geometry 2x2 \
	--json

hostfile_and_json() # both in one run
{
	storus ranks --torus torus.yaml --region 0,0,0+1x2x1 \
		--hostfile="$golden_tmp/hosts" --json="$golden_tmp/json" &&
		cat "$golden_tmp/hosts" "$golden_tmp/json"
}
golden both hostfile_and_json

job() # SHAPE COORDS NODELIST [OPTION...]: inside of a job
{
	TORUS_GEOMETRY=$1 TORUS_COORDS=$2 SLURM_JOB_NODELIST=$3
	export TORUS_GEOMETRY TORUS_COORDS SLURM_JOB_NODELIST
	shift 3
	storus ranks "$@"
}
golden job job 2x2 '0-1,0;0-1,1' 'n[0-3]' --hostfile
golden job-rows job 2x2 '0-1,0;0-1,1' 'n[0-3]'
TORUS_ORIENTATION=0,x golden job-launch job 2x2 '0-1,0;0-1,1' 'n[0-3]' --launch mgd
golden job-twice job 2x2 '0-1,0;0-1,0' 'n[0-3]'
golden job-outside job 2x2 '0-1,0;0-1,2' 'n[0-3]'
golden job-few job 2x2 '0-1,0;0-1,1' 'n[0-2]'
golden job-shape job 2xx2 '0-1,0;0-1,1' 'n[0-3]'
unset TORUS_GEOMETRY TORUS_COORDS SLURM_JOB_NODELIST

golden outside storus ranks
golden gap storus ranks --torus 4x4 --region 0,0+2x2 --orientation 0,2
golden axis storus ranks --torus 4x4 --region 0,0+2x2 --orientation 0,-
golden nameless storus ranks --torus 4x4 --region 0,0+2x2 --hostfile
golden region-and-question storus ranks --torus 4x4 --region 0,0+2x2 \
	--geometry 2
golden neither storus ranks --torus 4x4
SLURM_CONF=/nowhere/slurm.conf golden no-torus storus ranks --region 0,0+2x2
golden ring storus ranks --torus 4x4 --region 2,0+4x4 --ring MT --json
golden ring-launch storus ranks --torus 4x4 --region 2,0+4x1 --ring M --launch mgd
golden ring-several storus ranks --torus 4x4 --region torus:2,0+4x1,torus:0,1+4x1 --ring M/T --launch mgd
golden ring-wrong storus ranks --torus 4x4 --region 2,0+4x4 --ring MTT
golden ring-letter storus ranks --torus 4x4 --region 2,0+4x4 --ring MN
golden ring-scattered storus ranks --torus 4x4 --region '{0-3}' --ring M
golden ring-alone storus ranks --torus 4x4 --geometry 2 --ring M
golden orientation-alone storus ranks --torus 4x4 --geometry 2 --orientation 0,1
golden two-stdouts storus ranks --torus torus.yaml --region 0,0,0+2x1x1 \
	--hostfile --json
golden snake storus ranks --torus 4x4 --region 0,0+4x2 --order snake
golden morton storus ranks --torus 4x4 --region 0,0+4x2 --order morton
golden hilbert storus ranks --torus 4x4 --region 0,0+4x4 --order hilbert
golden openmpi storus ranks --torus torus.yaml --region 0,0,0+2x1x1 --per-node 2 --rankfile openmpi
golden hydra storus ranks --torus torus.yaml --region 0,0,0+2x1x1 --per-node 2 --rankfile hydra
golden order-wrong storus ranks --torus 4x4 --region 0,0+4x4 --order peano

# The nodes of neighbouring ranks are neighbours in the machine.
adjacent()
{
	storus ranks --torus "$1:$2" --region "$3" --order "$4" |
		awk '{ n = split($2, x, ","); d = 0
			for (a = 1; a <= n; a++) { e = x[a] - last[a]; d += e < 0 ? -e : e; last[a] = x[a] }
			if (NR > 1 && d != 1) { print "rank " $1 " is " d " away"; bad = 1 } }
			END { if (!bad) print NR " adjacent" }'
}
adjacent_all()
{
	adjacent 5x3x4 MMM 0,0,0+5x3x4 snake
	adjacent 8x8x8 MMM 0,0,0+8x8x8 hilbert
	adjacent 16x16 MM 0,0+16x16 hilbert
	adjacent 5x3x4 MMM 0,0,0+5x3x4 ring
	adjacent 4x4x4x4 MMMM 0,0,0,0+4x4x4x4 hilbert
}
golden adjacent adjacent_all

# A ring closes: its last node is one hop from its first.
closes()
{
	storus ranks --torus "$1" --region "$2" --order ring | awk -v size="$3" '
		{ n = split($2, x, ","); d = 0; split(size, s, "x")
		for (a = 1; a <= n; a++) {
			if (NR == 1) first[a] = x[a]
			e = x[a] - last[a]; e = e < 0 ? -e : e; if (s[a] - e < e) e = s[a] - e
			d += e; last[a] = x[a] }
		if (NR > 1 && d != 1) { print "rank " $1 " is " d " away" } }
		END { d = 0; for (a = 1; a <= n; a++) { e = last[a] - first[a]; e = e < 0 ? -e : e
			if (s[a] - e < e) e = s[a] - e; d += e }
			print NR " nodes, last to first: " d }'
}
closes_all() # SIZE: 99 along an axis that is open
{
	closes 4x4:MM 0,0+3x4 99x99
	closes 4x4:MM 0,0+4x3 99x99
	closes 3x3:MM 0,0+3x3 99x99
	closes 3x3:MT 0,0+3x3 99x3
	closes 3x3x5:TMM 0,0,0+3x3x5 3x99x99
	closes 8:T 0+8 8
	closes 2x2x2:MMM 0,0,0+2x2x2 99x99x99
	closes 4x4x4:MMM 0,0,0+3x3x2 99x99x99
}
golden closes closes_all

# An application's grid: the ranks of a node are a block.
hops() # the numbers alone
{
	storus ranks --torus "$1" --region "$2" --grid "$3" --json |
		sed -n 's/^ *"\(hops\|hops_in_order\)": \([0-9]*\),*/\2/p' | tr '\n' ' '
}
never_worse()
{
	for grid_case in 4x2x1,8x4 4x2x1,4x8 4x2x1,32 4x2x1,2x4x4 2x2x2,8x4 2x2x2,4x4x4 3x2x1,6x6 \
		3x4x1,12x12 4x4x1,8x8 4x4x2,16x8 4x4x4,16x16 4x4x4,8x8x8 4x4x4,4x4x4x4 3x3x1,27x3 \
		2x3x4,24x4; do
		hops 4x4x4 0,0,0+"${grid_case%,*}" "${grid_case#*,}" | {
			read -r now before
			[ "$now" -le "$before" ] && echo "$grid_case: $now hops, in order $before" ||
				echo "$grid_case: worse: $now, $before"
		}
	done
}
# How far apart the neighbours of MPI_Cart_create are (not periodic) by each launcher, in a
# job on an empty 4x4x4: pairs that are more than one hop apart, and the hops of all.
# With 4 ranks on a node the first two sides of the grid are twice the shape's.
ranks_nodes() # SHAPE OPTION...: the node of each rank
{
	ranks_shape=$1
	shift
	storus ranks "$ranks_shape" --torus 4x4x4 --noheader -o %i "$@"
}
far_and_hops() # GRID, and nodes by rank on standard input
{
	awk -v grid="$1" '
		function apart(a, b,    i, d, sum) {
			for (i = 0; i < 3; i++) {
				d = (a % 4) - (b % 4); d = d < 0 ? -d : d
				sum += d == 3 ? 1 : d
				a = int(a / 4); b = int(b / 4)
			}
			return sum
		}
		{ node[NR - 1] = $1 }
		END {
			for (axes = n = split(grid, side, "x"); axes >= 1; axes--) {
				step[axes] = axes == n ? 1 : step[axes + 1] * side[axes + 1]
				for (r = 0; r < NR; r++) {
					if (int(r / step[axes]) % side[axes] == side[axes] - 1) continue
					d = apart(node[r], node[r + step[axes]])
					pairs++; far += d > 1; hops += d
				}
			}
			printf " %4d/%-4d%5d", far, pairs, hops
		}'
}
launchers()
{
	echo "shape  ranks grid    srun, mpirun   -m cyclic      row-major      snake          ranks --grid"
	for hop_case in 2x4,2x4,4x8 4x2,4x2,8x4 3x4,3x4,6x8 4x4,4x4,8x8 2x2x2,2x2x2,4x4x2 2x2x4,2x2x4,4x4x4 \
		2x4x4,2x4x4,4x8x4 4x4x2,4x4x2,8x8x2 4x4x4,4x4x4,8x8x4; do
		shape=${hop_case%%,*} grids=${hop_case#*,}
		for per in 1 4; do
			grid=${grids#*,}
			[ $per = 4 ] || grid=${grids%,*}
			printf '%-6s %5d %-6s' "$shape" $per "$grid"
			ranks_nodes "$shape" | sort -n >"$golden_tmp/list"
			awk -v n=$per '{ for (i = 0; i < n; i++) print }' "$golden_tmp/list" | far_and_hops "$grid"
			for _ in $(seq $per); do cat "$golden_tmp/list"; done | far_and_hops "$grid"
			ranks_nodes "$shape" --per-node $per | far_and_hops "$grid"
			ranks_nodes "$shape" --per-node $per --order snake | far_and_hops "$grid"
			ranks_nodes "$shape" --grid "$grid" | far_and_hops "$grid"
			echo
		done
	done
}
golden launchers launchers
golden grid storus ranks --torus 4x4x4 --region 0,0,0+4x2x1 --grid 8x4
golden grid-json storus ranks --torus 2x2 --region 0,0+2x1 --grid 4x2 --cell 2x2 --json
golden never-worse never_worse
golden grid-hydra storus ranks --torus torus.yaml --region 0,0,0+2x1x1 --grid 4x2 --rankfile hydra
golden grid-openmpi storus ranks --torus torus.yaml --region 0,0,0+2x1x1 --grid 2x4 --cell 2x2 --rankfile openmpi
golden grid-many storus ranks --torus 4x4x4 --region 0,0,0+4x2x1 --grid 9x4
golden grid-large storus ranks --torus 64x64 --region 0,0+64x64 --grid 4096x4096
golden grid-wrong storus ranks --torus 4x4x4 --region 0,0,0+4x2x1 --grid 8xx4
golden cell-wrong storus ranks --torus 4x4x4 --region 0,0,0+4x2x1 --grid 8x4 --cell 3x1
golden cell-small storus ranks --torus 4x4x4 --region 0,0,0+4x2x1 --grid 8x4 --cell 2x1
golden cell-alone storus ranks --torus 4x4x4 --region 0,0,0+4x2x1 --cell 2x1
golden sub storus ranks --torus torus.yaml --region 0,0,0+2x2x2 --sub 0,1,0+2x1x2
golden sub-outside storus ranks --torus torus.yaml --region 0,0,0+2x2x2 --sub 0,1,1+2x1x2
golden sub-wrong storus ranks --torus torus.yaml --region 0,0,0+2x2x2 --sub 0,1+2x1
golden per-host job 2x1 '0,0;1,0' 'n[0-1]' --per-host 2 --csv
TORUS_UNIT=2x2 golden per-host-unit job 4x2 '0,0;2,0' 'n[0-1]' --per-host 2 --rankfile openmpi
TORUS_UNIT=2x1/1x2 TORUS_SLICES='0(x2),1(x2)' golden units-differ job 2x2 '0,0;0,1;0,0;1,0' 'n[0-3]'
TORUS_RING=MT TORUS_NODELIST=n3,n1,n0 golden step job 1x3 '0,0-2' 'n[0-3]'
golden_done
