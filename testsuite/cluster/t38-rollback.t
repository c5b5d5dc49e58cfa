#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A slurm.conf without our plugins and a plugstack.conf that still names spank_torus.so:
# what asks for a shape is refused, or does not run.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='spank/torus where slurmctld gives no shapes'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
skip_without_plugins torus
cluster_start --nodes 4 --select linear
echo "required $SLURM_TORUS_PLUGIN_DIR/spank_torus.so" >"$CLUSTER_DIR/plugstack.conf"

refused() {
	test_must_fail "$@" 2>err && cat err &&
		grep "does not allocate shapes: its slurm.conf has SelectType=select/linear and no JobSubmitPlugins=torus" err
}

test_expect_success 'sbatch, srun, salloc and a default of the environment are refused' '
	refused submit --geometry=4x4 -t5 &&
	refused srun --geometry=4x4 true &&
	refused salloc --geometry=2x2 true &&
	export SBATCH_GEOMETRY=4x4 && refused submit -t5 && unset SBATCH_GEOMETRY &&
	[ -z "$(squeue -h)" ]
'

test_expect_success 'a job without a shape runs' '
	a=$(submit -N2 -t5) && wait_state $a RUNNING && cancel $a &&
	srun -N1 true
'

# --clusters, also as a word for the script: the slurm.conf here may be another one's
test_expect_success 'a script whose shape nobody read does not run, and says why' '
	printf "#!/bin/sh\necho ran\n" >script &&
	a=$(sbatch --parsable --geometry=4x4 --output="$PWD/said" script --clusters) &&
	wait_for 20 job_is_over $a && cat said &&
	grep "asked for a shape but got nodes that form none" said && ! grep -x ran said
'

test_done
