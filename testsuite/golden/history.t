#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The history as a policy, and whether a replay may be trusted: storus replay --recorded,
# the policy `recorded` of a campaign, storus validate. Each case can be checked by hand.
. "$(dirname "$0")/lib-golden.sh"
TZ=UTC
export TZ
cd "$golden_tmp" || exit 1

# A machine of 4: job 2 waits beside two idle nodes for an hour; job 3 has its region; 4 is
# larger than the machine; 5 has not started; 6 takes no time.
cat >jobs.sacct <<'X'
JobID|User|Submit|Eligible|Start|End|ElapsedRaw|NNodes|TimelimitRaw|State|AdminComment
1|ann|1000|1000|1010|4610|3600|2|120|COMPLETED|
2|bob|1000|1000|4610|8210|3600|2|120|COMPLETED|
3|bob|8300|8300|8300|8360|60|2|10|COMPLETED|torus:ask=2x1 torus:place=torus:0,1+2x1;orientation=0,-;ring=TT
4|ann|9000|9000|9000|9100|100|8|10|COMPLETED|
5|cho|9010|9010|Unknown|Unknown|0|1|10|PENDING|
6|cho|9020|9020|9030|9030|1|1|10|COMPLETED|
X
recorded()
{
	storus replay --torus 2x2 --recorded "$@" jobs.sacct --schedule - 2>said
	cat said
}
at() { (cd "$golden_tmp" && "$@"); }
golden the_history_has_its_starts_its_ends_and_the_places_of_the_trace at recorded
golden recorded_is_a_discipline_by_name at recorded --discipline recorded
refused()
{
	for option in '--discipline fcfs' '--strategy flat' '--load-scale 2' \
		'--run-scale 2' '--overrun kill' '--faults 30d,4h' '--option bound=1h'; do
		# shellcheck disable=SC2086  # words
		storus replay --torus 2x2 --recorded $option jobs.sacct
	done
	printf 'id,submit,run,nodes\n1,0,10,1\n' >startless.csv
	storus replay --torus 2x2 --recorded startless.csv
	echo "status $?"
}
golden what_contradicts_the_history_is_refused at refused

# Waits of SWF; -1: unknown.
cat >jobs.swf <<'X'
; UnixStartTime: 0
1 0 10 100 2 -1 -1 2 200 -1 1 7 1 1 1 -1 -1 -1
2 5 105.5 50 4 -1 -1 4 60 -1 1 8 1 1 1 -1 -1 -1
3 6 -1 50 1 -1 -1 1 60 -1 1 8 1 1 1 -1 -1 -1
X
swf() { storus replay --torus flat:4 --recorded jobs.swf --schedule -; }
golden waits_of_swf_are_starts at swf

# Percentiles of waits are those of the summary: of ten the fifth is the median.
percentiles()
{
	echo '; UnixStartTime: 0' >ten.swf
	for job in 1 2 3 4 5 6 7 8 9 10; do
		echo "$job 0 $((job * 10)) 100 1 -1 -1 1 100 -1 1 1 1 1 1 -1 -1 -1"
	done >>ten.swf
	storus replay --torus flat:1 ten.swf --json | jq -c .wait_s
	storus validate --torus flat:1 ten.swf --json 2>/dev/null | jq -c .replay.wait_s
}
golden percentiles_are_those_of_the_summary at percentiles

# The pages and maps of a schedule.
drawn()
{
	storus replay --torus 2x2 --recorded --schedule h.csv jobs.sacct >/dev/null 2>&1
	storus map --torus 2x2 --schedule h.csv --at 8310
	storus report h.csv --output h.html && test -s h.html && echo a page
}
golden a_recorded_schedule_is_drawn_as_any_other at drawn
# Jobs that shared nodes, and one without a place: the map says what it cannot show.
unplaced()
{
	cat >shared.sacct <<-X
	JobID|User|Submit|Eligible|Start|End|ElapsedRaw|NNodes|TimelimitRaw|State|AdminComment
	1|a|1000|1000|1000|2000|1000|2|120|COMPLETED|torus:ask=2x1 torus:place=torus:0,0+2x1;orientation=0,-;ring=T
	2|b|1000|1000|1500|2000|500|2|120|COMPLETED|torus:ask=2x1 torus:place=torus:1,0+1x2;orientation=-,0;ring=T
	3|c|1000|1000|1500|2000|500|1|120|COMPLETED|
	4|d|1000|1000|1700|2000|300|1|120|COMPLETED|
	X
	storus replay --torus 2x2 --recorded --schedule shared.csv shared.sacct >/dev/null
	storus map --torus 2x2 --schedule shared.csv --at 1600
	storus report shared.csv --output shared.html && test -s shared.html && echo a page
}
golden a_map_says_what_ran_where_it_cannot_show_it at unplaced

campaign()
{
	cat >c.yaml <<-X
	traces: [jobs.sacct, {model: aida-uniform, jobs: 5}]
	machines: ['2x2']
	strategies: [submesh, flat]
	disciplines: [recorded, easy]
	load_scales: [1, 2]
	X
	storus sweep c.yaml --dry-run 2>&1
	sed -i 's/, {model.*}//; /^strategies/d; s/\[1, 2\]/[1]/' c.yaml
	storus sweep c.yaml --output c.db 2>&1
	storus sweep c.yaml --output c.db --common 50 --compare recorded easy | cut -c1-42
	echo 'options: {overrun: kill}' >>c.yaml
	storus sweep c.yaml --output c.db 2>&1
}
golden a_campaign_has_the_history_once_per_file at campaign

validate()
{
	storus validate --torus 2x2 --discipline easy "$@" jobs.sacct 2>&1
	echo "status $?"
}
golden a_replay_that_differs_is_not_trusted at validate
numbers()
{
	storus validate --torus 2x2 --discipline easy --json jobs.sacct 2>/dev/null |
		sed 's/"\(version\|build\|command\)": ".*"/"\1": ""/'
}
golden validate_has_numbers at numbers

# The schedule of a replay, written as a trace, is the history of that policy: trusted with
# it, not with another. All starts 10 s late: trusted, too; parity says what it counts.
loop()
{
	awk 'BEGIN { srand(7); t = 0
		print "id,submit,run,nodes,limit"
		for (i = 1; i <= 400; i++) {
			t += int(rand() * 900); r = 60 + int(rand() * rand() * 9000)
			print i "," t "," r "," 1 + int(rand() * rand() * 16) "," 2 * r
		} }' >loop.csv
	storus replay --torus flat:16 --discipline easy loop.csv --schedule loop.s.csv >/dev/null
	awk -F, -v late="$1" 'BEGIN { print "JobID|User|Submit|Eligible|Start|End|ElapsedRaw|NNodes|TimelimitRaw|State" }
		NR == FNR { limit[$1] = $5; next } FNR > 1 {
		print $1 "|u|" $2 "|" $2 "|" $3 + late "|" $4 + late "|" $4 - $3 "|" $6 "|" limit[$1] / 60 "|COMPLETED" }' \
		loop.csv loop.s.csv >loop.sacct
	for policy in easy fcfs; do
		storus validate --torus flat:16 --discipline $policy loop.sacct | head -n 4
	done
	storus parity --torus flat:16 --discipline easy loop.sacct 2>&1 | head -n 7 | cut -c1-150
}
golden a_schedule_is_trusted_with_its_own_policy_only at loop 0
golden starts_that_are_ten_seconds_late_are_trusted at loop 10
golden starts_that_are_late_by_an_interval_are_trusted at loop 45
wrong()
{
	storus validate --torus 2x2
	storus validate --torus 2x2 - <jobs.sacct
	storus validate --torus 2x2 --discipline recorded jobs.sacct
	storus validate --torus 2x2 startless.csv
	echo "status $?"
}
golden what_validate_needs at wrong
# A trace without time limits, with a queue that grows, is said to be one, in JSON, too.
tuned()
{
	cd "$golden_tmp" || return
	awk 'BEGIN { print "id,submit,run,nodes,partition"
		for (i = 1; i <= 60; i++)
			print i "," i * 300 "," 100 + i * 7919 % 3000 "," 1 + i % 4 ",p" i % 2 }' \
		>grows.csv
	storus tune --torus flat:6 grows.csv 2>&1
	storus tune --torus flat:6 grows.csv --json 2>/dev/null |
		jq -c '.test.chosen | [.kept, .growing, .estimates_missing, .limit_accuracy]'
}
golden tuned tuned
# So is it by validate: here the history had room, the replay has not.
validated()
{
	cd "$golden_tmp" || return
	awk -F , 'NR == 1 { print "JobID|User|Submit|Eligible|Start|End|ElapsedRaw|NNodes|TimelimitRaw|State" }
		NR > 1 { print $1 "|a|" $2 "|" $2 "|" $2 "|" $2 + $3 "|" $3 "|" $4 "|99|COMPLETED" }' \
		grows.csv >grows.sacct
	storus validate --torus flat:6 grows.sacct 2>/dev/null | grep -A 1 growing
	storus validate --torus flat:6 grows.sacct --json 2>/dev/null |
		jq -c '[.history.growing, .replay.growing]'
}
golden validate_names_a_queue_that_grows validated

golden_done
