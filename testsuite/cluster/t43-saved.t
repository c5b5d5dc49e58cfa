#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Partition trees outlive slurmctld: a job of 2 nodes cuts the machine into
# pieces of 2, 2, 4 and 8; a job in the 4 keeps them apart when the first has
# ended. Found anew from the nodes of the running job alone, the tree would have
# a piece of 4 in place of the two of 2, and the next job of 4 would go there.

# shellcheck disable=SC2016,SC2034  # cases are evaluated by sharness
test_description='partition trees saved in StateSaveLocation'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
skip_without_plugins torus
torus_yaml '4, 4' 'strategy: semitorus-nep' >torus.yaml
cluster_start --nodes 16 --select torus --torus torus.yaml
log=$CLUSTER_DIR/log/slurmctld.log
saved=$CLUSTER_DIR/state/torus_state

# place ID: what AdminComment says of the job's place
place() {
	scontrol --oneliner show job "$1" |
		sed -n 's/.* torus:place=\([^; ]*\).*/\1/p'
}

# cut: the tree of above, with job $b in the piece of 4
cut() {
	cancel_all &&
		a=$(submit --geometry=2 -t 20) && wait_state "$a" RUNNING &&
		b=$(submit --geometry=4 -t 20) && wait_state "$b" RUNNING &&
		cancel "$a"
}

# next FILE: where a job of 4 nodes would go now
next() {
	next_id=$(submit --geometry=4 -t 20) &&
		wait_state "$next_id" RUNNING &&
		assert_disjoint "$b" "$next_id" &&
		place "$next_id" >"$1" &&
		cancel "$next_id"
}

# logged PATTERN: in what slurmctld has said since mark
mark() {
	mark_lines=$(wc -l <"$log")
}
logged() {
	tail -n +$((mark_lines + 1)) "$log" | grep -E -e "$1"
}

# without COMMAND: start again after that happened to the saved state
without() {
	cluster stop-ctld &&
		"$@" &&
		mark &&
		cluster start-ctld
}

test_expect_success 'jobs of 2 and 4 nodes, and the 2 end' '
	cut && next before && cat before
'

test_expect_success 'an orderly restart restores the tree' '
	mark &&
	cluster restart-ctld &&
	logged "torus_state: [1-9][0-9]* places known" &&
	[ "$(stat -c %a "$saved")" = 600 ] &&
	[ ! -e "$saved.new" ] &&
	next after && test_cmp before after
'

test_expect_success 'a reconfigure, too' '
	scontrol reconfigure && cluster wait &&
	next after && test_cmp before after
'

test_expect_success 'killed: the file is as old as the last save, and enough' '
	sleep 6 && cluster kill9-ctld && cluster start-ctld &&
	[ "$(job_state $b)" = RUNNING ] &&
	next after && test_cmp before after
'

damage() { # the last line is missing
	sed -i '$d' "$saved"
}
garble() { # a tree that cannot be
	sed -i 's/^\(pod .* semitorus-nep\) .*/\1 (9@0:##/' "$saved"
}
other() { # another machine'"'"'s
	sed -i 's/^pod pod0 4x4 /pod pod0 2x8 /' "$saved"
}
empty() {
	: >"$saved"
}
binary() {
	head -c 4096 /dev/zero >"$saved"
}
for how in damage garble other empty binary; do
	test_expect_success "a wrong file ($how): said, ignored, the jobs run on" '
		cut && next before &&
		without $how &&
		logged "error: torus: .*torus_state is ignored: ." &&
		[ "$(job_state $b)" = RUNNING ] &&
		next after && cat after &&
		! test_cmp before after >/dev/null
	'
done

old() { # what was saved while others ran
	cp old_state "$saved"
}
test_expect_success 'an old state file: holds that the job table does not confirm are dropped' '
	cut && cluster restart-ctld && cp "$saved" old_state &&
	cancel $b &&
	c=$(submit --geometry=8 -t 20) && wait_state $c RUNNING &&
	place $c >before &&
	without old &&
	[ "$(job_state $c)" = RUNNING ] && place $c >after &&
	test_cmp before after &&
	d=$(submit --geometry=8 -t 20) && wait_state $d RUNNING &&
	assert_disjoint $c $d &&
	cancel $c $d &&
	all=$(submit --geometry=16 -t 20) && wait_state $all RUNNING &&
	cancel $all
'

# administrator N: create and delete a partition again and again, after which slurmctld
# saves each time; some reconfigure, which frees the name of StateSaveLocation
administrator() {
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
		scontrol create partitionname="p$1" nodes=node00 state=up
		[ "$1" -le 2 ] || scontrol reconfigure
		scontrol delete partition="p$1"
	done
	true
}
test_expect_success 'several administrators at once: each save is whole' '
	mark &&
	for n in 1 2 3 4; do
		administrator $n &
		eval "pid_$n=$!"
	done &&
	wait $pid_1 && wait $pid_2 && wait $pid_3 && wait $pid_4 &&
	! logged "torus_state cannot be written"
'

test_expect_success 'no file: as on the first day' '
	without rm -f "$saved" &&
	! logged "error: torus" &&
	all=$(submit --geometry=16 -t 20) && wait_state $all RUNNING &&
	cancel $all
'

test_done
