#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Questions to a machine: every sentence and table, on a snapshot of a cluster, on
# --busy regions and on a schedule at a time; and every refusal.
. "$(dirname "$0")/lib-golden.sh"
skip_if_short
TZ=UTC USER=ada
export TZ USER

on() # COMMAND WORD...: about the snapshot
{
	command=$1
	shift
	storus "$command" --snapshot cluster.snap "$@"
}

again() # the text of the snapshot that was read is the one that was written
{
	on snapshot >"$golden_tmp/one" &&
		storus snapshot --snapshot "$golden_tmp/one" | diff "$golden_tmp/one" - &&
		cat "$golden_tmp/one"
}
golden snapshot again
golden snapshot-busy storus snapshot --torus 4x4 --busy 0,0+2x2 --busy '{15}'
golden snapshot-schedule storus snapshot --torus 4x4x2 --schedule schedule.csv --at 50
golden snapshot-wrong storus snapshot --snapshot wrong.snap
golden snapshot-missing storus map --snapshot nowhere.snap
golden source-both storus slots --snapshot cluster.snap --torus 4x4
golden source-at storus slots --torus 4x4 --at 5
golden map on map --fit 2x2
golden map-json on map --json
on_reserved() # a reservation that has begun
{
	sed 's/start=1764020000/start=1763999000/' cluster.snap >"$golden_tmp/reserved.snap"
	for question in map 'map --fit 2x2' 'place --geometry 2x2' 'place --geometry 4x2' 'ranks --geometry 2x2' \
		'slots 2x2' metrics; do
		# shellcheck disable=SC2086
		storus $question --snapshot "$golden_tmp/reserved.snap" | grep -v -e '^torus_[^n]' -e '^#' -e '^torus_node_'
	done
}
golden reserved on_reserved
golden place on place --geometry 2x2x2
golden place-schedule storus place --torus 4x4x2 --schedule schedule.csv --at 250 --geometry 4x4x1

golden slots on slots 2x2 4x4 2x2x2 3
golden slots-json on slots 2x2 --json
golden slots-none on slots
golden slots-partition on slots 2x2 --partition debug --noheader
golden slots-format on slots 2x2 -o '%.8s|%4p|%n%%'
golden slots-busy storus slots --torus 3x3:MM --busy 1,1+1x1 2x1 2x2 1
golden slots-flat storus slots --torus flat:10 --busy '{0-2}' 3
golden slots-proved storus slots --torus 6x6:MM 4x4 2x2 5x1
golden slots-strategy storus slots --torus 4x4:MM --strategy submesh-ff 2x2
golden slots-wrong on slots 2xx2
golden slots-unknown on slots 2x2 --partition night
golden suggest-unknown on suggest 4 --reservation nope
golden suggest-no-reservation storus suggest 4 --torus 4x4 --reservation nope
golden what-if-unknown-reservation on what-if --submit '-N4 --reservation=nope'
golden what-if-unknown-partition on what-if --submit '-N4 -p night'
golden slots-bad-format on slots 2x2 -o '%i %z'

# Mohapatra, section 3.1: the windows of the 2-cubes at t + 2
golden windows storus windows --snapshot table1.snap --strategy subcube-buddy 2x2
golden windows-json storus windows --snapshot table1.snap --strategy subcube-buddy 2x2x2 --json
golden windows-out on windows 4x4x2
golden windows-flat storus windows --torus flat:4 2
golden windows-wrong storus windows --torus 4x4 2x2,4x4
golden windows-several storus windows --torus 4x4 '2x2*2'

golden defrag on defrag 4x4
golden defrag-json on defrag 4x4 --json
golden defrag-remaining on defrag 4x4 --cost remaining
golden defrag-nodes on defrag 4x4x2 --cost nodes
golden defrag-costs on defrag 2x2x2 --costs costs.csv
golden defrag-keep on defrag 4x4 --keep 11
golden defrag-keep-json on defrag 4x4 --keep 11 --json
golden defrag-fits on defrag 2x2
golden defrag-never on defrag 5x5
golden defrag-flat storus defrag --torus flat:10 --busy '{0-4}' --busy '{5-6}' 4 --cost nodes
golden defrag-format on defrag 4x4 -o '%i' --noheader
golden defrag-schedule storus defrag --torus 4x4x2 --schedule schedule.csv --at 50 4x4x2 --cost remaining
golden defrag-no-job on defrag 4x4 --keep 99
costs() # blanks and carriage returns at the ends of lines; what is no line of costs
{
	for text in 'id,cost\r\n 11 , 5 \r\n' 'id,cost\r11,5\r' 'id,cost\n,5\n' 'id,cost\n11\n' \
		'id,cost\n11,5,6\n' 'id,cost\n11,1e3\n' 'id,cost\n11,nan\n' 'id,cost\n11,-1\n' 'id,cost\n11,5 x\n' \
		'id,cost\n11,1000000000001\n' 'id,cost\n11,"5\n'; do
		# shellcheck disable=SC2059
		printf "$text" >"$golden_tmp/costs.csv"
		(cd "$golden_tmp" && storus defrag --snapshot "$golden_dir/cluster.snap" 2x2x2 --costs costs.csv 2>&1) |
			head -1
	done
}
golden defrag-costs-lines costs
golden defrag-costs-wrong on defrag 4x4 --costs costs-wrong.csv
golden defrag-cost-wrong on defrag 4x4 --cost elapse
golden defrag-nothing on defrag

lists() # nodes that a job must have, and those that it must not have
{
	for job in 18 19 20; do
		storus explain $job --snapshot lists.snap
	done
	storus what-if --snapshot lists.snap --submit '-w node05 -t 10' --submit '--geometry=2x2 -x node[00-03] -t 5'
	storus what-if --snapshot lists.snap --submit '-N1 -w node16'
}
golden explain-lists lists
golden explain on explain 21
golden explain-verbose on explain 21 -v
golden explain-json on explain 21 --json
golden explain-ladder on explain 22
# an alternative is accepted later, and has a place before the planned start
ladder()
{
	storus explain --snapshot ladder.snap 25
	storus what-if --snapshot ladder.snap
}
golden explain-ladder-first ladder
golden explain-dependency on explain 23
golden explain-fits on explain 24
golden explain-running on explain 11 -v
golden explain-running-json on explain 13_4 --json
golden explain-array on explain 13
golden explain-behind storus explain --snapshot behind.snap 3
behind() # under each kind of discipline
{
	for discipline in fcfs conservative fpfs; do
		sed "s/easy/$discipline/" behind.snap >"$golden_tmp/behind.snap" &&
			storus explain --snapshot "$golden_tmp/behind.snap" 3 | tail -n +3
	done
	storus explain --snapshot behind.snap 3 --json | grep behind
}
golden behind behind
later() # who has the place that is free first: a job, a reservation; or nobody, of a floating one
{
	late=$golden_tmp/later.snap
	running='running id=1 user=ada partition=main submit=900 start=900 end=1100 limit=200 priority=9 place=torus:0,0+4x4 geometry=4x4'
	array='pending id=5_0 user=bob partition=main submit=950 limit=200 priority=7 geometry=4x4'
	job='pending id=6 user=eve partition=main submit=960 limit=100 priority=5 geometry=4x2'
	machine='torus-snapshot 1\ntime 1000\nsource a test\nmachine 4x4\npartition id=main place=torus:{0-15}'
	maint='reservation id=maint start=1150 end=1500 place=torus:{0-15}'
	for lines in "$running\n$array\n$job" "$maint\n$running\n$job" "$maint\n$(echo "$job" | sed 's/=100/=200/')" \
		"reservation id=float limit=60 place=torus:{0-15}\n$job" \
		"reservation id=float limit=90 place=torus:{0-7}\n$running\n$job" \
		"reservation id=float limit=120 place=torus:{0-15}\n$job"; do
		# shellcheck disable=SC2059
		printf "$machine\n$lines\n" >"$late"
		storus snapshot --snapshot "$late" | grep -A1 '"reservations"'
		storus explain --snapshot "$late" 6
	done
	storus map --snapshot "$late" | grep reservations
}
golden explain-later later
first() # one place for one time: beside another job of that time, and behind a reservation in force
{
	first=$golden_tmp/first.snap
	machine='torus-snapshot 1\ntime 1000\nsource a test\nmachine 4x4\npartition id=main place=torus:{0-15}'
	whole='running id=1 user=ada partition=main submit=900 start=900 end=1100 limit=200 priority=9 place=torus:0,0+4x4 geometry=4x4'
	half='running id=1 user=ada partition=main submit=900 start=900 end=1900 limit=1000 priority=9 place=torus:0,0+4x2 geometry=4x2'
	job='pending id=6 user=eve partition=main submit=960 limit=100 priority=5'
	for lines in "$whole\npending id=5 user=bob partition=main submit=950 limit=100 priority=7 geometry=2x1\n$job geometry=1x1" \
		"reservation id=maint start=900 end=1200 place=torus:{0-15}\n$whole\n$job geometry=2x2" \
		"reservation id=maint start=900 end=1200 place=torus:{0-15}\n$whole\n$job reservation=maint geometry=2x2" \
		"reservation id=maint start=900 end=1050 place=torus:{8-15}\n$half\n$job geometry=4x2" \
		"reservation id=maint start=900 end=1050 place=torus:{0-15}\n$half\n$job geometry=4x2" \
		"reservation id=maint start=900 end=1050 place=torus:{4-15}\n$(echo "$half" | sed 's/=1900/=1010/')\n$job nodes=9"; do
		# shellcheck disable=SC2059
		printf "$machine\n$lines\n" >"$first"
		storus explain --snapshot "$first" 6
	done
	storus explain --snapshot "$first" 6 --json | sed -n '/blockers/,/]/p'
	storus explain --snapshot "$first" 6 --csv
}
golden explain-first first
golden explain-shapes storus explain --snapshot shapes.snap 2
golden explain-out storus explain --snapshot shapes.snap 3
golden explain-subtorus storus explain --snapshot subtorus.snap 1
golden explain-schedule storus explain --torus 4x4x2 --schedule schedule.csv --at 50 3
for job in 1 2 3 4; do
	golden "explain-links-$job" storus explain --snapshot links.snap "$job"
done
golden explain-links-json storus explain --snapshot links.snap 3 --json
on_rings() # given rings stay what they are, also those of several regions
{
	storus snapshot --snapshot rings.snap | diff - rings.snap &&
		storus metrics --snapshot rings.snap | grep over_links
	for job in 1 2 3; do
		storus explain --snapshot rings.snap $job | grep -v neighbours
	done
	storus explain --snapshot rings.snap 2 --json | grep -e rings -e links
}
golden rings on_rings
rings_wrong() # too many regions, other letters
{
	sed 's,"ring": "T/M","ring": "T/M/T",; s,"ring": "M","ring": "MX",' rings.snap >"$golden_tmp/wrong.snap"
	cd "$golden_tmp" && storus snapshot --snapshot wrong.snap
}
golden rings-wrong rings_wrong
golden explain-over-link-json storus explain --snapshot links.snap 2 --json
golden map-links storus map --snapshot links.snap
golden map-links-json storus map --snapshot links.snap --json
on_metrics()
{
	storus metrics --snapshot links.snap | grep links
}
golden metrics-links on_metrics
golden explain-none on explain 99
golden explain-wrong on explain x
golden explain-two on explain 21 22

golden reserve on reserve 2x2 --start 2025-11-24T16:30:00 --duration 60 --dry-run
golden reserve-planned on reserve 4x4 --start 2025-11-24T16:30:00 --duration 60 --dry-run
golden reserve-json on reserve 4x4 --start 2025-11-24T16:30:00 --duration 60 --dry-run --json

golden suggest storus suggest 16 --torus 4x4x4 --busy 0,0,0+4x4x2
golden suggest-near storus suggest 7 --torus 4x4x4:TTM --csv
golden suggest-limits storus suggest --geometry=16 --torus 4x4x4 --max-aspect 2 --min-bisection 8 --ring --json
golden suggest-none storus suggest 99 --torus 4x4x4
golden suggest-live on suggest 4 -t 30 -p main -x 'node[16-19]' -A any -n 8
golden what-if on what-if --up pod0:'{31}' --cancel 12 \
	--submit '--geometry=2x2 -t 5 --priority 100'
golden what-if-drain on what-if --drain 'node[16-19]' --discipline fcfs
golden what-if-json on what-if --submit '-N 3 -t 1:00:00' --json
golden what-if-range on what-if --submit '-N 2-3 -t 1-0:30'
golden what-if-format on what-if -o '%i:%c' --noheader --strategy submesh-tff
golden what-if-schedule storus what-if --torus 4x4x2 --schedule schedule.csv --at 50 --cancel 1
golden what-if-links storus what-if --snapshot links.snap --submit '--geometry=4x1 --conn-type=TT --links=weak -t 9'
golden what-if-no-job on what-if --cancel 99
usage() # of users: kept by a snapshot, it orders the queue; a wrong one is named
{
	storus snapshot --snapshot usage.snap >"$golden_tmp/usage.snap"
	storus what-if --snapshot "$golden_tmp/usage.snap"
	USER=bob storus what-if --snapshot "$golden_tmp/usage.snap" --submit '--geometry=4x4 -t 10' | grep new1
	sed 's/7200.5/-1/; s/"user": "eve", "node_s"/"node_s"/' usage.snap >"$golden_tmp/wrong.snap"
	(cd "$golden_tmp" && storus what-if --snapshot wrong.snap)
}
golden what-if-usage usage
golden what-if-no-node on what-if --drain node99
golden what-if-words on what-if --submit '--geometry=2x2 --mem 5'
golden what-if-shapes on what-if 2x2 --geometry 4x1 --submit '2x1 -t 10' --submit '-N 1 -t 5'
golden what-if-two-shapes on what-if --submit '2x2 4x1'
golden what-if-shape on what-if --submit '--geometry=2xx2 -t 5'
# explain's cheapest region is defrag's answer
same_cheapest()
{
	on explain 21 --json | jq -S '.alternatives[0].cheapest' >"$golden_tmp/a" &&
		on defrag 4x4 --json | jq -S '{region, jobs, cost_node_s}' >"$golden_tmp/b" &&
		jq -e '.jobs | length > 0' "$golden_tmp/a" &&
		[ "$(jq -c '[.region, .jobs, (.cost_node_s | floor)]' "$golden_tmp/a")" = \
			"$(jq -c '[.region, .jobs, (.cost_node_s | floor)]' "$golden_tmp/b")" ]
}
if command -v jq >/dev/null; then
	(cd "$golden_dir" && same_cheapest) >"$golden_tmp/said" 2>&1
	tap_result $? "explain's cheapest region is defrag's" "$(cat "$golden_tmp/said")"
fi
golden what-if-discipline on what-if --discipline soon

# Each says how old the snapshot is, as text and as JSON; tables asked for do not.
ages()
{
	sed "s/^time .*/time $(($(date +%s) - 3600))/" cluster.snap >"$golden_tmp/hour.snap"
	questions 21 | grep -v -e ranks -e metrics | while read -r question; do
		# shellcheck disable=SC2086
		storus $question --snapshot "$golden_tmp/hour.snap" >"$golden_tmp/o" &&
			grep -q '^Snapshot of .*, 01:00:[0-9][0-9] old\.$' "$golden_tmp/o" ||
			echo "$question: not said"
	done
	questions 21 | while read -r question; do
		# shellcheck disable=SC2086
		storus $question --snapshot "$golden_tmp/hour.snap" --json |
			grep -q '"age_s": 36[0-9][0-9]$' || echo "$question: not in JSON"
		# shellcheck disable=SC2086
		storus $question --snapshot "$golden_tmp/hour.snap" --noheader 2>&1 |
			grep Snapshot
	done
	sed "s/^time .*/time $(($(date +%s) - 3600))/" ../monitoring/plan >"$golden_tmp/plan"
	storus reservations --file "$golden_tmp/plan" | tail -n 1 |
		grep -q '^Plan of .*, 01:00:[0-9][0-9] old\.$' || echo "reservations: not said"
	storus reservations --file "$golden_tmp/plan" --json |
		grep -q '"age_s": 36[0-9][0-9]$' || echo "reservations: not in JSON"
}
# A job that is asked about is the only one in JSON, too.
plan_job()
{
	for job in 21 22 99; do
		storus reservations $job --file ../monitoring/plan --json >"$golden_tmp/o"
		echo "status $?"
		grep '"job": .*,$' "$golden_tmp/o"
	done
}
golden plan-job plan_job

# Each question on each source in each form, and what each refuses: the status and the
# first line.
first_line() # COMMAND...
{
	"$@" >"$golden_tmp/o" 2>"$golden_tmp/e"
	line_status=$?
	printf '%s: %s  %s\n' "$(shift; echo "$*" | sed "s#$golden_tmp/##g")" "$line_status" \
		"$(cat "$golden_tmp/o" "$golden_tmp/e" | sed "s#$golden_tmp/##g" | tr -s ' \n{' ' ' | cut -c1-70)"
}
questions()
{
	cat <<-END
	map --fit 2x2
	place --geometry 2x2
	ranks --geometry 2x2
	slots 2x2
	defrag 4x4
	what-if
	explain $1
	metrics
	reserve 2x2 --duration 5 --dry-run
	END
}
forms()
{
	while read -r question; do
		# shellcheck disable=SC2086
		for form in '' --json --noheader --format=x '-o%%'; do
			first_line storus $question "$@" $form
		done
	done
}
every()
{
	questions 21 | forms --snapshot cluster.snap
	questions 1 | forms --torus 4x4 --busy 0,0+2x2
	questions 3 | forms --torus 4x4x2 --schedule schedule.csv --at 50
	echo snapshot | forms --torus 4x4
	echo node west:1,0,0 | forms --torus ../node/two.yaml
	echo torus:0,0 1 down >"$golden_tmp/links"
	echo link list | forms --torus 4x4 --link-file "$golden_tmp/links"
	echo reservations | forms --file ../monitoring/plan
	echo reservations 21 | forms --file ../monitoring/plan
}
refused()
{
	mkdir "$golden_tmp/conf" "$golden_tmp/none"
	echo ClusterName=x >"$golden_tmp/conf/slurm.conf"
	echo 'toruses: []' >"$golden_tmp/conf/torus.yaml"
	cp "$golden_tmp/conf/slurm.conf" "$golden_tmp/none"
	for question in 'explain 99' 'what-if --cancel 99' 'defrag 2x2 --keep 99'; do
		# shellcheck disable=SC2086
		first_line storus $question --snapshot cluster.snap
	done
	for where in conf none; do
		SLURM_CONF=$golden_tmp/$where/slurm.conf
		export SLURM_CONF
		questions 1 | while read -r question; do
			# shellcheck disable=SC2086
			first_line storus $question | sed "s/^/$where /"
		done
	done
	unset SLURM_CONF
}
# What no other test shows: reasons of waiting jobs, operands that are missing, wrong or
# do not go together, and answers within a bound.
told() # COMMAND...: all that it says
{
	echo "$ $*" | sed "s#$golden_tmp/##g"
	"$@" 2>&1 | sed "s#$golden_tmp/##g; s/, [0-9:-]* old\.$/, AGE old./"
}
# Every line of the plan, and what is no plan or no week.
plan_lines()
{
	{
		grep -v -e '^job' -e '^cycles 7' ../monitoring/plan
		cat <<-END
		longest_orders 20
		longest_plan_us 9000
		longest_wait_us 500
		longest_cpu_us 8000
		longest_snapshot_us 2000
		longest_commit_us 3000
		longest_publish_us 1000
		lock_holds 360
		long_lock_holds 1
		lock_hold_max_cpu_us 3500
		lock_hold_max_core_us 400
		lock_hold_max_step snapshot
		lock_hold_max_step_us 3000
		lock_hold_work_max_us 3600
		lock_hold_work_max_step starting
		job 21 1764003600 1764007200 - 0
		holders 2 11 1764003600 12 -
		END
	} >"$golden_tmp/full"
	told storus reservations -v --file "$golden_tmp/full"
	told storus reservations 21 --file "$golden_tmp/full"
	echo nonsense >"$golden_tmp/nonsense"
	told storus reservations --file "$golden_tmp/nonsense"
	told storus reservations --file "$golden_tmp/nowhere"
	told storus weekly
	told storus weekly --torus 4x4 --output "$golden_tmp/w.html" --policy fcfs --policy easy --policy sjf trace.csv
	printf 'id,submit,run,nodes\n1,0,10,4\n' >"$golden_tmp/trace.csv"
	told storus weekly --torus 4x4 --output "$golden_tmp/w.html" "$golden_tmp/trace.csv"
}
golden plan-lines plan_lines
held()
{
	for reason in JobHeldUser AssocGrpNodeLimit BeginTime PartitionDown Reservation; do
		sed "s/reason=Dependency/reason=$reason/" cluster.snap >"$golden_tmp/held.snap"
		storus explain --snapshot "$golden_tmp/held.snap" 23 | sed -n '/cannot start/p'
	done
	sed 's/ end=1764003600//' cluster.snap >"$golden_tmp/endless.snap"
	storus explain --snapshot "$golden_tmp/endless.snap" 21 | grep 'held by'
}
sentences()
{
	printf 'name,cost\n' >"$golden_tmp/costs.csv"
	cat >"$golden_tmp/absent.yaml" <<-END
	toruses:
	  - {name: a, dims: [3, 3], absent: ["0,0"]}
	  - {name: b, dims: [2, 2]}
	END
	echo 'toruses: [{name: a, dims: [32, 32], strategy: semitorus-nep}]' >"$golden_tmp/trees.yaml"
	sed 's/"torus:2,0,0+2x2x1"/"torus:1,0,0+2x2x1"/' schedule.csv >"$golden_tmp/clash.csv"
	sed 's/"torus:2,0,0+2x2x1"/"torus:7,0,0+2x2x1"/' schedule.csv >"$golden_tmp/outside.csv"
	told on explain
	told storus explain 1 --torus 4x4 --busy 0,0+2x2
	told on defrag 2x2,4x4
	told on defrag 4x4 --costs "$golden_tmp/costs.csv"
	busy=
	for x in 0 4 8 12 16 20 24 28; do
		for y in 0 8 16 24; do
			busy="$busy --busy $x,$y+4x8"
		done
	done
	# shellcheck disable=SC2086
	told storus defrag --torus "$golden_tmp/trees.yaml" 64 --cost nodes $busy | sed 's/ --busy .*//'
	told on slots 2x2,4x4
	told storus map --watch --json --torus 4x4
	told storus map --torus 4x4 --busy 0,0+4x4
	told storus place --torus 4x4
	told storus place --torus "$golden_tmp/trees.yaml" --geometry 2x2 --all
	told storus map --torus 64x64x64x16 --block 1 --output "$golden_tmp/map.png"
	told storus map --watch --torus 4x4 </dev/null
	told storus link down b:0,0 1 --torus "$golden_tmp/absent.yaml"
	told storus ranks --torus 2x2x2x2 --region 0,0,0,0+2x2x2x2 --launch tpu
	told storus ranks --torus 4x4 --geometry 2x2 --hostfile=hydra --noheader
	told storus map --torus "$golden_tmp/absent.yaml" --busy 0,0+1x1
	told storus map --torus "$golden_tmp/absent.yaml" --busy a:0,0+1x1
	told storus map --torus "$golden_tmp/absent.yaml" --busy c:0,0+1x1
	told storus map --torus 4x4 --busy pod0:0,0+1x1
	told on reserve 2x2 --duration 5 --start soon --dry-run
	told on reserve 2x2 --duration long --dry-run
	told on reserve 2x2
	told on reserve 2x2 --duration 5
	told on reserve --duration 5
	told storus reserve 2x2 --duration 5 --torus 4x4
	told storus reserve 2x2 --duration 5 --torus 4x4 --dry-run
	told storus slots --torus 4x4x2 --schedule "$golden_tmp/clash.csv" --at 50 2x2
	told storus slots --torus 4x4x2 --schedule "$golden_tmp/outside.csv" --at 50 2x2
	told storus slots --torus 4x4x2 --schedule schedule.csv --at 5000 2x2
	told on what-if --compute 0.000001
	told on what-if --submit '--geometry=2x2 -t soon'
	told storus metrics --torus "$golden_tmp/trees.yaml" --shape 2x2 | grep -e "^\$" -e ^torus_places -e ^torus_slots
}
# A queue that the bound of computing does not reach the end of.
long_queue()
{
	cat <<-END
	torus-snapshot 1
	time 1764000000
	clock date
	source by hand
	machine torus.yaml
	| toruses:
	|   - name: torus
	|     dims: [64, 32, 32]
	| scheduler:
	|   discipline: conservative
	running id=1 user=ada start=1763999000 end=1764009000 limit=10000 place=torus:0,0,0+64x32x31
	END
	awk 'BEGIN { srand(1); for (i = 2; i < 20000; i++)
		printf "pending id=%d user=eve submit=%d limit=%d geometry=%dx%dx%d\n", i, 1763900000 + i,
			900 + 60 * int(rand() * 2000), 1 + rand() * 32, 1 + rand() * 32, 1 + rand() * 32 }'
}
# The time that the bound leaves depends on the machine.
bounded()
{
	long_queue >"$golden_tmp/long.snap"
	told storus explain --snapshot "$golden_tmp/long.snap" 19999 |
		sed 's/before [^ ]*, where/before TIME, where/'
	told storus reserve 64x32x31 --snapshot "$golden_tmp/long.snap" --start now+20000 --duration 5000 --dry-run |
		grep -v 'was to start' | sed 's/ends at [^ ]*, after/ends at TIME, after/; s/: [0-9]* waiting/: N waiting/'
}
# Shapes with more places than are listed: 1.3 GB for the list.
many()
{
	big=127x126x125
	{
		printf 'torus-snapshot 1\ntime 100\nmachine 128x128x128\n'
		for at in 0 40 80 120; do
			echo "running id=$((at + 1)) start=0 end=500 place=torus:$at,$at,$at+1x1x1"
		done
		echo "pending id=2 submit=10 limit=600 geometry=$big"
	} >"$golden_tmp/many.snap"
	for question in "slots 4x2x1" "metrics --shape 4x2x1" "defrag $big" "explain 2" \
		"reserve $big --duration 5 --dry-run"; do
		# shellcheck disable=SC2086
		told storus $question --snapshot "$golden_tmp/many.snap"
	done
}
# suggest with sbatch's words: who decides, and each word
suggest_words()
{
	for scheduler in torus backfill; do
		printf '\n-- sched/%s\n' $scheduler
		on snapshot | sed "s#^ *\"source\"#\"scheduler\": \"sched/$scheduler\",&#" >"$golden_tmp/$scheduler.snap"
		for words in '' '-w node16' '-w node[16-19]' '-w node[00-03] -p debug' '-x node[20-31]' '-n 4' '-n 9' \
			'-t 10'; do
			# shellcheck disable=SC2086  # words
			told storus suggest 4 $words --snapshot "$golden_tmp/$scheduler.snap" -o '%g|%s|%R' --noheader
		done
	done
	for words in '-w node16 -x node16' '-w node99' '-w node08 -p debug' '-n 2' '-n 0' '-C big' '-A physics'; do
		# shellcheck disable=SC2086  # words
		told on suggest 4 $words -t 30 -o '%g' --noheader
	done
}
# The live cluster, by commands that answer as Slurm's do in trouble.
# shellcheck disable=SC2016,SC2089,SC2090  # the fake commands are evaluated later
live()
{
	mkdir "$golden_tmp/bin" "$golden_tmp/live"
	echo ClusterName=x >"$golden_tmp/live/slurm.conf"
	echo 'toruses: [{name: a, dims: [2, 2], nodes: "n[0-3]"}, {name: b, dims: [4, 4]}]' >"$golden_tmp/live/torus.yaml"
	for command in squeue sinfo scontrol; do
		printf '#!/bin/sh\n[ -z "$%s" ] || eval "$%s"\n' $command $command >"$golden_tmp/bin/$command"
		chmod +x "$golden_tmp/bin/$command"
	done
	export SLURM_CONF="$golden_tmp/live/slurm.conf"
	sinfo='for n in 0 1 2 3; do echo "n$n|idle|0/1/0/1|debug|idle|1|none"; done'
	export sinfo squeue scontrol
	with_bin() # COMMAND...
	{
		told env "PATH=$golden_tmp/bin:$PATH" "$@" | sed "s#env PATH=[^ ]* [^ ]*/storus#storus#; s/20[0-9-]*T[0-9:]*/TIME/g"
	}
	with_bin "$golden_top/storus" slots 2x2
	with_bin "$golden_top/storus" node --job 17
	with_bin "$golden_top/storus" reserve 4x4 --duration 5
	squeue='echo what is this' with_bin "$golden_top/storus" slots 2x2
	sinfo='echo "sinfo: error: Unable to contact slurm controller" >&2; exit 1' with_bin "$golden_top/storus" slots 2x2
	sinfo='exit 1' with_bin "$golden_top/storus" slots 2x2
	scontrol='case $1 in create) echo "Error creating the reservation: Access/permission denied" >&2; exit 1; esac' \
		with_bin "$golden_top/storus" reserve 2x2 --duration 5
	scontrol='case $1 in create) echo "Reservation created: ada_1"; esac' with_bin "$golden_top/storus" reserve 2x2 --duration 5
	scontrol='echo "Requested reservation is invalid" >&2; exit 1' with_bin "$golden_top/storus" reserve --release later
	scontrol='echo ClusterName = x' with_bin "$golden_top/storus" reservations
	# sinfo joins nodes of one state: those whose CPUs do not tell who has a job are asked for
	sinfo='case "$*" in
		*--Node*--nodes=n[1-3],n[1-3],n[1-3]\ *) printf "n%s|resv|%s/0/0/1|debug|idle+reserved|1|none\n" 1 1 2 0 3 0 ;;
		*--Node*) echo "sinfo: error: asked for $*" >&2; exit 1 ;;
		*) echo "n0,odd@name,n[9-10]|idle|0/1/0/1|debug|idle|1|none"; for p in debug more; do echo "n[1-3]|resv|1/2/0/3|$p|idle+reserved|1|none"; done ;;
	esac' with_bin "$golden_top/storus" node n0 n1 n2 n3
	sinfo='case "$*" in *--Node*) exit 1 ;; *) echo "n[0-1]|resv|2/0/0/2|debug|idle+reserved|1|none"; echo "n[2-3]|drng|1/1/0/2|debug|mixed+drain|1|broken" ;; esac' \
		with_bin "$golden_top/storus" node n0 n1 n2 n3
	# what nodes have: features and CPUs
	sinfo='case "$*" in
		*Features*) printf "%s\n" "4|n[0-1]|big,fast" "2|n2,odd@name|fast" "2|n3|(null)" ;;
		*) for n in 0 1 2 3; do echo "n$n|idle|0/1/0/1|debug|idle|1|none"; done ;;
	esac'
	for words in '-C fast' '-C big&fast' '-C big|none' '-C none' '-C [a*2]' '-C a&b|c' '-n 8' '-n 9'; do
		# shellcheck disable=SC2086  # words
		with_bin "$golden_top/storus" suggest 2 $words -o '%g|%R' --noheader
	done
	# another shape for a waiting job: as a sentence and as a row
	for form in '' --json --csv '-o %i|%T' '--noheader -o start,job'; do
		# shellcheck disable=SC2086  # words
		scontrol='case $1 in show) echo "JobSubmitPlugins = torus" ;; esac' \
		squeue='case "$*" in *%A*) printf "17|17|17|%s\n" PENDING RUNNING ;; *) echo "PENDING|2026-01-31T12:00:00" ;; esac' \
			with_bin "$golden_top/storus" update 17 --geometry=2x2 $form
	done
	# cancelled before it started: it got no nodes
	scontrol='echo "JobId=9 UserId=ada(1) JobState=CANCELLED EligibleTime=2026-01-31T12:00:00 StartTime=2026-01-31T12:00:03 EndTime=2026-01-31T12:00:03 NumNodes=8 NodeList= AdminComment=torus:ask=4x2"' \
		with_bin "$golden_top/storus" explain 9
	# a job that Slurm does not show
	sinfo='echo "n[0-3]|alloc|1/0/0/1|debug|allocated|1|none"' with_bin "$golden_top/storus" node n0
	mv "$golden_tmp/live/torus.yaml" "$golden_tmp/torus.yaml"
	for words in 'node n0' 'ranks --geometry 2x2' 'suggest 4'; do
		# shellcheck disable=SC2086  # words
		with_bin "$golden_top/storus" $words | sed "s#$golden_tmp##g"
	done
	mv "$golden_tmp/torus.yaml" "$golden_tmp/live/torus.yaml"
}
without_slurm()
{
	mkdir "$golden_tmp/empty"
	SLURM_CONF="$golden_tmp/live/slurm.conf" told env "PATH=$golden_tmp/empty" "$golden_top/storus" slots 2x2 |
		sed "s#env PATH=[^ ]* [^ ]*/storus#storus#"
}
# What is mistyped is refused with the value, the cause and what to write; a wrong shape
# leaves no table, an option of the question is not dropped in silence.
mistyped()
{
	while read -r command words; do
		eval "told on $command $words" | sed 's/ --snapshot cluster.snap//'
	done <<-'END'
	place --geometry 2x2 --conn-type ''
	place --geometry 2x2 --conn-type open
	place --geometry 2x2 --conn-type T,T
	place --geometry 4x2 2x2
	place 4x2 --geometry 2x2
	place --geometry 2x2 --placement submesh
	map 2x2 --fit 4x2
	windows 2x2 --geometry 4x2
	slots 2 x 2
	slots 2x2 8x8 --noheader --partition main
	slots -N8
	suggest 4 --geometry 2x2
	suggest 8:aspect=1.5
	suggest '2x2*2'
	suggest 2x2@1h
	suggest 1000
	suggest 8 --min-bisection 99 --ring
	suggest 8 --max-aspect 0
	suggest 8 -t 2h
	suggest --nodes=8
	suggest 8 --limit 30
	reserve 2x2 --start now --duration 90m --dry-run
	reserve 2x2 --geometry 4x2 --duration 60 --dry-run
	what-if --submit '--geometry=2x2 -t 90m'
	what-if --cancel 21,22
	defrag 4x4 --keep 11,12
	explain job=21
	explain 21.0
	END
	told storus update 17 4x4 --geometry=2x2
	told storus update 17 4x4 2x2
	told storus update 17.0 4x4
	on explain 21,22 | grep '^Job'
	told storus jobs 21
	told storus jobs ../sacct/accounts.sacct --since 7d
	told storus jobs ../sacct/accounts.sacct --user nobody --noheader
	told storus ranks 2x1 --torus 2x2 --noheader
	told storus place 2x2 --torus 4x4 --busy 0,0
}
no_reason() # Slurm has not said why it waits
{
	storus explain --snapshot behind.snap 3 --json | grep '^  "reason"'
}
golden bounded bounded
[ "$(sed -n 's/^MemAvailable: *\([0-9]*\) .*/\1/p' /proc/meminfo)" -lt 3000000 ] || golden many many
golden suggest-words suggest_words
golden live live
if emulated >/dev/null; then
	tap_skip without-slurm "QEMU answers that every program could be started"
else
	golden without-slurm without_slurm
fi
golden no-reason no_reason
golden mistyped mistyped
golden held held
golden sentences sentences
golden ages ages
golden every every
golden refused refused
golden_done
