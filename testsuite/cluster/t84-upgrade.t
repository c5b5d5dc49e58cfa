#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# An upgrade over the state that an older build has left: its jobs run on, its
# partition tree and its promises are taken over or dropped with a line, its
# journal is set aside and still read. Of states that were kept,
# testsuite/golden/older.t reads the plan and the journal. TORUS_OLD_BUILD names the build directory
# of an older commit for the same Slurm; without it the test is skipped.
#
#     git worktree add /tmp/old 831774a && (configure and make in /tmp/old/build)
#     TORUS_OLD_BUILD=/tmp/old/build make check TESTS=testsuite/cluster/t84-upgrade.t

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='state files of an older build'
old=${TORUS_OLD_BUILD-} kept=${TORUS_KEEP-}
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
[ -d "$old/plugins/.libs" ] || {
	skip_all='TORUS_OLD_BUILD names no older build'
	test_done
}
storus=$top_builddir/storus
MACHINE=4x2x2
cat >torus.yaml <<EOT
toruses:
  - {name: pod0, dims: [4, 2, 2], nodes: "node[00-15]"}
  - {name: pod1, dims: [4, 4], nodes: "node[16-31]", strategy: semitorus-nep}
scheduler: {discipline: conservative, journal: /CLUSTER/journal.csv}
EOT
SLURM_TORUS_PLUGIN_DIR=$old/plugins/.libs
cluster_start --nodes 32 --select torus --sched torus --torus torus.yaml
log=$CLUSTER_DIR/log/slurmctld.log
state=$CLUSTER_DIR/state
sed -i "s|/CLUSTER|$CLUSTER_DIR|" "$CLUSTER_DIR/torus.yaml"
cat >>"$SLURM_CONF" <<EOT
PartitionName=box Nodes=node[00-15]
PartitionName=tree Nodes=node[16-31]
EOT
scontrol reconfigure
cluster wait

places() {
	for places_id in "$@"; do
		scontrol --oneliner show job "$places_id" | tr ' ' '\n' |
			grep -E '^(JobState|NodeList|StartTime|Restarts)='
	done
}

# keep DIR: the state files, to look at
keep() {
	[ -z "$kept" ] || {
		mkdir -p "$kept/$1" &&
			cp "$state"/torus_* "$CLUSTER_DIR"/journal* "$kept/$1"
	}
}

promise_in_file() {
	grep -e "^job $1 " -e "{\"job\": $1," "$state/torus_promises"
}

test_expect_success 'jobs of the older build: they run, wait, and are promised' '
	a=$(submit -p box --geometry=4x2x1 --no-rotate -t 30) && wait_state $a RUNNING &&
	b=$(submit -p box --geometry=4x2x2 -t 30) &&
	c=$(submit -p box --geometry=2x2x2,4x2x1 -t 60) &&
	t=$(submit -p tree --geometry=2 -t 30) && wait_state $t RUNNING &&
	u=$(submit -p tree --geometry=4 -t 30) && wait_state $u RUNNING && cancel $t &&
	n=$(submit -p tree -N1 -t 30) && wait_state $n RUNNING &&
	wait_for 20 promised $b && wait_for 20 promised $c && sleep 7 &&
	places $a $u $n >before && cat before &&
	promised $b && cp planned b.nodes && b_start=$start_time &&
	promised $c && c_start=$start_time && cp planned c.nodes
'

test_expect_success 'upgrade: the plugins are new, the running jobs the same' '
	cluster stop-ctld && keep old && head -n 1 "$state"/torus_* "$CLUSTER_DIR/journal.csv" &&
	sed -i "s|^PluginDir=[^:]*|PluginDir=$top_builddir/plugins/.libs|" "$SLURM_CONF" &&
	echo "required $top_builddir/plugins/.libs/spank_torus.so" >"$CLUSTER_DIR/plugstack.conf" &&
	mark && cluster start-ctld && cluster wait &&
	for node in $(seq -f node%02g 0 31); do
		cluster stop-node $node && cluster start-node $node || return 1
	done && cluster wait &&
	places $a $u $n >after && test_cmp before after &&
	tail -n +$mark_lines "$log" | grep -E "torus" | head -n 30
'

test_expect_success 'saved promises are restored, or dropped with a line in the log' '
	if [ -e "$state/torus_state" ]; then
		logged "torus_state: [0-9]+ places known" || logged "torus_state is ignored: "
	fi &&
	wait_for 20 promised $b &&
	if promise_in_file $b && near "$start_time" "$b_start" 60; then
		test_cmp b.nodes planned
	else
		logged "promised starts anew"
	fi
'

test_expect_success 'the older journal is set aside, and can be replayed' '
	wait_for 20 test -e "$CLUSTER_DIR/journal.csv.old" &&
	head -n 2 "$CLUSTER_DIR/journal.csv" &&
	"$storus" replay --torus "$CLUSTER_DIR/torus.yaml" "$CLUSTER_DIR/journal.csv.old" >/dev/null
'

test_expect_success 'jobs start, end and are explained as before' '
	cancel $a && wait_state $b RUNNING && assert_box $b 4x2x2 &&
	"$storus" explain $c && "$storus" map >map && cat map &&
	grep "$u" map && grep "$b" map &&
	d=$(submit -p tree --geometry=4x2 -t 5) && wait_state $d RUNNING &&
	assert_disjoint $u $d && assert_disjoint $n $d && keep new
'
test_done
