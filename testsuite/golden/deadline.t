#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# storus replay with deadlines: Table 1 of Mohapatra, phase 2, best-effort jobs,
# wrong estimates, and what torus.yaml may say. Schedules worked out by hand.
. "$(dirname "$0")/lib-golden.sh"

replay() # OPTION... TRACE
{
	storus replay --check --schedule - "$@"
}

# Buddy/RT and Stacking reject J4; dedf answers J4 before J3. With the queue full
# at 1 there is still the window 2 to 4 on nodes 4-7, unless --eat.
for discipline in buddy-rt stacking dedf dedf-replan; do
	case $discipline in
	dedf*) hold='--mean-hold 3' ;;
	*) hold= ;;
	esac
	# shellcheck disable=SC2086 # words
	golden table1-$discipline replay --torus 2^4 --strategy subcube-buddy \
		--discipline $discipline $hold table1.csv
done
golden table1-full replay --torus 2^4 --strategy subcube-buddy \
	--discipline dedf --mean-hold 3 --arrival-queue 1 table1.csv
golden table1-full-eat replay --torus 2^4 --strategy subcube-buddy \
	--discipline dedf --mean-hold 3 --arrival-queue 1 --eat table1.csv

# long is answered at 0 by the full queue, and runs. wide fits by 12 only if long
# gives way: at 2 with an overhead of 1 everything is planned from 3 on, wide 3-7,
# the other 18 of long from 7 on. late could be in time only if it began by 4;
# then wide, after it, would end at 13: rejected.
golden preempt replay --torus flat:4 --discipline dedf --mean-hold 3 \
	--arrival-queue 1 --phase2 --preempt-overhead 1 preempt.csv

# a runs 0-4. d, answered at 1 by the full queue, has nodes 0-3 from 4 to 8. c
# fits beside a; b (2 nodes) at 8 when d is over; e at 3 would meet d: it waits
# till 8 as well. f is larger than the machine; g's deadline was never possible.
golden mixed replay --torus flat:4 --discipline dedf --arrival-queue 1 mixed.csv

# a said 4 and runs 9: b and c, promised 4-7 and 7-9, are moved; b is late then.
for overrun in kill extend; do
	golden overrun-$overrun replay --torus flat:4 --discipline dedf \
		--mean-hold 100 --overrun $overrun overrun.csv
done

# Miss ratios: 1 of 4 jobs; 8 of 60 node seconds. Each job is one question for a
# sub-cube; long of preempt.csv is preempted once.
summary()
{
	storus replay --torus 2^4 --strategy subcube-buddy \
		--discipline stacking --json table1.csv |
		grep -E 'completed|rejected|missed|miss_ratio|placement_calls'
	storus replay --torus flat:4 --discipline dedf --mean-hold 3 --arrival-queue 1 \
		--phase2 --preempt-overhead 1 --json preempt.csv | grep preemptions
}
golden summary summary

# laxity F: deadline = submit + run x (1 + F). At 0 only who starts at once is in
# time.
golden laxity replay --torus flat:4 --discipline dedf --mean-hold 1 \
	--laxity 0 table1.csv

yaml() # LINE...
{
	printf '%s\n' 'toruses:' '- {name: cube, dims: [2, 2, 2, 2], strategy: subcube-buddy}' \
		'scheduler:' "$@" >"$golden_tmp/torus.yaml"
	storus check-config "$golden_tmp/torus.yaml" 2>&1 |
		sed "s|$golden_tmp/||; s|known: .*|known: ...|"
}

configured()
{
	yaml '  discipline: dedf' '  mean_hold: 3s' \
		'  options: {arrival_queue: 4, phase2: true, preempt_overhead: 2s, choice: first-fit, eat: true}'
	yaml '  discipline: dedf' '  mean_hold: 0-00:00:03' '  options: {windows: eat}'
	yaml '  discipline: dedf' '  mean_hold: 3s' '  options: {windows: atw, eat: true}'
	yaml '  discipline: dedf-replan' '  mean_hold: 3s' \
		'  options: {lead: 2.5}'
	yaml '  discipline: stacking' '  options: {phase2: true}'
}
golden configured configured

refused()
{
	yaml '  discipline: easy' '  mean_hold: 3s'
	yaml '  discipline: stacking' '  mean_hold: 3s'
	yaml '  discipline: fcfs' '  options: {phase2: true}'
	yaml '  discipline: dedf' '  options: {phase2: maybe, arrival_queue: 0, choice: best, eat: all, preempt_overhead: -1}'
	yaml '  discipline: dedf' '  options: {preempt_overhead: 2}'
	yaml '  discipline: stacking' '  options: {choice: earliest}'
	sed -i 's/, strategy: subcube-buddy//' "$golden_tmp/torus.yaml"
	for words in 'discipline: stacking' 'discipline: buddy-rt' \
		'discipline: dedf
  options: {choice: stacking}'; do
		sed '/scheduler/,$d' "$golden_tmp/torus.yaml" >"$golden_tmp/mesh.yaml"
		printf 'scheduler:\n  %s\n' "$words" >>"$golden_tmp/mesh.yaml"
		storus check-config "$golden_tmp/mesh.yaml" 2>&1 |
			sed "s|$golden_tmp/||"
	done
}
golden refused refused

# A discipline on the command line takes the place of the file's, its settings
# included.
replaced()
{
	yaml '  discipline: dedf' '  mean_hold: 3s' '  options: {eat: true}' \
		>/dev/null
	replay --torus "$golden_tmp/torus.yaml" table1.csv
	replay --torus "$golden_tmp/torus.yaml" --discipline easy table1.csv
}
golden replaced replaced
golden_done
