#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# storus ranks: of a region, of a question, and of the job that it runs in.
. "$(dirname "$0")/lib-golden.sh"
unset TORUS_GEOMETRY TORUS_COORDS SLURM_JOB_NODELIST

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
	adjacent 4x4x4x4 MMMM 0,0,0,0+4x4x4x4 hilbert
}
golden adjacent adjacent_all
golden_done
