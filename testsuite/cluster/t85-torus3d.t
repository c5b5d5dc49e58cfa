#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Slurm's own topology/torus3d (26.05), without placements, beside our plugins: the
# torus.yaml that storus import makes of its topology.yaml has its coordinates,
# and shapes run.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='beside topology/torus3d'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
slurm_at_least 26.05 || {
	skip_all='Slurm has topology/torus3d from 26.05 on'
	test_done
}
# it reads topology.yaml by these
for name in serializer_json serializer_yaml; do
	ls "$(dirname "$(dirname "$(command -v slurmctld)")")"/lib*/*/slurm*/$name.so \
		"$(dirname "$(dirname "$(command -v slurmctld)")")"/lib*/slurm*/$name.so \
		2>/dev/null | grep -q . && continue
	skip_all="this Slurm has no $name.so"
	test_done
done
storus=$top_builddir/storus
cat >topology.yaml <<EOT
- topology: pods
  cluster_default: true
  torus3d:
    toruses:
      - name: pod0
        dims: {x: 4, y: 2, z: 2}
        nodes: node[00-15]
EOT
"$storus" import torus3d topology.yaml >torus.yaml
cluster_start --nodes 16 --select torus --sched torus --torus torus.yaml
log=$CLUSTER_DIR/log/slurmctld.log

test_expect_success 'import and check-config agree about topology.yaml' '
	"$storus" check-config torus.yaml >ours && cat ours &&
	"$storus" check-config topology.yaml >theirs && cat theirs &&
	grep "no mistakes, 16 nodes in 1 torus" ours &&
	grep "no mistakes, 16 nodes in 1 torus" theirs
'

test_expect_success 'the plugins load with it' '
	cluster stop-ctld && cp topology.yaml "$CLUSTER_DIR/" &&
	cluster start-ctld && scontrol show topo >topo && cat topo &&
	grep "TorusName=pod0 Dims=4x2x2 Nodes=node\[00-15\]" topo &&
	for node in $(seq -f node%02g 0 15); do
		cluster stop-node $node && cluster start-node $node || return 1
	done && cluster wait
'

# (TORUS_COORD is the place in the shape: here the shape is the machine)
test_expect_success 'both give each node the same coordinates' '
	timeout 60 srun --geometry=4x2x2 --no-rotate -t 1 \
		sh -c "echo \$TORUS_COORD \$SLURM_TOPOLOGY_ADDR" >pairs && cat pairs &&
	[ $(wc -l <pairs) -eq 16 ] &&
	! sed "s/ pod0:\([0-9]*\):\([0-9]*\):\([0-9]*\)\..*/ \1,\2,\3/" pairs |
		awk "\$1 != \$2" | grep .
'

test_expect_success 'jobs of any size and shape run, and wait with their reason' '
	a=$(submit --geometry=3x2x2 -t 5) && wait_state $a RUNNING &&
	b=$(submit -N3 -t 5) && wait_state $b RUNNING &&
	c=$(submit --geometry=4x2x2 -t 5) && wait_for 20 reason_is $c "jobs $a, $b hold its place" &&
	cancel $a $b && wait_state $c RUNNING && cancel $c
'
test_done
