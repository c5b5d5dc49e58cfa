#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# PrivateData: what Slurm keeps from a user the questions, the reasons of the user's
# own jobs, the plan file and the journal keep, too. Two users.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='PrivateData: two users'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
prereq_root
test_have_prereq ROOT || {
	skip_all="two users need root"
	test_done
}
MACHINE=4x2x2
sched_yaml '4, 2, 2' easy "journal: /CLUSTER/journal.csv" "plan_file: /CLUSTER/plan" >torus.yaml
cluster_start --nodes 16 --select torus --sched torus --torus torus.yaml
chmod a+x "$CLUSTER_DIR" "$CLUSTER_DIR/munge"
mkdir -m 755 "$CLUSTER_DIR/open"
cp "$top_builddir/storus" "$CLUSTER_DIR/storus"
storus=$CLUSTER_DIR/storus

ada() {
	(cd / && setpriv --reuid=65534 --regid=65534 --clear-groups "$@")
}
bob() {
	(cd / && setpriv --reuid=1 --regid=1 --clear-groups "$@")
}

# hide WORDS: PrivateData, and a journal and a plan that begin anew
hide() {
	sed -i '/^PrivateData=/d' "$SLURM_CONF" && echo "PrivateData=$1" >>"$SLURM_CONF"
	rm -f "$CLUSTER_DIR"/open/*
	sed "s|/CLUSTER|$CLUSTER_DIR/open|" torus.yaml >"$CLUSTER_DIR/torus.yaml"
	scontrol reconfigure && cluster wait
}

# hidden FILE... : for Slurm's user alone
hidden() {
	for hidden_file in "$@"; do
		wait_for 30 test -e "$CLUSTER_DIR/open/$hidden_file" &&
			[ "$(stat -c %a "$CLUSTER_DIR/open/$hidden_file")" = 600 ] || return 1
	done
}

test_expect_success 'two users, a node out of service, a reservation to come' '
	hide none &&
	a=$(ada sbatch --parsable -o /dev/null -t 5 -J ada-secret --geometry=4x2 --wrap "exec sleep 300") &&
	wait_state $a RUNNING &&
	scontrol update nodename=node15 state=drain reason=disk &&
	scontrol create reservation=secret start=now+4minutes duration=20 users=root flags=maint nodes=node14 &&
	b=$(bob sbatch --parsable -o /dev/null -t 5 --geometry=4x2 -x node15 --wrap "exec sleep 300") &&
	c=$(bob sbatch --parsable -o /dev/null -t 5 -N12 --wrap "exec sleep 300") &&
	wait_for 30 reason_is $b "job $a holds its place" &&
	[ "$(stat -c %a "$CLUSTER_DIR/open/plan")" = 644 ] && bob "$storus" reservations $b
'

test_expect_success 'jobs: no number, name or user of another in a reason or an answer' '
	hide jobs && hidden plan journal.csv &&
	wait_for 30 reason_is $b "; 1 job holds its place" &&
	bob squeue -h -o "%i %r" >said && cat said && ! grep -w "job $a" said &&
	test_must_fail bob scontrol update jobid=$a numnodes=3 2>said && cat said && ! grep 4x2 said &&
	for question in map "slots 2x2" metrics snapshot "explain $b" "explain $c" "node node[00-15]" \
		"place --geometry 4x2" "defrag 4x2x2" what-if "reserve 2x2 --duration 5 --dry-run"; do
		for form in "" --json; do
			bob "$storus" $question $form >said 2>&1; cat said
			! grep -e ada-secret -e nobody -e "id=$a\b" -e "job $a\b" -e "\"$a\"" said || return 1
		done
	done &&
	bob "$storus" slots 4x2 --noheader -o "%n %f" | grep -x "0 7" &&
	test_expect_code 1 bob "$storus" place --geometry 4x2 &&
	test_expect_code 1 bob "$storus" defrag 4x2x2 >said && grep "hidden jobs" said &&
	test_expect_code 1 bob "$storus" what-if --cancel $a 2>err && grep "hidden from you" err &&
	"$storus" defrag 4x2 | grep "^$a " &&
	for question in "explain $a" "node --job $a"; do
		test_expect_code 1 bob "$storus" $question 2>err && grep "hidden from you" err &&
			[ $(wc -l <err) -eq 1 ] || return 1
	done &&
	test_must_fail bob "$storus" update $a --geometry=2x2 2>err && cat err && [ $(wc -l <err) -eq 1 ] &&
	test_expect_code 3 bob "$storus" reserve 2x2 --duration 5 2>err && cat err && [ $(wc -l <err) -eq 1 ] &&
	bob "$storus" node node00 --noheader -o "%N %j" | grep -x "node00 *?" &&
	bob "$storus" map >map && grep "8 in use, not visible to you" map &&
	test_must_fail bob "$storus" reservations 2>err && grep "Permission denied" err &&
	test_must_fail bob cat "$CLUSTER_DIR/open/journal.csv" &&
	"$storus" reservations $b >plan && grep "held by *job $a until" plan
'

# (this cluster has no database: sacct is a file, as Slurm shows it to bob)
test_expect_success 'jobs of others: why there are none, and not where the user asks for his own' '
	mkdir -m 755 "$CLUSTER_DIR/fake" &&
	printf "#!/bin/sh\necho \"JobID|User|Account|Submit|Eligible|Start|End|ElapsedRaw|NNodes|State|AdminComment\"\n" \
		>"$CLUSTER_DIR/fake/sacct" && chmod 755 "$CLUSTER_DIR/fake/sacct" &&
	for words in "--account physics" "--user nobody" "--account physics --sums" "--user nobody --json"; do
		bob env PATH="$CLUSTER_DIR/fake:$PATH" "$storus" jobs $words 2>err; cat err
		grep "PrivateData in slurm.conf hides the jobs of other users from you; ask an operator" err || return 1
	done &&
	for words in "" "--user $(id -un 1)"; do
		bob env PATH="$CLUSTER_DIR/fake:$PATH" "$storus" jobs $words 2>err; cat err
		! grep PrivateData err || return 1
	done &&
	env PATH="$CLUSTER_DIR/fake:$PATH" "$storus" jobs --account physics 2>err; ! grep PrivateData err
'

# explains_alone ID: what slurmctld says of the job, without a node
explains_alone() {
	bob "$storus" explain "$1" >said 2>&1
	cat said
	grep "$1" said && ! grep "node[0-9]" said
}

test_expect_success 'nodes: the reason names none; no map' '
	hide nodes && hidden plan journal.csv &&
	scontrol update jobid=$c excnodelist= && wait_for 30 reason_is $c "job $a hold" &&
	bob squeue -h -o "%i %r" >said && cat said && ! grep "node[0-9]" said &&
	for question in map "slots 2x2" metrics snapshot "node node00" "place --geometry 2x2" \
		"defrag 2x2" what-if "reserve 2x2 --duration 5 --dry-run"; do
		test_must_fail bob "$storus" $question >said 2>&1 &&
		grep "Access/permission denied" said || return 1
	done &&
	explains_alone $b
'

test_expect_success 'reservations: no name in a reason' '
	cancel $a $b $c && scontrol update nodename=node15 state=resume &&
	d=$(bob sbatch --parsable -o /dev/null -t 5 --geometry=4x2x2 --wrap "exec sleep 300") &&
	wait_for 30 reason_is $d "reserved: secret" &&
	hide reservations && hidden plan journal.csv &&
	wait_for 30 reason_is $d "reserved: \(not shown\)" &&
	bob squeue -h -o "%i %r" >said && cat said && ! grep secret said &&
	for question in map "slots 2x2" snapshot "explain $d" metrics "place --geometry 2x2" \
		"defrag 2x2" what-if "reserve 2x2 --duration 5 --dry-run"; do
		bob "$storus" $question >said 2>&1; ! grep secret said || return 1
		bob "$storus" $question --json >said 2>&1; ! grep secret said || return 1
	done
'

# all_refused: each question of bob ends with one line and status 3
all_refused() {
	for question in map "slots 2x2" metrics snapshot "node node00" "place --geometry 2x2" \
		"defrag 2x2" what-if "reserve 2x2 --duration 5 --dry-run" "ranks --geometry 2x2"; do
		test_expect_code 3 bob "$storus" $question >said 2>err && cat err && [ ! -s said ] &&
			[ $(wc -l <err) -eq 1 ] && grep "Access/permission denied" err || return 1
	done
}

test_expect_success 'reservations: nodes that are reserved now are in use, not idle' '
	scontrol create reservation ReservationName=now start=now duration=20 users=root nodes=node[00-07] &&
	wait_for 10 sh -c "sinfo -h -N -n node00 -o %T | grep reserved" &&
	bob scontrol show reservation >said && ! grep now said &&
	bob "$storus" slots 4x2 --noheader -o "%n %f" >said && cat said && grep -x "1 8" said &&
	bob "$storus" map >said && cat said && grep "8 in use, not visible to you" said &&
	bob "$storus" metrics >said && grep "state=\"hidden\"} 8" said &&
	test_expect_code 1 bob "$storus" place --geometry 4x2x2 &&
	test_expect_code 1 bob "$storus" defrag 4x2x2 >said 2>&1 && cat said &&
	"$storus" map >said && cat said && grep reserved said &&
	scontrol delete reservation=now
'

test_expect_success 'partitions: each question is refused in one line' '
	hide partitions && all_refused && explains_alone $d
'

# answered QUESTION: bob has an answer and no message
answered() {
	# shellcheck disable=SC2086 # words
	bob "$storus" $1 >said 2>err && [ -s said ] && [ ! -s err ]
}

test_expect_success 'users: every question has its answer, the plan and the journal are hidden' '
	hide users && hidden plan journal.csv &&
	for question in map "slots 2x2" metrics snapshot "explain $d" "node node00" "place --geometry 2x2" \
		"defrag 2x2" what-if "reserve 2x2 --duration 5 --dry-run" "ranks --geometry 2x2"; do
		wait_for 15 answered "$question" || { echo "$question:"; cat said err; return 1; }
	done
'

test_done
