#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# storus node in a live cluster, and forecasts of starts behind the head.

# shellcheck disable=SC2016,SC2034  # cases are evaluated by sharness
test_description='storus node, and estimated starts'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
sched_start '4, 4' easy
storus=$top_builddir/storus

runs() { # ID, whatever its name is
	[ "$(squeue -h -j "$1" -o %T)" = RUNNING ]
}

start_is() { # ID TIME: squeue --start says so, up to a few seconds
	start_now=$(squeue -h --start -j "$1" -o %S) &&
		[ "$start_now" != N/A ] && near "$start_now" "$2" 5
}

test_expect_success 'nodes, coordinates, states and jobs' '
	a=$(submit --geometry=2x2 -t10 -J "x NodeList=node15") && wait_for 20 runs $a &&
	"$storus" node --job $a >out && cat out &&
	[ $(grep -c "alloc *$a\$" out) -eq 4 ] && [ $(wc -l <out) -eq 6 ] && tail -n 1 out | grep "^Snapshot of .* old" &&
	first=$(sed -n "2s/ .*//p" out) && coord=$(awk "NR == 2 { print \$3 }" out) &&
	"$storus" node pod0:$coord >one && grep "^$first .* $a\$" one &&
	"$storus" node node15 | grep "pod0 *3,3 *idle *-" &&
	"$storus" node --job $a --json | grep -q "\"state\": \"alloc\"" &&
	test_expect_code 1 "$storus" node --job 999 &&
	cancel_all
'
comment_is() { # NODE TEXT
	[ "$(scontrol show node "$1" | sed -n "s/^ *Comment=//p")" = "$2" ]
}
test_expect_success 'node_comment: coordinates where no administrator wrote a comment' '
	scontrol update nodename=node03 comment="rack 7" &&
	scontrol reconfigure && cluster wait && comment_is node01 "" &&
	echo "node_comment: true" >>"$CLUSTER_DIR/torus.yaml" &&
	scontrol reconfigure && cluster wait &&
	comment_is node00 torus:pod0:0,0 && comment_is node06 torus:pod0:2,1 &&
	comment_is node15 torus:pod0:3,3 && comment_is node03 "rack 7" &&
	sed -i s/pod0/east/ "$CLUSTER_DIR/torus.yaml" &&
	scontrol reconfigure && cluster wait &&
	comment_is node06 torus:east:2,1 && comment_is node03 "rack 7" &&
	sed -i s/east/pod0/ "$CLUSTER_DIR/torus.yaml" &&
	cluster stop-ctld && cluster start-ctld &&
	comment_is node06 torus:pod0:2,1 && comment_is node03 "rack 7"
'
test_expect_success 'starts behind the head are estimated' '
	a=$(submit --geometry=4x4 -t10) && wait_state $a RUNNING &&
	end=$(job_field $a EndTime) &&
	b=$(submit --geometry=4x4 -t20) && c=$(submit --geometry=4x4 -t30) &&
	d=$(submit --geometry=2x4 -t5) &&
	wait_for 20 start_is $b $end &&
	wait_for 20 start_is $c $(later $end 20) &&
	wait_for 20 start_is $d $(later $end 50) &&
	squeue --start && "$storus" reservations >plan && cat plan &&
	grep "^$b .*pod0:" plan && grep "^$c .*(estimate)" plan &&
	"$storus" reservations --json >json && [ $(grep -c "\"estimate\": true" json) -eq 2 ] &&
	cancel $b &&
	wait_for 20 start_is $c $end && wait_for 20 start_is $d $(later $end 30) &&
	cancel_all
'

test_done
