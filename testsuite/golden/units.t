#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Machines whose vertices are not nodes: unit, per_vertex, grain.
. "$(dirname "$0")/lib-golden.sh"
skip_if_short
unset TORUS_GEOMETRY TORUS_COORDS TORUS_UNIT SLURM_JOB_NODELIST

golden config storus check-config tpu.yaml
golden config-json storus check-config gemini.yaml --json
golden wrong storus check-config wrong.yaml

# shapes and regions are in vertices, granted in nodes
golden fits storus place --torus tpu.yaml --geometry 2x4x4 --all --json
golden turned storus place --torus tpu.yaml --geometry 1x2x2
golden busy storus place --torus tpu.yaml --busy 0,0,0+4x4x2 --geometry 2x2x4
golden not-busy storus place --torus tpu.yaml --busy 0,1,0+2x2x1 --geometry 2x2
golden below storus place --torus tpu.yaml --geometry 1x1x1
golden nearest storus place --torus tpu.yaml --geometry 3x4x1
# nothing to settle the shape against
golden long storus place --torus tpu.yaml --geometry 2x99
golden axes storus place --torus tpu.yaml --geometry 2x2x2x2
golden ring storus place --torus tpu.yaml --geometry 3x4 --conn-type torus
golden gemini-axes storus place --torus gemini.yaml --geometry 2x2x2x2
golden gemini-large storus place --torus gemini.yaml --geometry 99x99
golden cubes storus place --torus cubes.yaml --geometry 4x4x4x4
golden several storus place --torus tpu.yaml --geometry '4x4x4*9'
golden no-machine storus place --torus nowhere.yaml --geometry 2x2
golden count storus place --torus tpu.yaml --geometry 5
golden gemini storus place --torus gemini.yaml --busy '{1}' --geometry 4x3
golden gemini-count storus place --torus gemini.yaml --geometry 5
golden grain storus place --torus tofu.yaml --geometry 2x3x2
golden grain-off storus place --torus tofu.yaml --geometry 2x2x2
golden grain-count storus place --torus tofu.yaml --geometry 20

# questions to a live machine of all three kinds, with links and several regions
TZ=UTC USER=ada
export TZ USER
for id in 1 3 5 6 7 8 9; do
	golden "explain-$id" storus explain --snapshot live.snap $id -v
done
golden explain-json storus explain --snapshot live.snap 8 --json
# a reason counts nodes, not vertices; jobs over links that failed
golden explain-nodes storus explain --snapshot busy.snap 3
golden map-links storus map --snapshot busy.snap
golden what-if storus what-if --snapshot live.snap --up 'f[00]' --cancel 1 \
	--submit '--geometry=2x2x2*2 -t 5'
golden what-if-json storus what-if --snapshot live.snap --drain 'n[02-03]' --json
golden metrics storus metrics --snapshot live.snap --shape 2x2x2 --shape '4x2*2' --shape 5
golden defrag storus defrag --snapshot live.snap 4x4x4 --conn-type TTT
golden reserve-none storus reserve --snapshot live.snap 4x4x4 --conn-type TTT --duration 5 --dry-run
golden reserve storus reserve --snapshot live.snap 4x2x2 --duration 60 --dry-run
golden reserve-vertex storus reserve --snapshot live.snap 4x3 --start now+1000 --duration 5 --dry-run
golden reserve-json storus reserve --snapshot live.snap 2x2x3x2 --start now+600 --duration 60 --dry-run --json

golden ranks storus ranks --torus tpu.yaml --region 2,0,0+2x4x1
golden ranks-gemini storus ranks --torus gemini.yaml --region 3,0,0+2x1x1
job() # inside of a job
{
	TORUS_GEOMETRY=4x2 TORUS_UNIT=2x2 TORUS_COORDS='0,0;2,0' \
		SLURM_JOB_NODELIST='h[00-01]' storus ranks
}
golden ranks-job job

# launch files: hosts are numbered first dimension fastest, whatever the axes
# each rank of a node has a slot of its own
golden rankfile storus ranks --torus tpu.yaml --geometry 2x4x1 --rankfile openmpi
golden launch-tpu storus ranks --torus tpu.yaml --region 2,0,1+2x4x2 \
	--orientation 1,0,2 --launch tpu
golden launch-tpu-several storus ranks --torus tpu.yaml --geometry '2x4x1*2' \
	--no-rotate --launch tpu
launch_job() # the same inside of a job
{
	TORUS_GEOMETRY=4x2x2 TORUS_UNIT=2x2x1 TORUS_ORIENTATION=1,0,2 \
		TORUS_RING=TTT TORUS_COORDS='0,0,0-1;2,0,0-1' \
		SLURM_JOB_NODELIST='h[05,09,07,11]' storus ranks --launch tpu
}
golden launch-job launch_job
golden launch-mgd storus ranks --torus tpu.yaml --region 2,0,1+2x4x2 --launch mgd
launch_read_back()
{
	storus ranks --torus tpu.yaml "$@" --launch mgd >"$golden_tmp/mgd" &&
		storus import mgd "$golden_tmp/mgd" >"$golden_tmp/torus.yaml" &&
		cat "$golden_tmp/torus.yaml" &&
		storus check-config "$golden_tmp/torus.yaml" | tail -n +2
}
golden launch-mgd-back launch_read_back --region 2,0,1+2x4x2
golden launch-mgd-several launch_read_back --geometry '4x2x1*2'
golden launch-gemini storus ranks --torus gemini.yaml --region 3,0,0+2x1x1 \
	--launch tpu
golden launch-gemini-mgd storus ranks --torus gemini.yaml --region 3,0,0+2x1x1 \
	--launch mgd
# an interleaved subtorus: its rings have other nodes between
golden launch-strided storus ranks --torus 4x8 --region 0,0+4x4/1x2 --launch mgd
launch_strided_job()
{
	TORUS_GEOMETRY=2x1 TORUS_ORIENTATION=0,1 TORUS_RING=TT TORUS_STRIDE=2,1 \
		TORUS_COORDS='0,0;1,0' SLURM_JOB_NODELIST='h[05,09]' \
		storus ranks --launch mgd
}
golden launch-strided-job launch_strided_job
golden launch-folded storus ranks --torus 4x8 --region 0,0+4x4 \
	--orientation 0+1 --launch mgd
golden launch-no-names storus ranks --torus 4x8 --region 0,0+4x4 --launch tpu
golden launch-json storus ranks --torus tpu.yaml --region 2,0,1+2x4x2 --launch tpu --json
golden launch-csv storus ranks --torus tpu.yaml --region 2,0,1+2x4x2 --launch tpu --csv
golden launch-meshes storus ranks --torus tpu.yaml --geometry '4x2x1*2' --launch mgd \
	-o mesh,dims,dim_types,host_dims
golden launch-order storus ranks --torus 4x8 --region 0,0+4x4 --launch tpu --per-node 2

golden map storus map --torus tpu.yaml --busy 0,0,0+4x2x4 --fit 2x2x4
golden map-gemini storus map --torus gemini.yaml --busy 1,0,0+2x3x1
golden node storus node --torus tpu.yaml pod0:2,2,3 h05 pod0:3,3,3
golden node-json storus node --torus tpu.yaml h05 --json
# both nodes of a vertex
golden node-gemini storus node --torus gemini.yaml xe:1,0,0

replay()
{
	storus replay --torus tpu.yaml --schedule "$golden_tmp/s.csv" --check \
		jobs.csv > /dev/null && cat "$golden_tmp/s.csv"
}
golden replay replay

# 6x3 lies within 6x4 as a shape, but not in 6x4's only turn here: job 3 must be
# tried although job 2 found no place
contained()
{
	storus replay --torus uneven.yaml --schedule "$golden_tmp/c.csv" \
		--check contained.csv > /dev/null && cat "$golden_tmp/c.csv"
}
golden contained contained

# A machine of 2x2x2-vertex nodes, one with two nodes at a vertex and a plain one, with
# the same jobs: the same places, slots, and costs to free a shape, where nodes and
# vertices are counted in plain ones. A job at every base, in two boxes; every shape.
scaled() # FACTOR BOX: each number times FACTOR
{
	echo "$2" | awk -v k="$1" -F x '{ for (i = 1; i <= NF; i++) printf "%s%d", (i > 1 ? "x" : ""), k * $i }'
}
answers() # MACHINE VERTICES NODES BUSY...: boxes in plain vertices
{
	machine=$1 vertices=$2 nodes=$3
	shift 3
	busy=
	for box; do
		base=$(scaled "$vertices" "$(echo "${box%+*}" | tr , x)" | tr x ,)
		busy="$busy --busy $base+$(scaled "$vertices" "${box#*+}")"
	done
	shapes=
	for shape in 1x1x1 2x1x1 3x1x1 4x1x1 2x2x1 3x2x1 4x2x1 2x2x2 3x2x2 4x2x2; do
		shapes="$shapes $(scaled "$vertices" $shape)"
	done
	# shellcheck disable=SC2086
	storus slots --torus "$machine" $busy $shapes --noheader -o '%n %m %p %f' |
		awk -v k="$nodes" '{ $4 /= k; print }'
	for shape in 4x1x1 2x2x2 4x2x1; do
		# shellcheck disable=SC2086
		storus defrag --torus "$machine" $busy --cost nodes --noheader \
			-o '%c' "$(scaled "$vertices" $shape)" | awk -v k="$nodes" '{ print $1 / k }'
		# shellcheck disable=SC2086
		storus place --torus "$machine" $busy --geometry "$(scaled "$vertices" $shape)" |
			sed 's/[: ].*//'
	done
}
same_answers()
{
	for x in 0 1 2 3; do for y in 0 1; do for z in 0 1; do
		for box in 2x1x2 1x2x1; do
			set -- "$x,$y,$z+$box" "$(((x + 2) % 4)),0,1+1x1x1"
			answers 4x2x2 1 1 "$@" >"$golden_tmp/plain" 2>&1
			answers same-unit.yaml 2 1 "$@" >"$golden_tmp/unit" 2>&1
			answers same-vertex.yaml 1 2 "$@" >"$golden_tmp/vertex" 2>&1
			echo "$*"
			[ "$(wc -l <"$golden_tmp/plain")" -ge 13 ] &&
				diff "$golden_tmp/plain" "$golden_tmp/unit" &&
				diff "$golden_tmp/plain" "$golden_tmp/vertex" || return 1
		done
	done; done; done
}
(cd "$golden_dir" && same_answers) >"$golden_tmp/said" 2>&1
tap_result $? "units and several nodes at a vertex: the answers of a plain machine" "$(tail -n 20 "$golden_tmp/said")"

# reasons count nodes, not the cells of a grain or of several nodes at a vertex
count_reasons()
{
	for strategy in submesh semitorus-ep; do
		for count in 128 65; do
			storus place --torus vertex.yaml --strategy $strategy --geometry $count
		done
		storus place --torus vertex.yaml --strategy $strategy --geometry 4x4
	done
	storus place --torus grain.yaml --geometry 128
}
cat >"$golden_tmp/vertex.yaml" <<-EOF
	toruses: [{name: g, dims: [4, 4], per_vertex: 4, nodes: "n[0-63]"}]
EOF
cat >"$golden_tmp/grain.yaml" <<-EOF
	toruses: [{name: g, dims: [8, 8], grain: [2, 2], nodes: "n[0-63]"}]
EOF
(cd "$golden_tmp" && count_reasons) >"$golden_tmp/said" 2>&1
[ "$(grep -c "^never: \(128\|65\) nodes: .* has only 64$" "$golden_tmp/said")" = 5 ] &&
	[ "$(grep -c "^fits: g:0,0+4x4 .* 64 nodes" "$golden_tmp/said")" = 2 ]
tap_result $? "a count above the machine is refused in nodes" "$(cat "$golden_tmp/said")"
golden_done
