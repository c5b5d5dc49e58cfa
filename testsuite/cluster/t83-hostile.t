#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a hostile user can send: a request that spank/torus never saw, text with
# control characters and %s wherever Slurm takes text, an update of somebody
# else's job; and what may lie where slurmctld writes its files.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='hostile users, and files that somebody planted'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
[ -n "${SLURM_CPPFLAGS-}" ] || {
	skip_all='not told where the headers of Slurm are'
	test_done
}
prereq_root
MACHINE=4x2x2
sched_yaml '4, 2, 2' easy "journal: /CLUSTER/journal.csv" >torus.yaml
cluster_start --nodes 16 --select torus --sched torus --torus torus.yaml
log=$CLUSTER_DIR/log/slurmctld.log
state=$CLUSTER_DIR/state
journal=$CLUSTER_DIR/open/journal.csv
chmod a+x "$CLUSTER_DIR" "$CLUSTER_DIR/munge"
mkdir -m 755 "$CLUSTER_DIR/open"
sed -i "s|/CLUSTER|$CLUSTER_DIR/open|" "$CLUSTER_DIR/torus.yaml"
cp "$top_builddir/storus" "$CLUSTER_DIR/storus"
storus=$CLUSTER_DIR/storus
pid=$(cat "$CLUSTER_DIR/run/slurmctld.pid")

# The users: two if we are root, else we are both.
if test_have_prereq ROOT; then
	ada() { (cd / && setpriv --reuid=65534 --regid=65534 --clear-groups "$@"); }
	bob() { (cd / && setpriv --reuid=1 --regid=1 --clear-groups "$@"); }
else
	ada() { "$@"; }
	bob() { "$@"; }
fi

# slurmctld_lives: it is the process that it was at first
slurmctld_lives() {
	scontrol ping | grep -q "is UP" && [ "$(cat "$CLUSTER_DIR/run/slurmctld.pid")" = "$pid" ]
}

# forged FILE...: a line of theirs that a user wrote, or control characters
forged() {
	grep -aE '^(\[[^]]*\] )?(error: |torus: )?FORGED|^job 1 FORGED' "$@" ||
		LC_ALL=C grep -aP '[\x01-\x08\x0b-\x1f\x7f]' "$@"
}

# send NAME VALUE OPTION...: sbatch of a user who has a SPANK plugin
send() {
	send_name=$1 send_value=$2
	shift 2
	ada env SLURM_CONF="$CLUSTER_DIR/hostile.conf" HOSTILE_NAME="$send_name" \
		HOSTILE_VALUE="$send_value" sbatch --parsable -o /dev/null -t 1 "$@" \
		--wrap "exec sleep 100"
}

refuses() {
	if send "$@" >sent 2>err; then
		echo "accepted: $1"
		cancel "$(cat sent)"
		return 1
	fi
	cat err
	! forged err && slurmctld_lives
}

lf='
'
esc=$(printf '\033[2J')
nasty="%s%n%d${lf}FORGED${lf}error: FORGED$esc"

test_expect_success 'a client that sends arbitrary bytes' '
	cc -shared -fPIC $SLURM_CPPFLAGS -o "$CLUSTER_DIR/hostile.so" \
		"$top_srcdir/testsuite/cluster/hostile-spank.c" &&
	echo "required $CLUSTER_DIR/hostile.so" >"$CLUSTER_DIR/hostile.stack" &&
	sed "s|^PlugStackConfig=.*|PlugStackConfig=$CLUSTER_DIR/hostile.stack|" \
		"$SLURM_CONF" >"$CLUSTER_DIR/hostile.conf" &&
	scontrol reconfigure && cluster wait && pid=$(cat "$CLUSTER_DIR/run/slurmctld.pid") &&
	a=$(send TORUS_REQ_GEOMETRY 2x2x2) && wait_state $a RUNNING && cancel $a
'

test_expect_success 'shapes that are none are refused, in clean lines' '
	mark &&
	long=$(awk "BEGIN { for (i = 0; i < 60000; i++) printf \"2x\"; print 2 }") &&
	many=$(awk "BEGIN { for (i = 0; i < 5000; i++) printf \"2x2,\"; print \"2x2\" }") &&
	for shape in "" "$nasty" "2x2${lf}FORGED" "2x2;FORGED" "$long" "$many" \
		"99999999999x99999999999" "0x4" "-1x2" "4294967297" "1^99999999" \
		"2x2@99999999999999999999h" "2x2@-5m" "$(printf "\377\376x2")" \
		"../../../etc/passwd" "2x2x2x2x2x2x2x2x2"; do
		refuses TORUS_REQ_GEOMETRY "$shape" || return 1
	done &&
	! logged "FORGED" && ! forged "$log"
'

test_expect_success 'so are other words' '
	for word in "$nasty" "../../x" "%n%n%n%n" "$long"; do
		for name in PLACEMENT CONN_TYPE LINKS; do
			refuses TORUS_REQ_$name "$word" || return 1
		done
	done && ! forged "$log"
'

# (slurmstepd since 23.11 copies them at a job's end in quadratic time: 8 s)
test_expect_success 'ten thousand other entries' '
	a=$(HOSTILE_MORE=10000 send TORUS_REQ_GEOMETRY 2x2x2) && wait_state $a RUNNING &&
	assert_box $a 2x2x2 && scancel $a && wait_for 90 job_is_over $a
'

test_expect_success 'text of a job forges no line' '
	mark &&
	a=$(ada sbatch --parsable -o /dev/null -t 1 --geometry=4x2x2 -J "$nasty" --comment="$nasty" \
		--wckey="$nasty" --wrap "exec sleep 100") &&
	b=$(ada sbatch --parsable -o /dev/null -t 1 --geometry=4x2x2 -J "$nasty" --comment="$nasty" \
		--wrap "exec sleep 100") &&
	wait_state $a RUNNING && wait_for 10 reason_is $b "job $a" && sleep 2 &&
	bob squeue -h -j $b -o %r >reason && cat reason && ! forged reason &&
	! forged "$state/torus_plan" "$journal" "$state/torus_state" "$state/torus_promises" &&
	for question in map "map --json" "explain $a" "explain $b" reservations "reservations -v" metrics \
		"node node[00-15]" "slots 2x2" snapshot; do
		bob "$storus" $question >said 2>&1 || :
		! forged said || { echo "in: $question"; return 1; }
	done &&
	slurmctld_lives
'

# (Slurm's own lines of the log have such text as it is.)
test_expect_success 'nor does what scontrol update takes' '
	c=$(ada sbatch --parsable -o /dev/null -t 1 -N4 --wrap "exec sleep 100") && mark &&
	test_must_fail ada scontrol update jobid=$c Features="[a*2]${lf}torus: FORGED" &&
	wait_for 5 logged "update of JobId=$c refused: .*\[a.2\][?]torus: FORGED" &&
	for text in "1;geometry=2x2${lf}torus: FORGED" "${lf}torus: FORGED" "1;%n%s%s;geometry=2x2" \
		"1;geometry=2x2;${lf}torus: FORGED"; do
		test_must_fail ada scontrol update jobid=$b comment="torus:update=$text" 2>err &&
		! grep "^torus: FORGED" err || return 1
	done &&
	logged "refused" && ! logged "^torus: FORGED" &&
	{ ! test_have_prereq ROOT ||
		test_must_fail bob scontrol update jobid=$b comment="torus:update=1;geometry=2x2"; } &&
	slurmctld_lives && cancel $c $b $a
'

test_expect_success 'links, pipes and others'\'' files where state is read: said, and started' '
	for what in pipe link directory other; do
		[ $what != other ] || test_have_prereq ROOT || continue
		cluster stop-ctld && { [ -f kept.state ] || cp -p "$state/torus_state" kept.state; } &&
		for name in torus_state torus_promises; do
			rm -rf "$state/$name" &&
			case $what in
			pipe) mkfifo "$state/$name" ;;
			link) ln -s "$PWD/kept.state" "$state/$name" ;;
			directory) mkdir "$state/$name" ;;
			other) cp kept.state "$state/$name" && chown 65534 "$state/$name" ;;
			esac || return 1
		done &&
		mark && cluster start-ctld && cluster wait &&
		logged "torus_state is ignored" || return 1
	done &&
	cluster stop-ctld && rm -rf "$state/torus_state" "$state/torus_promises" &&
	cluster start-ctld && cluster wait
'
test_done
