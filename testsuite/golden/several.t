#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Several regions of one shape: --geometry=4x4*3.
. "$(dirname "$0")/lib-golden.sh"

golden fits storus place --torus 8x8x8 --geometry '4x4x4*3'
golden fits-json storus place --torus 8x4:TM --geometry '4x2*2' --json
# near each other, over the wrap; with a ring where it can be had
golden near storus place --torus 8x8 --geometry '2x2*3' --busy 2,0+2x8
golden ring storus place --torus 8x8 --geometry '8x1*2' --conn-type torus
# four 2x3 in a pinwheel, in the only way there is
golden pinwheel storus place --torus 5x5:MM --geometry '2x3*4' --busy 2,2+1x1
golden units storus place --torus ../units/tpu.yaml --geometry '2x2x2*3'
golden grain storus place --torus ../units/tofu.yaml --geometry '2x3x2*3'
golden toruses storus place --torus two.yaml --geometry '3x3*3'
golden ladder storus place --torus 5x5:MM --geometry '2x3*4,4x4' --busy 0,0+1x1
golden not-now storus place --torus 8x8 --geometry '4x4*4' --busy 3,3+1x1
golden too-many storus place --torus 8x8x8 --geometry '4x4x4*9'
golden no-room storus place --torus 8x8x8 --geometry '5x5x5*2'
golden tree storus place --torus 8x8 --strategy semitorus-nep --geometry '2x2*2'
golden flat storus place --torus flat:64 --geometry '2x2*2'
golden all storus place --torus 8x8 --geometry '2x2*2' --all
golden count storus place --torus 8x8 --geometry '64*2'
golden busy storus place --torus 8x8 --geometry 4x4 --busy torus:0,0+4x8,torus:4,4+4x8
golden same storus place --torus 8x8 --geometry 4x4 --busy torus:0,0+4x4,torus:2,2+4x4
golden slots storus slots --torus 8x8 --busy 1,1+1x1 '4x4*2' 4x4
golden defrag storus defrag --torus 8x8 --busy 0,0+4x4 --busy 4,4+4x4 '4x4*3'
# sets of regions that no single torus has room for
golden slots-toruses storus slots --torus two.yaml --busy b:0,2+1x1 '3x3*2' 3x3
golden slots-toruses-json storus slots --torus two.yaml --busy b:0,2+1x1 '3x3*2' --json
slots_metrics()
{
	storus metrics --torus two.yaml --busy b:0,2+1x1 --shape '3x3*2' | grep '^torus_slots'
}
golden slots-metrics slots_metrics
for job in 3 4 5 6; do
	golden "explain-$job" storus explain --snapshot jobs.snap "$job" -v
done
golden explain-json storus explain --snapshot jobs.snap 4 --json
golden defrag-json storus defrag --snapshot jobs.snap '4x1*2' --json
golden reserve storus reserve --snapshot jobs.snap '2x2*2' --duration 5 --dry-run
golden what-if storus what-if --snapshot jobs.snap --cancel 1
golden ranks storus ranks --torus 5x5:MM --region torus:0,0+2x3,torus:2,0+3x2 \
	--orientation 0,1/1,0
golden ranks-snake storus ranks --torus 4x4 --geometry '2x2*2' --order snake --json
job() # inside of a job
{
	TORUS_GEOMETRY=2x1 TORUS_COORDS='0-1,0;0-1,0' TORUS_SLICES='1(x2),0(x2)' \
		SLURM_JOB_NODELIST='h[00-03]' storus ranks
}
golden ranks-job job
wrong()
{
	TORUS_GEOMETRY=2x1 TORUS_COORDS='0-1,0;0-1,0' TORUS_SLICES='1(x2),0' \
		SLURM_JOB_NODELIST='h[00-03]' storus ranks
}
golden ranks-wrong wrong
golden map storus map --torus 8x8 --fit '3x3*3'

replay() # DISCIPLINE
{
	storus replay --torus 8x8x8 --discipline "$1" --check \
		--schedule "$golden_tmp/$1.csv" jobs.csv > /dev/null &&
		cat "$golden_tmp/$1.csv"
}
golden replay-easy replay easy
golden replay-conservative replay conservative
at() # the schedule is read back
{
	storus map --torus 8x8x8 --schedule "$golden_tmp/easy.csv" --at 7
	storus report "$golden_tmp/easy.csv" --torus 8x8x8 \
		--output "$golden_tmp/report.html" &&
		grep -c 4,4,0+2x2x2,torus:4,4,2 "$golden_tmp/report.html"
}
golden at at
golden_done
