#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# storus replay: schedules worked out by hand, the summary, transforms, bad
# input and what is said about it. The inputs are in replay/.
. "$(dirname "$0")/lib-golden.sh"

replay() # OPTION... TRACE
{
	storus replay --check --schedule - "$@"
}

# --- schedules by hand

# flat.csv, fcfs: 1 leaves one node; 2 waits for it until 10, and all others
# behind 2. At 10 jobs 2, 3 and 4 fill the machine; 5 needs all of it: 30; 6
# after it. 7 is larger than the machine; 8 runs for no time.
golden flat-fcfs replay --torus flat:4 --discipline fcfs flat.csv

# easy: the head 2 may start at 10. 3 ends at 7: it may overtake. 4 would end
# after 10, but then three nodes are free beside it, so it takes 3's node at 7.
# At 10: 2 starts; 5 may start at 27; 6 ends before that and takes the last.
golden flat-easy replay --torus flat:4 --discipline easy flat.csv

# mesh.csv, fcfs: 1, 2 and 3 fill the mesh. 4 needs 3x3: not before 1 ends at
# 20. 5 (2x4 when turned) must wait for it until 25, and 6 behind 5.
golden mesh-fcfs replay --torus 4x4:MM --discipline fcfs mesh.csv

# easy: at 10 half of the mesh is free. 5 would take it until 40 and leave no
# 3x3 at 20: refused. 6 (one node, also until 40) leaves one: it overtakes.
golden mesh-easy replay --torus 4x4:MM --discipline easy mesh.csv

# ladder.csv: alternatives, each from a wait on. 1 and 2 leave 2x2. 3 may have
# 4x2 from 10 on, and gets it when 2 ends at 20. 4 fits, but fcfs has 3 before
# it: at 30. 5 could never have 8x1, and has a line of three only at 35. 6 waits
# behind it, longer than for its second alternative.
golden ladder-fcfs replay --torus 4x4:MM --discipline fcfs ladder.csv

# easy and fpfs: 4 takes the 2x2 at once, before it may have less, and 5 its line
# at 30. 6 wakes the replay at 31.5 for one node.
golden ladder-easy replay --torus 4x4:MM --discipline easy ladder.csv
golden ladder-fpfs replay --torus 4x4:MM --discipline fpfs ladder.csv

# --- contention for links

# gupta.csv is the worked example of Gupta and Srimani (1997), section 2.4.4,
# with the finish times of ERRATA: 2 47/8 19/2 9 4 43/4. One at a time at 2: 4
# is slowed by 2 for 2/2 and by 3 for 4/2, and slows both likewise; 5 by 2 and
# 3 for 1/2 each. At 4, 6 (a quarter of each line) slows 2 by 1.5/4 and 3 by
# 4/4, and is slowed by the halves of both: 0.75 + 2.
golden contention-gupta replay --torus 8x8 --strategy subtorus \
	--discipline fcfs --contention gupta.csv

# limits.csv: C shares half a line with A and one with B, each for its run of 2:
# A ends at 5, B at 9, C at 5; by the limits (4 together) A at 12, B at 10. So
# the head, D, is expected to start at 12, and E (until 11) may overtake; it
# shares with A and B for 3: A ends at 6.5, B at 10.5, E at 8. Then D starts.
golden contention-limits replay --torus 8x8 --strategy subtorus \
	--contention limits.csv

# Without --contention E would delay the head, and waits.
golden contention-not replay --torus 8x8 --strategy subtorus limits.csv
golden contention-kill replay --torus 8x8 --strategy subtorus --overrun kill \
	--discipline conservative --contention overrun-links.csv
golden contention-extend replay --torus 8x8 --strategy subtorus \
	--overrun extend --discipline conservative --contention overrun-links.csv

# Boxes share nothing; of single nodes the model says nothing.
golden contention-boxes replay --torus 8x8 --contention gupta.csv
golden contention-flat replay --torus flat:64 --contention flat.csv

# --- the summary

# By hand, easy on flat.csv: waits 0 9 0 4 23 5 0; responses 10 19 5 24 27 11
# 0; slowdowns 1 1.9 1 1.2 2.7 1.1 1; work 30 20 5 20 16 6 0 over 4 nodes x
# 50 s. Left out is what depends on the machine that runs this.
summary()
{
	storus replay --torus flat:4 --discipline easy --json flat.csv |
		sed '/"placement_us"/,/}/d' |
		grep -Ev 'calls|wall|per_s"|rss|version|build'
}
golden summary summary

# Times of searches: the mean lies between 0 and the longest.
placement_times()
{
	storus replay --torus flat:4 --discipline easy --json flat.csv |
		awk -F '[":, ]+' '
			$2 == "placement_calls" { calls = $3 }
			$2 == "placement_us" { inside = 1; next }
			inside && /}/ { inside = 0 }
			inside { keys = keys " " $2; at[$2] = $3 }
			END {
				ok = at["mean"] > 0 && at["mean"] <= at["max"] &&
					at["median"] <= at["p99"] && at["p99"] <= at["max"]
				print calls keys, ok ? "plausible" : "not"
			}'
}
golden placement-times placement_times

table()
{
	storus replay --torus flat:4 flat.csv |
		grep -Ev '^(placement|wall|jobs per|peak)'
}
golden table table

# --- transforms

# Sizes halved and rounded up (2 1 1 1 2 1 3 2), times doubled, gaps halved.
golden transforms replay --torus flat:4 --scale 0.5 --run-scale 2 \
	--load-scale 2 --laxity 0.5 flat.csv

# 3 (until 55) fits before 2's start as long as 1 is said to run until 100;
# killed or said to end at 50, 1 makes room for 2 then, and 3 must wait.
for overrun in raise kill extend; do
	golden overrun-$overrun replay --torus flat:4 --overrun $overrun \
		overrun.csv
done

# --- input

sorted()
{
	replay --torus flat:4 - <<-EOF
	submit,run,nodes,id
	10,1,1,c
	5,1,1,b
	10,1,1,d
	0,1,1,a
	EOF
}
golden sorted sorted

window() # LINES that the last job stands too late
{
	{
		echo submit,run,nodes
		seq -f '%.0f,1,1' "$1"
		echo 0,1,1
	} | storus replay --torus flat:4 --schedule - - | wc -l
}
golden window-10000 window 10000
golden window-10001 window 10001

# Plain, gzipped, from a pipe, forced: the same schedule.
ways()
{
	gzip -c flat.csv >"$golden_tmp/flat.csv.gz"
	replay --torus flat:4 flat.csv >"$golden_tmp/1"
	replay --torus flat:4 "$golden_tmp/flat.csv.gz" |
		cmp - "$golden_tmp/1" &&
		replay --torus flat:4 - <flat.csv | cmp - "$golden_tmp/1" &&
		gzip -c flat.csv | replay --format csv --torus flat:4 - |
		cmp - "$golden_tmp/1"
}
golden ways ways

# --- bad input

golden bad-lines replay --torus flat:4 bad.swf
golden bad-lines-strict replay --torus flat:4 --strict bad.swf

many()
{
	{
		echo id,submit,run,nodes
		seq 25
		echo 1,0,10,4
	} | replay --torus flat:4 -
}
golden bad-lines-many many

# Nothing is written, not even an empty file; nothing old is touched.
outputs=$golden_tmp/outputs
mkdir "$outputs"
untouched() # OPTION...
{
	echo old >"$outputs/old.json"
	storus replay --json="$outputs/old.json" --schedule "$outputs/new.csv" \
		"$@" 2>&1 | sed "s|$golden_tmp|DIRECTORY|; s|expected one of [-a-z0-9, ]*|expected ...|"
	[ "$(ls "$outputs")" = old.json ] || ls "$outputs"
	[ "$(cat "$outputs/old.json")" = old ] || echo "it was changed"
}

files()
{
	gzip -c bad.swf | head -c 100 >"$golden_tmp/cut.swf.gz"
	{
		gzip -c flat.csv
		echo more
	} >"$golden_tmp/more.csv.gz"
	echo 'submit,run' >"$golden_tmp/columns.csv"
	: >"$golden_tmp/empty.csv"
	for file in cut.swf.gz more.csv.gz columns.csv empty.csv nothing.swf; do
		untouched --torus flat:4 "$golden_tmp/$file"
	done
	untouched --torus flat:4 "$golden_tmp"
	echo hello | untouched --torus flat:4 -
	untouched --torus flat:4 --strict bad.swf
}
golden files files

# Job 3 could start beside job 2 at once; a pass that looks at two jobs leaves it to
# the next, a second later.
pass_budget()
{
	printf '%s\n' id,submit,run,nodes 1,0,10,3 2,0,5,4 3,0,5,1 >"$golden_tmp/budget.csv"
	for budget in 2 3 1000s 0 0s 2x; do
		storus replay --torus flat:4 --pass-budget $budget --schedule - "$golden_tmp/budget.csv" 2>&1 |
			sed "s|; the longest.*||" | cut -d, -f1-4
	done
	storus replay --torus flat:4 --pass-budget 2 --json "$golden_tmp/budget.csv" 2>/dev/null |
		grep pass_
}
golden pass-budget pass_budget

usage()
{
	untouched
	untouched flat.csv
	untouched --torus flat:4
	untouched --torus flat:4 flat.csv flat.csv
	untouched --torus 0x4 flat.csv
	untouched --torus 70000x70000 flat.csv
	untouched --torus 4x4 --strategy submsh flat.csv
	untouched --torus flat:4 --discipline esay flat.csv
	untouched --torus flat:4 --format xml flat.csv
	untouched --torus flat:4 --nothere flat.csv
	untouched --torus flat:4 --stratgy flat flat.csv
	untouched --torus flat:4 --scale 0 flat.csv
	untouched --torus flat:4 --run-scale 1x flat.csv
	untouched --torus flat:4 --wait-limit=-5 flat.csv
	untouched --torus flat:4 --max-jobs 0 flat.csv
	untouched --torus flat:4 --processors all flat.csv
	untouched --torus flat:4 --check=yes flat.csv
	untouched --torus flat:4 --torus
	untouched --torus flat:4 --schedule=- --json=- flat.csv
	untouched --torus flat:4 --run-scale 1e17 flat.csv
	untouched --torus 4x4 --scale 2 mesh.csv
	for words in '--mean-hold 3' '--arrival-queue 3' --phase2 \
		'--preempt-overhead 3' '--choice stacking' --eat \
		'--discipline stacking' '--discipline buddy-rt --eat' \
		'--discipline dedf --mean-hold 3 --choice stacking' \
		'--discipline dedf --mean-hold 3 --preempt-overhead 3' \
		'--discipline dedf-replan --mean-hold 3 --eat' \
		'--discipline dedf --choice nearest' \
		'--discipline dedf --arrival-queue 0'; do
		# shellcheck disable=SC2086 # words
		untouched --torus flat:4 $words flat.csv
	done
}
golden usage usage

# An output that is the trace, the machine's file or the other output.
overwrite()
{
	cp flat.csv "$golden_tmp/own.csv"
	printf 'toruses:\n- name: p\n  dims: [4]\n  nodes: n[0-3]\n' \
		>"$golden_tmp/own.yaml"
	ln -s own.csv "$golden_tmp/link.csv"
	cd "$golden_tmp" || return
	set -- --torus own.yaml own.csv
	for words in '--schedule own.csv' '--json=own.csv' \
		'--schedule ./link.csv' '--json=same --schedule=same' \
		'--schedule own.yaml' '--json --schedule -'; do
		# shellcheck disable=SC2086 # words
		storus replay $words "$@"
		echo "$? $words"
	done
	cmp own.csv "$golden_dir/flat.csv"
	cat own.yaml
	[ ! -e same ] || echo "same was written"
	storus replay --json=/dev/null --schedule=/dev/null "$@" >/dev/null
	echo "$? both to a device"
}
golden overwrite overwrite

statuses()
{
	for arguments in '' '--help' '--version' 'replya' '--hlep' 'replay' \
		'replay --help' 'replay --torus flat:4 nothing' \
		'replay --torus flat:4 --json=/no/where flat.csv'; do
		# shellcheck disable=SC2086 # words
		storus $arguments >/dev/null 2>&1
		echo "$? $arguments"
	done
	storus replay --torus flat:4 --json flat.csv 2>/dev/null >/dev/full
	echo "$? a full disk behind stdout"
	(
		trap '' XFSZ
		ulimit -f 0
		storus replay --torus flat:4 --schedule "$outputs/s.csv" \
			flat.csv 2>/dev/null
		echo "$? no room for a file"
	) | cat
	ls "$outputs"
}
golden statuses statuses
# A window between warm-up and cool-down, and the users of it.
trim()
{
	cat >"$golden_tmp/t.csv" <<-END
	submit,run,nodes,user
	0,30,4,ann
	20,20,2,bob
	40,40,1,ann
	60,5,8,eve
	100,20,2,bob
	END
	storus replay --torus flat:4 --discipline fcfs --trim 20,40% \
		--per-user "$golden_tmp/t.csv" | sed '1d;/^placement/d;/^wall/d;/^peak/d;/^jobs per/d'
	storus replay --torus flat:4 --trim 20,40% --per-user --json \
		"$golden_tmp/t.csv" | sed -n '/"trim"/,/^  ]/p'
	for trim in 50% 1,2,3 x 10,% -1 101 1e3; do
		(cd "$golden_tmp" && storus replay --torus flat:4 --trim $trim t.csv)
		echo "$?"
	done
}
golden trim trim
# What planners ask: a longest limit, deadlines of a share of the jobs, energy, and
# runs that go on from their checkpoints.
planner()
{
	cat >"$golden_tmp/p.csv" <<-END
	id,submit,run,nodes,limit
	1,0,7200,4,10800
	2,10,3600,2,7200
	3,20,600,4,3600
	4,30,300,1,900
	END
	storus replay --torus flat:4 --limit-max 1h --schedule - "$golden_tmp/p.csv" |
		grep '^[0-9id]*,'
	storus replay --torus flat:4 --node-power 400W,0.12kW "$golden_tmp/p.csv" |
		grep -E '^(utilization granted|energy|last end)'
	storus replay --torus flat:4 --laxity 1 --deadline-share 0.5 --json \
		"$golden_tmp/p.csv" | grep -E 'miss_ratio|deadline_share'
	for checkpoint in '' '--checkpoint 10m'; do
		# shellcheck disable=SC2086
		storus replay --torus flat:4 --faults 2h,5m --seed 3 $checkpoint \
			"$golden_tmp/p.csv" | grep -E 'lost|requeued|last end'
	done
	for alone in '--checkpoint 1h' '--deadline-share 0.5'; do
		# shellcheck disable=SC2086
		storus replay --torus flat:4 $alone "$golden_tmp/p.csv" >/dev/null
	done
	for wrong in '--limit-max 0' '--checkpoint x' '--node-power 400' \
		'--deadline-share 2' '--node-power 1W,2V'; do
		# shellcheck disable=SC2086
		storus replay --torus flat:4 $wrong "$golden_tmp/p.csv"
		echo "$?"
	done
}
golden planner planner
# Nodes out of service: no job overlaps, and plans know it ahead. By hand: job 2 of two
# hours cannot end before the outage, jobs 3 and 4 can; a day needs more than the time
# between daily outages. 2024-01-02 is the first Tuesday, 2024-01-26 the last Friday.
outage()
{
	cat >"$golden_tmp/o.csv" <<-END
	id,submit,run,nodes,limit
	1,0,7200,4,7200
	2,10,7200,2,7200
	3,20,600,4,600
	4,30,300,1,300
	5,40,86400,1,86400
	END
	cat >"$golden_tmp/d.csv" <<-END
	id,submit,run,nodes,limit
	1,1704178800,7200,4,7200
	2,1707202800,7200,4,7200
	3,1706223600,7200,4,7200
	END
	for words in '10800 +1h' 'every day 03:00 +1h'; do
		storus replay --check --torus flat:4 --outage "$words" --schedule - \
			"$golden_tmp/o.csv" | cut -d, -f1-5 | grep '^[0-9]'
	done
	storus replay --torus flat:4 --outage 'first Tue 08:00 +8h' \
		--outage 'last Fri 00:00 +2h 0-1' --schedule - "$golden_tmp/d.csv" |
		cut -d, -f1-5 | grep '^[0-9]'
	storus replay --torus flat:4 --outage 2024-01-02T08:00:00\ +8h --json \
		"$golden_tmp/d.csv" | sed -n '/"outage"/,/]/p'
	storus replay --torus flat:4 --outage '2024-01-02  08:00 +8h' --schedule - \
		"$golden_tmp/d.csv" | cut -d, -f1-5 | grep '^1,'
	for wrong in 'first Tue +8h' 'Tue 8 +1h' 'first day 08:00 +1h' '' \
		'Mon 08:00 +0' 'Mon 08:00 +1h 0-9' '2024-01-02 25:00 +1h'; do
		storus replay --torus flat:4 --outage "$wrong" "$golden_tmp/d.csv"
		echo "$?"
	done
	storus replay --torus flat:4 --recorded --outage '0 +1h' "$golden_tmp/d.csv"
}
golden outage outage
# easy: the head 2 must wait for the end of the outage, at 13,600. So 3 has a reservation, from
# 1,000 on: 4 would delay it and waits until 2,000; 5 ends before and overtakes. 6 could not
# end before the outage either, and gets none: 7 overtakes it.
outage_easy()
{
	cat >"$golden_tmp/easy.csv" <<-END
	id,submit,run,nodes,limit
	1,0,1000,2,1000
	2,10,20000,4,20000
	3,20,1000,4,1000
	4,30,2000,2,2000
	5,40,900,2,900
	6,50,10000,1,10000
	7,60,1000,1,1000
	END
	storus replay --check --torus flat:4 --outage '10000 +1h' --schedule - \
		"$golden_tmp/easy.csv" | cut -d, -f1-4 | grep '^[0-9]'
}
golden outage-easy outage_easy
# Every discipline keeps clear of the outage from 10,800 to 14,400 s.
outage_all()
{
	cat >"$golden_tmp/all.csv" <<-END
	id,submit,run,nodes,limit,deadline
	1,0,7200,4,7200,100000
	2,10,7200,2,7200,100000
	3,20,600,4,600,100000
	4,30,300,1,300,90000
	END
	for discipline in fcfs mpfs lpfs sjf lpt fpfs fpmpfs fplpfs easy conservative \
		'dedf --mean-hold 3' 'dedf-replan --mean-hold 3' \
		'buddy-rt --strategy subcube-buddy' 'stacking --strategy subcube-buddy'; do
		# shellcheck disable=SC2086
		storus replay --torus 2x2 --outage '10800 +1h' --discipline $discipline \
			--schedule - "$golden_tmp/all.csv" |
			awk -F, -v d="$discipline" '$5 == "completed" {
				n++
				over += $3 < 14400 && $4 > 10800
			} END { print d, n, over + 0 }'
	done
}
golden outage-all outage_all
# A job's own WaitLimit; minimum laxity first; a summary with another bound.
own_limits()
{
	cat >"$golden_tmp/own.csv" <<-END
	id,submit,run,nodes,limit,wait_limit,deadline
	1,0,100,4,100,,1000
	2,1,50,4,50,30s,1000
	3,2,10,1,10,,60
	4,40,10,1,10,,70
	5,41,10,1,10,0,
	END
	for words in fpfs lpfs mlf 'fpfs --wait-limit 0' easy; do
		# shellcheck disable=SC2086
		storus replay --torus flat:5 --discipline $words --schedule - "$golden_tmp/own.csv" 2>&1 |
			cut -d, -f1-5
	done
	for bound in 10s 100s 0; do
		storus replay --torus flat:5 --slowdown-bound $bound --json "$golden_tmp/own.csv" |
			grep -e mean_bounded -e offered_load -e '"slowdown_bound'
		storus replay --torus flat:5 --slowdown-bound $bound "$golden_tmp/own.csv" 2>&1 |
			grep -o -e '^mean bounded.*' -e '^offered load.*' -e 'placement time, mean'
	done
	sed 's/30s/soon/' "$golden_tmp/own.csv" | storus replay --torus flat:5 - 2>&1 | head -n 1
}
golden own-limits own_limits
# Partitions with nodes of their own, and users with more jobs or fewer.
people()
{
	cat >"$golden_tmp/u.csv" <<-END
	id,submit,run,nodes,user,partition,limit
	1,0,100,4,bob,debug,100
	2,10,100,4,ann,big,100
	3,20,100,2,bob,debug,100
	4,30,100,1,ann,big,100
	END
	for words in '--partition debug=0-1,4-5' '--partition debug,debug=0-3' \
		'--users bob*2,ann*0.5 --partition debug=0-3' \
		'--partition debug=0-30' '--users bob' '--users bob*-1'; do
		# shellcheck disable=SC2086
		storus replay --torus flat:16 $words --schedule - "$golden_tmp/u.csv" |
			sed -n 's/^\([0-9~]*,.*\),flat,.*/\1/p'
		echo "$words"
	done
}
golden people people
# --max-jobs counts the jobs of the file that the choice leaves, not the copies that --users
# makes or the jobs that it omits.
first_jobs()
{
	for words in '--users bob*3' '--users bob*0' '--users ann*0.5' '--partition big --users ann*2'; do
		# shellcheck disable=SC2086
		storus replay --torus flat:16 --max-jobs 2 $words --schedule - \
			"$golden_tmp/u.csv" | cut -d, -f1-4 | grep '^[0-9]'
		echo "$words"
	done
}
golden first-jobs first_jobs
# Outages, windows and limits that no job of the trace meets are said; one that some job
# meets is not. KTH's kind of clock: from 0, with a date of its beginning.
unmet()
{
	cat >"$golden_tmp/when.csv" <<-END
	id,submit,run,nodes,limit,partition
	1,1709287200,3600,4,7200,debug
	2,1709290800,3600,4,,main
	END
	printf '; UnixStartTime: 1709287200\n%s\n%s\n' \
		'1 0 0 3600 4 -1 -1 4 7200 -1 1 1 1 -1 -1 -1 -1 -1' \
		'2 3600 0 3600 4 -1 -1 4 7200 -1 1 1 1 -1 -1 -1 -1 -1' >"$golden_tmp/when.swf"
	while IFS= read -r words; do
		for file in when.csv when.swf; do
			echo "-- $file $words"
			eval "storus replay --torus flat:8 $words '$golden_tmp/$file'" 2>&1 >/dev/null |
				grep -v 'replayed on one\|no time limit'
		done
	done <<-END
	--outage '2020-01-01T00:00:00 +8h 0-3'
	--outage '2030-01-01 +8h' --outage '2024-03-01T10:30:00 +1h 0-3'
	--outage 'first Tue 08:00 +8h'
	--outage 'every day 10:00 +1h'
	--outage '2024-03-01T12:00:00 +1h'
	--outage '2024-03-01T10:30:00 +1h 0-8'
	--outage '2024-03-01T10:30:00 +1h 5-3'
	--from 2030-01-01
	--to 2024-03-01T10:00:00
	--from 2019-01-01 --to 2020-01-01
	--from 1990-01-01
	--to 1990-01-01
	--cluster ,
	--cluster a,,b
	--default-limit test=1h,main=2h,3h
	END
}
golden options-that-no-job-meets unmet
# Options that need sacct's columns, of a file without them.
columns_of_sacct()
{
	for words in '--size cpus' '--size gpus' '--arrivals eligible' '--size nodes' \
		'--arrivals submit'; do
		# shellcheck disable=SC2086
		storus replay --torus flat:4 $words "$golden_tmp/when.swf" | grep 'mean wait'
	done
	storus replay --torus flat:4 --size cpus "$golden_tmp/when.csv" | grep 'mean wait'
}
golden columns-of-sacct columns_of_sacct
# Commands that would ignore nodes of partitions, or compare copies with a history.
people_elsewhere()
{
	for command in tune parity weekly generate validate; do
		for words in '--partition debug=0-3' '--users bob*2'; do
			# shellcheck disable=SC2086
			storus $command $words --torus nosuch.yaml nosuch.csv
			echo "$command $words $?"
		done
	done
}
golden people-elsewhere people_elsewhere
# smp.swf is of two nodes with four processors each: said, and how to make
# nodes of them
golden smp replay --torus flat:2 smp.swf
golden smp-scale replay --torus flat:2 --scale 0.25 smp.swf

# Faults by a seed: jobs start again on other nodes, or are over as failed; links
# that fail end no run. The same seed gives the same faults under every discipline.
faults()
{
	storus replay --torus 4x4:MM --check --schedule - "$@" faults.csv
}
golden faults-nodes faults --faults 300,60
golden faults-often faults --faults 40,20s --discipline fcfs
golden faults-links faults --faults 10m,10m,links --seed 5
golden faults-both faults --faults 30m,60 --faults 10m,10m,links
faults_sums()
{
	for discipline in easy fcfs; do
		storus replay --torus 4x4:MM --json --discipline $discipline \
			--faults 300,60,nodes --faults 10m,10m,links faults.csv |
			sed -n '/"faults"/,/[]}]/p'
	done
	storus replay --torus 4x4:MM --faults 300,60 --faults 10m,10m,links \
		faults.csv | grep -E 'fault|runs|lost|failed'
}
golden faults-sums faults_sums
faults_wrong()
{
	for words in 300 300,60,link 300,-60 0,60 300,0 300,1e9 \
		99999999999999d,1h 300,60,links,links ,60 '300,60 ' ''; do
		faults --faults "$words"
		echo "status $?"
	done
	faults --faults 300,60 --faults 300,60,nodes
}
golden faults-wrong faults_wrong
golden faults-flat storus replay --torus flat:16 --faults 300,60,links faults.csv
golden faults-strategy storus replay --torus 4x4 --strategy submesh-tbl \
	--faults 300,60,links faults.csv
golden_done
