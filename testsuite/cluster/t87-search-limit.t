#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# When could a job start whose places Slurm refuses one after the other? select/torus
# then searches another place, up to 64 times under slurmctld's locks; all these
# searches together have the limit of one (src/live/base/lock_hold.h).
#
# The machine is 216 records of nodes for which one slurmd answers. Only one place has
# CPUs enough, and it is in use. A search for twelve boxes takes about a millisecond:
# none reaches the limit by itself, but a dozen do.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='one limit for all searches of a select test'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
MACHINE=1
torus_yaml 1 >torus.yaml
cluster_start --nodes 1 --select torus --sched backfill --torus torus.yaml \
	--set SchedulerParameters=bf_interval=1,sched_interval=-1,defer --set TreeWidth=65533
log=$CLUSTER_DIR/log/slurmctld.log
boxes="2x2x1*12"

brick_is_idle() {
	[ "$(sinfo -h -t idle -o %D | awk '{ n += $1 } END { print n + 0 }')" = 217 ]
}

test_expect_success 'a brick of 6x6x6 nodes; the first 48 have more CPUs' '
	cluster stop-ctld &&
	port=$(sed -n "s/^NodeName=.* Port=\([0-9]*\).*/\1/p" "$SLURM_CONF") && [ "$port" ] &&
	sed -i "s/^\(PartitionName=.* Nodes=\)[^ ]*/\1ALL/" "$SLURM_CONF" &&
	awk -v port="$port" "BEGIN {
		for (n = 0; n < 216; n++)
			printf \"NodeName=cell%03d NodeAddr=127.0.0.1 Port=%d CPUs=%d\\n\", n, port,
				n < 48 ? 200 : 1 + n % 40
	}" >>"$SLURM_CONF" &&
	cat >"$CLUSTER_DIR/torus.yaml" <<-EOF &&
	toruses:
	- {name: one, dims: [1], nodes: node00}
	- {name: brick, dims: [6, 6, 6], wrap: MMM, nodes: "cell[000-215]"}
	EOF
	cluster start-ctld && wait_for 120 brick_is_idle
'

test_expect_success 'they are in use: the search for another place ends' '
	a=$(submit --geometry="$boxes" -t 5) && wait_state $a RUNNING 30 &&
	[ "$(job_nodes $a | sed -n "1p;\$p" | paste -sd " " -)" = "cell000 cell047" ] &&
	mark && b=$(submit --geometry="$boxes" -n 9600 -t 5) &&
	wait_for 30 logged "JobId=$b: the search for a place ended after 10 ms"
'
test_done
