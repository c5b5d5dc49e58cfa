#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Two controllers: the second takes over when the first is killed or told to, gives
# control back when the first returns, and takes it again, in the same process. Jobs run
# on, promises stay, the journal over all of it replays.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='a second slurmctld takes over'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
sched_start '4, 2, 2' conservative
storus=$top_builddir/storus

# preload NAME ADDRESS: slurmctld's library, with that name and address
preload() {
	sed "s/INADDR_LOOPBACK/$2/" "$top_srcdir/contribs/lib/loopback.c" >"$1.c" &&
		cc -shared -fPIC -O1 -DCTLD_NAME="\"$1\"" -o "$CLUSTER_DIR/bin/$1.so" \
			"$1.c" "$top_srcdir/testsuite/cluster/ctld-name.c" -ldl
}

# second_start: the second controller, which waits until it is needed
second_start() {
	sed -e 's/^\(SlurmctldPidFile=.*\)/\1-second/' -e 's/^\(SlurmctldLogFile=.*\)/\1-second/' \
		"$CLUSTER_DIR/slurm.conf" >"$CLUSTER_DIR/second.conf" || return 1
	env -i PATH="$PATH" HOME=/ SLURM_CONF="$CLUSTER_DIR/second.conf" \
		LD_PRELOAD="$CLUSTER_DIR/bin/second.so" \
		setsid "$CLUSTER_DIR/bin/slurmctld" -D -f "$CLUSTER_DIR/second.conf" \
		>"$CLUSTER_DIR/log/second.out" 2>&1 </dev/null &
	second=$!
	wait_for 10 second_waits 1
}
# second_waits N: for the N-th time
second_waits() {
	[ "$(grep -c "running in background mode" "$CLUSTER_DIR/log/slurmctld.log-second")" = "$1" ]
}
second_controls() {
	kill -0 "$second" && squeue >/dev/null && [ -z "$(first_pid)" ]
}
first_pid() {
	read -r first <"$CLUSTER_DIR/run/slurmctld.pid" 2>/dev/null &&
		kill -0 "$first" 2>/dev/null && echo "$first"
}

# picture ID...: what must be the same before and after
picture() {
	for id in "$@"; do
		echo "$id $(job_state "$id") $(job_nodes "$id" | paste -sd,) $(job_region "$id")"
	done
}
same_picture() {
	picture $a $b >after && cmp -s before after
}
starts() {
	squeue -h --start -S i -o '%i %Y %S'
}
# the same jobs at the same places, two seconds apart at most
same_starts() {
	starts >now || return 1
	[ "$(cut -d " " -f 1,2 "$1")" = "$(cut -d " " -f 1,2 now)" ] || return 1
	paste -d " " "$1" now | while read -r _ _ was _ _ is; do
		near "$was" "$is" 2 || exit 1
	done
}

test_expect_success 'two controllers; one waits' '
	sched_yaml "4, 2, 2" conservative "journal: $PWD/journal.csv" >"$CLUSTER_DIR/torus.yaml" &&
	preload first 0x7f000001 && preload second 0x7f000002 &&
	cluster stop-ctld &&
	mv "$CLUSTER_DIR/bin/first.so" "$CLUSTER_DIR/bin/loopback.so" &&
	sed -i -e "s/^SlurmctldHost=.*/SlurmctldHost=first(127.0.0.1)\\nSlurmctldHost=second(127.0.0.2)/" \
		-e "s/^SlurmctldTimeout=.*/SlurmctldTimeout=10/" "$CLUSTER_DIR/slurm.conf" &&
	cluster start-ctld && scontrol reconfigure && cluster wait && second_start
'

test_expect_success 'two shaped jobs run, three wait for promised starts' '
	a=$(submit --geometry=2x2x2 -t 20) && b=$(submit --geometry=2x2x1 --no-rotate -t 20) &&
	wait_state $a RUNNING && wait_state $b RUNNING &&
	c=$(submit --geometry=4x2x1 -t 5) && d=$(submit --geometry=4x2x2 -t 5) && e=$(submit -N3 -t 60) &&
	for id in $c $d $e; do wait_for 5 promised $id || return 1; done &&
	sleep 7 && picture $a $b >before && starts >promises && cat promises
'

for how in killed returned told killed-again; do
	test_expect_success "$how: jobs run on, promises stay" '
		case $how in
		returned)
			cluster start-ctld --timeout 90 && wait_for 30 second_waits 2
			;;
		told) scontrol takeover && wait_for 60 second_controls ;;
		*) cluster kill9-ctld && wait_for 90 second_controls ;;
		esac &&
		kill -0 $second &&
		wait_for 30 same_picture &&
		{ wait_for 10 same_starts promises || { cat promises now; false; }; }
	'

	test_expect_success "$how: a job starts beside them, in its shape" '
		f=$(submit --geometry=2x1x1 -t 1) && wait_state $f RUNNING 20 &&
		assert_box $f 2x1x1 && assert_disjoint $a $b $f && cancel $f
	'
	[ "$how" != told ] || test_expect_success "the first returns again" '
		cluster start-ctld --timeout 90 && wait_for 30 second_waits 3
	'
done

test_expect_success 'what has waited starts in its shape; the journal over all of it replays' '
	cancel $a && cancel $b &&
	wait_state $c RUNNING 20 && assert_box $c 4x2x1 && cancel $c && cancel $e &&
	wait_state $d RUNNING 20 && assert_box $d 4x2x2 && cancel $d &&
	sleep 2 && "$storus" parity --torus "$CLUSTER_DIR/torus.yaml" journal.csv >parity 2>&1
	rc=$?; cat parity; [ $rc = 0 ]
'

kill -9 "$second"
test_expect_success 'the second had no trouble' '
	! grep -E "fatal|segfault|assert" "$CLUSTER_DIR/log/slurmctld.log-second"
'
test_done
