#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Questions to a live machine: snapshot, slots, defrag, explain, what-if, metrics,
# reserve. What explain and defrag say is compared with what then happens.

# shellcheck disable=SC2016,SC2034  # cases are evaluated by sharness
test_description='questions to a live machine'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
sched_start '4, 4, 2' easy
storus=$top_builddir/storus
prereq_root

# as_nobody COMMAND...: as a user who owns no job
as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# value KEY FILE: of the first line "KEY": VALUE of a JSON file
value() {
	sed -n "s/^ *\"$1\": \"\(.*\)\",*$/\1/p; s/^ *\"$1\": \([0-9.]*\),*$/\1/p" "$2" |
		head -n 1
}

test_expect_success 'the idle machine' '
	"$storus" slots 2x2x2 4x4 --noheader -o "%s %n %m %f" >out && cat out &&
	grep -x "2x2x2 4 4 32" out && grep -x "4x4 2 2 32" out &&
	"$storus" defrag 4x4x2 | grep "fits now" &&
	"$storus" place --geometry 4x4x2
'
test_expect_success 'without jobs each question has its answer, as text and as JSON' '
	while read -r wanted line question; do
		for form in "" --json; do
			test_expect_code $wanted "$storus" $question $form >out 2>err
			status=$?
			printf "%s %s: %s\n" "$question" "$form" "$(head -n 3 out err)"
			[ $status = 0 ] || return 1
			case $wanted$form in
			0) [ ! -s err ] && grep -Eq -e "$(echo "$line" | tr _ " ")" out || return 1 ;;
			0*) [ ! -s err ] && jq -e .schema out || return 1 ;;
			*) [ ! -s out ] && [ $(wc -l <err) -eq 1 ] || return 1 ;;
			esac
		done
	done <<-END
		0 4x4x2 map
		0 ^fits:.*4_nodes place --geometry 2x2
		0 ^2x2_ slots 2x2
		0 fits_now defrag 2x2
		0 ^0_waiting_jobs what-if
		1 - explain 1
		1 - what-if --cancel 1
		2 - defrag 2x2 --keep 1
		0 state=.idle.}_32$ metrics
		0 ^2x2_on_pod0: reserve 2x2 --duration 5 --dry-run
		0 node00 node node00
		1 - node --job 1
		0 ^0_0,0_ ranks --geometry 2x2
		0 ^Plan_of_20 reservations
		1 - reservations 1
	END
	"$storus" snapshot >idle.snap && ! grep -e "\"running\"" -e "\"pending\"" idle.snap
'
test_expect_success 'explain and defrag predict where and when a job starts' '
	a=$(submit --geometry=4x4 -t10) && wait_state $a RUNNING &&
	b=$(submit --geometry=2x2 -t20) && wait_state $b RUNNING &&
	c=$(submit --geometry=4x4 -t5) && wait_for 10 [ "$(squeue -h -j $c -o %T)" = PENDING ] &&
	"$storus" explain $c --json >json && cat json &&
	end=$(date -d "$(job_field $a EndTime)" +%s) &&
	[ "$(value answer json)" = not_now ] && [ "$(value start json)" -ge "$((end - 1))" ] &&
	[ "$(value start json)" -le "$((end + 1))" ] && grep "\"job\": \"$a\"" json &&
	"$storus" explain $c -v >out && cat out && grep "held by job $a of" out &&
	where=$(value free_first json) && [ -n "$where" ] &&
	"$storus" snapshot --output now.snap &&
	"$storus" what-if --snapshot now.snap --cancel $a --json >json && cat json &&
	after=$(sed -n "/\"after\"/,/}/s/.*\"region\": \"\(.*\)\".*/\1/p" json) &&
	"$storus" defrag 4x4 --cost remaining --json >json && cat json &&
	grep "\"by_ending\"" json &&
	ended=$(sed -n "/\"jobs\"/,/]/s/^ *\"\([0-9]*\)\".*/\1/p" json | sort | paste -sd " " -) &&
	scancel $ended && wait_state $c RUNNING &&
	[ "$(job_region $c)" = "$(value region json)" ] &&
	{ [ "$ended" != $a ] || [ "$after" = "$(job_region $c)" ]; } &&
	"$storus" explain $c >out && cat out && grep "runs on $(job_region $c)" out &&
	cancel_all
'
# start_of and region_of FILE: the job's own, not those of an alternative
start_of() {
	sed -n "s/^  \"start\": \([0-9]*\).*/\1/p" "$1"
}
region_of() {
	sed -n "s/^  \"region\": \"\(.*\)\".*/\1/p" "$1"
}
# starts_as_said ID: when and where $1.json has it
starts_as_said() {
	wait_state $1 RUNNING 60 && cat $1.json && scontrol show job $1 &&
		late=$(($(date -d "$(job_field $1 StartTime)" +%s) - $(start_of $1.json))) &&
		[ $late -ge -1 ] && [ $late -le 15 ] && [ "$(job_region $1)" = "$(region_of $1.json)" ]
}
# three_wait: job $a runs for 25 seconds and says so; $b, $c and $d wait
three_wait() {
	a=$(sbatch --parsable -o /dev/null -t 5 --geometry=4x4x2 --wrap "sleep 25") &&
		wait_state $a RUNNING && start=$(date -d "$(job_field $a StartTime)" +%s) &&
		scontrol update jobid=$a EndTime=$(date -d @$((start + 25)) +%FT%T) &&
		b=$(submit --geometry=4x4 -t10) && c=$(submit --geometry=4x2,2x2@1h -t20) &&
		d=$(submit --geometry=2x2 -t5)
}
test_expect_success 'three jobs start when and where explain says' '
	three_wait &&
	wait_for 10 forecast_known $b $c $d && one_forecast $b $c $d &&
	for job in $b $c $d; do
		"$storus" explain $job --json >$job.json && [ "$(start_of $job.json)" -le $((start + 30)) ] ||
			return 1
	done &&
	starts_as_said $b && starts_as_said $c && starts_as_said $d && cancel_all
'
test_expect_success 'explain and what-if know the nodes that a job must have and must not have' '
	a=$(submit -w node05 -N1 -t10) && wait_state $a RUNNING &&
	b=$(submit -w node05 -N1 -t5) &&
	wait_state $b PENDING &&
	"$storus" explain $b >out && cat out && grep "no place now: nodes that it must have are in use" out &&
	grep "held by job $a" out && ! grep "has a place now" out &&
	"$storus" what-if >out && cat out && grep "^$b .*{5}" out && cancel_all
'
# planned ID: explain has the start that the scheduler has promised, to $1.json
planned() {
	wait_for 10 promised $1 && "$storus" explain $1 --json >$1.json &&
		"$storus" explain $1 | grep "is estimated to start at $start_time" &&
		[ "$(start_of $1.json)" = "$(date -d "$start_time" +%s)" ]
}
test_expect_success 'easy: --test-only comes behind the jobs that have a forecast, as squeue says then' '
	three_wait && wait_for 10 forecast_known $b $c $d &&
	at=$(tested --geometry=4x4x2 -t1) && e=$(submit --geometry=4x4x2 -t1) &&
	wait_for 10 forecast_known $e && one_forecast $b $c $d $e &&
	later=$((at - $(date -d "$(job_field $e StartTime)" +%s))) && echo "differs by $later s" &&
	[ $((later * later)) -le 25 ] && cancel_all
'
test_expect_success 'easy: --test-only goes behind one place of a job of two partitions' '
	scontrol create partitionname=half nodes=node[16-31] state=up &&
	a=$(submit --geometry=4x4x2 -t5) && wait_state $a RUNNING &&
	b=$(submit -p main,half --geometry=4x4 -t10) && wait_for 10 forecast_known $b &&
	ends=$(date -d "$(job_field $a EndTime)" +%s) && one_forecast $b &&
	for job in 1 2 3; do
		late=$(($(tested --geometry=4x4 -t10) - ends)) && echo "$late s after the end" &&
		[ $((late * late)) -le 25 ] || return 1
	done && cancel_all && scontrol delete partitionname=half
'
# kept ID: it runs no later than $1.json has it
kept() {
	wait_state $1 RUNNING 60 && cat $1.json &&
		[ "$(date -d "$(job_field $1 StartTime)" +%s)" -le "$(($(start_of $1.json) + 2))" ]
}
test_expect_success 'conservative: no job starts later than explain says it is promised' '
	sched_change "4, 4, 2" conservative && three_wait &&
	planned $b && planned $c && planned $d &&
	kept $b && kept $c && kept $d && cancel_all &&
	a=$(run 15 --geometry=4x4x2 -t1) && wait_state $a RUNNING &&
	b=$(run 5 --geometry=4x4x2 -t1) && c=$(submit --geometry=4x2 -t5) && d=$(submit --geometry=4x4x2 -t5) &&
	planned $b && planned $c && planned $d && soon=$(start_of $c.json) &&
	one_forecast $b $c $d && "$storus" what-if | grep "as scheduled by sched/torus with conservative" &&
	[ $(tested --geometry=4x4x2 -t1) -gt $soon ] && [ $(tested -N32 -t1) -gt $soon ] &&
	kept $b && kept $c && [ "$(date -d "$(job_field $c StartTime)" +%s)" -lt $((soon - 60)) ] &&
	cancel $c && kept $d && cancel_all && sched_change "4, 4, 2" easy
'
# waits_for WORDS ID: explain says so
waits_for() {
	wait_state $2 PENDING && "$storus" explain $2 >out && cat out && grep -e "$1" out
}
test_expect_success 'a job starts with the shape, the node or the region that explain names' '
	a=$(submit --geometry=4x4 -t10) && wait_state $a RUNNING &&
	b=$(submit --geometry=4x2x2 -t10) && waits_for "would start now: .*4x4" $b &&
	"$storus" update $b --geometry=4x4 && wait_state $b RUNNING && cancel $b &&
	case $(job_region $a) in *,0+*) node=node21 index=21 ;; *) node=node05 index=5 ;; esac &&
	scontrol update nodename=$node state=drain reason=test &&
	c=$(submit --geometry=4x4 -t10) &&
	waits_for "it would fit now if pod0:{$index} were in service" $c &&
	scontrol update nodename=$node state=resume && wait_state $c RUNNING &&
	d=$(submit --geometry=4x4 -t10) && waits_for "cheapest to free" $d &&
	region=$(sed -n "s/.*cheapest to free: \([^ ]*\): by.*/\1/p" out) &&
	job=$(sed -n "s/.*by ending job \([0-9]*\) (.*/\1/p" out) && cancel $job &&
	wait_state $d RUNNING && [ "$(job_region $d)" = "$region" ] && cancel_all
'
test_expect_success 'each answer is some seconds old' '
	a=$(submit --geometry=2x2 -t10) && wait_state $a RUNNING &&
	while read -r question; do
		"$storus" $question >out && cat out &&
			tail -n 1 out | grep -E "^(Snapshot|Plan) of 20.*, 00:00:0[0-9] old\.$" &&
			"$storus" $question --json >json && [ "$(value age_s json)" -le 9 ] || return 1
	done <<-END &&
		map
		place --geometry 2x2
		slots 2x2
		defrag 2x2
		what-if
		explain $a
		reserve 2x2 --duration 5 --dry-run
		node node00
		reservations
	END
	"$storus" metrics --json >json && [ "$(value age_s json)" -le 9 ] && cancel_all
'
test_expect_success 'a job that is held, one that depends' '
	a=$(submit --geometry=2x2 -t10 -H) && "$storus" explain $a >out && cat out &&
	grep "it is held" out &&
	b=$(submit --geometry=2x2 -t10 -d afterok:$a) && "$storus" explain $b >out &&
	grep "depends on has to end" out && cancel_all
'
test_expect_success 'metrics' '
	a=$(submit --geometry=2x2x2 -t10) && wait_state $a RUNNING &&
	"$storus" metrics --shape 2x2x2 -o m.prom && cat m.prom &&
	grep -x "torus_nodes{torus=\"pod0\",state=\"busy\"} 8" m.prom &&
	grep -x "torus_slots{shape=\"2x2x2\"} 3" m.prom &&
	grep -x "torus_jobs_running{shaped=\"yes\"} 1" m.prom &&
	"$storus" metrics --plan "$(scontrol show config | sed -n "s/^StateSaveLocation *= //p")/torus_plan" >m.prom &&
	grep -x "torus_plan_readable 1" m.prom && grep "^torus_cycles_total [1-9]" m.prom
'
# rpcs: how many requests of each kind slurmctld has had
rpcs() {
	sdiag | sed -n "s/^\t*\(REQUEST_[A-Z_]*INFO[A-Z_]*\).*count:\([0-9]*\).*/\1 \2/p" | sort
}
test_expect_success 'one request for each table' '
	"$storus" metrics >/dev/null && rpcs >before && "$storus" metrics >/dev/null && rpcs >after &&
	cat after && join before after >both &&
	for table in JOB NODE RESERVATION; do
		awk -v name="^REQUEST_${table}_INFO" "\$1 ~ name { n += \$3 - \$2 } END { exit n != 1 }" both ||
			return 1
	done
'
test_expect_success ROOT 'reserve: exactly the nodes of a region, and released' '
	"$storus" reserve 4x4 --start now+3600 --duration 1:00:00 --users root --name later >out &&
	cat out && region=$(sed -n "s/^4x4 on \([^ ]*\) from.*/\1/p" out) &&
	scontrol -o show reservation later >shown && cat shown && grep "NodeCnt=16" shown &&
	expand_nodes "$(sed -n "s/.* Nodes=\([^ ]*\).*/\1/p" shown)" | box_indices >got &&
	box_region 4x4x2 "$region" >wanted && test_cmp wanted got &&
	"$storus" snapshot | grep "^  {\"id\": \"later\", \"start\"" &&
	"$storus" map | grep "^reservations: later pod0:" &&
	"$storus" reserve 4x4x1 --start now+3600 --duration 60 --dry-run | grep "^scontrol create" &&
	test_expect_code 1 "$storus" reserve 4x4x2 --start now+3600 --duration 60 &&
	"$storus" reserve --release later && ! scontrol show reservation later
'
test_expect_success ROOT 'PrivateData: hidden nodes count as in use; no permission' '
	echo PrivateData=jobs >>"$SLURM_CONF" && scontrol reconfigure && cluster wait &&
	chmod a+x "$CLUSTER_DIR" "$CLUSTER_DIR/munge" && cp "$storus" "$CLUSTER_DIR/storus" &&
	as_nobody "$CLUSTER_DIR/storus" slots 2x2x2 --noheader -o "%n %f" >out && cat out &&
	grep -x "3 24" out &&
	as_nobody "$CLUSTER_DIR/storus" metrics | grep "state=\"hidden\"} 8" &&
	as_nobody "$CLUSTER_DIR/storus" snapshot | grep "\"hidden\": " &&
	test_expect_code 1 as_nobody "$CLUSTER_DIR/storus" explain $a 2>err && cat err &&
	[ $(wc -l <err) -eq 1 ] &&
	test_expect_code 3 as_nobody "$CLUSTER_DIR/storus" reserve 2x2 --duration 5 2>err && cat err &&
	[ $(wc -l <err) -eq 1 ] && grep "only operators may create reservations" err &&
	"$storus" reserve 2x2 --start now+3600 --duration 5 --users root --name later &&
	test_expect_code 3 as_nobody "$CLUSTER_DIR/storus" reserve --release later 2>err && cat err &&
	[ $(wc -l <err) -eq 1 ] && grep "later is not deleted" err && "$storus" reserve --release later &&
	b=$(submit --geometry=4x4x2 -t10) &&
	test_must_fail as_nobody "$CLUSTER_DIR/storus" update $b --geometry=2x2 2>err && cat err &&
	[ $(wc -l <err) -eq 1 ] && cancel_all
'
# every WHY STATUS: each question that asks the cluster ends so, with one line
every() {
	while read -r command; do
		timeout 60 "$storus" $command >out 2>err
		status=$?
		printf "%s: %s: %s %s\n" "$1" "$command" $status "$(head -n 1 err)"
		[ $status = "$2" ] && [ $(wc -l <err) -eq 1 ] && grep -q "^storus ${command%% *}: " err ||
			{ cat err; return 1; }
	done <<-END
		map
		place --geometry 2x2
		slots 2x2
		defrag 2x2
		what-if
		explain 99999
		metrics
		reserve 2x2 --duration 5
		snapshot
		node node00
		ranks --geometry 2x2
	END
}
test_expect_success 'no such job, node, reservation: one line and a status' '
	while read -r wanted command; do
		"$storus" $command >out 2>err
		status=$?
		printf "%s: %s %s\n" "$command" $status "$(cat err)"
		[ $status = $wanted ] && [ $(wc -l <err) -eq 1 ] || return 1
	done <<-END
		1 explain 9999
		1 what-if --cancel 9999
		2 defrag 4x4x2 --keep 9999
		1 node --job 9999
		1 node node99
		1 update 9999 --geometry=2x2
		1 reserve --release nothing
		1 reservations 9999
	END
'
test_expect_success 'no torus.yaml: what slurmctld knows of a job, else one line that says whom to ask' '
	a=$(submit --geometry=4x4x2 -t5) && wait_state $a RUNNING && b=$(submit --geometry=2x2 -t5) &&
	mv "$CLUSTER_DIR/torus.yaml" "$CLUSTER_DIR/away" && every "no torus.yaml" 2 &&
	test_expect_code 2 "$storus" slots 2x2 2>err && grep "ask the administrators" err &&
	"$storus" explain $a >out && cat out &&
	grep "Job $a of .* asked for 4x4x2 and runs on pod0:0,0,0+4x4x2; since 20" out &&
	"$storus" explain $b >out && cat out && grep "Job $b of .* asked for 2x2 and waits: " out &&
	"$storus" explain $b --json | jq -e ".state == \"pending\"" &&
	"$storus" explain >out && cat out && [ "$(sed -n "s/^Job \([0-9]*\) of.*/\1/p" out | tr "\n" " ")" = "$b $a " ] &&
	"$storus" explain --json | jq -e "[.jobs[].state] == [\"pending\", \"running\"]" &&
	cancel_all && test_expect_code 1 "$storus" explain 2>err && grep "no job of yours" err &&
	mv "$CLUSTER_DIR/away" "$CLUSTER_DIR/torus.yaml"
'
test_expect_success 'no slurmctld: one line and a status' '
	cluster stop-ctld && every "no slurmctld" 3 &&
	test_expect_code 3 "$storus" update 1 --geometry=2x2 2>err && [ $(wc -l <err) -eq 1 ] &&
	test_expect_code 3 "$storus" reserve --release later 2>err && [ $(wc -l <err) -eq 1 ] &&
	"$storus" slots 2x2 2>&1 | grep "Unable to contact slurm controller" &&
	cluster start-ctld
'

test_done
