#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Machines whose vertices are not nodes: unit, per_vertex, grain.
. "$(dirname "$0")/lib-golden.sh"
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
golden no-machine storus place --torus nowhere.yaml --geometry 2x2
golden count storus place --torus tpu.yaml --geometry 5
golden gemini storus place --torus gemini.yaml --busy '{1}' --geometry 4x3
golden gemini-count storus place --torus gemini.yaml --geometry 5
golden grain storus place --torus tofu.yaml --geometry 2x3x2
golden grain-off storus place --torus tofu.yaml --geometry 2x2x2
golden grain-count storus place --torus tofu.yaml --geometry 20

golden ranks storus ranks --torus tpu.yaml --region 2,0,0+2x4x1
golden ranks-gemini storus ranks --torus gemini.yaml --region 3,0,0+2x1x1
job() # inside of a job
{
	TORUS_GEOMETRY=4x2 TORUS_UNIT=2x2 TORUS_COORDS='0,0;2,0' \
		SLURM_JOB_NODELIST='h[00-01]' storus ranks
}
golden ranks-job job

# launch files: hosts are numbered first dimension fastest, whatever the axes
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
golden launch-folded storus ranks --torus 4x8 --region 0,0+4x4 \
	--orientation 0+1 --launch mgd
golden launch-no-names storus ranks --torus 4x8 --region 0,0+4x4 --launch tpu
golden launch-json storus ranks --torus 4x8 --region 0,0+4x4 --launch tpu --json

golden map storus map --torus tpu.yaml --busy 0,0,0+4x2x4 --fit 2x2x4
golden map-gemini storus map --torus gemini.yaml --busy 1,0,0+2x3x1
golden node storus node --torus tpu.yaml pod0:2,2,3 h05

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
golden_done
