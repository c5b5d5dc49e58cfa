#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The page of storus report in a real browser (Chromium without a screen): no
# complaint on its console, the slider moves the map, keys and pointer work,
# its numbers are those of the JSON. Skipped where there is no Chromium.

. "$(dirname "$0")/lib-page.sh"

cd "$tmp" || exit 1
storus generate bani-uniform --jobs 400 --seed 7 >jobs.csv
for d in fcfs easy; do
	storus replay --torus 8x8x8 --discipline $d --schedule $d.csv \
		--json=$d.json jobs.csv >/dev/null
done

two()
{
	storus report fcfs.csv easy.csv --title 'a <b> & "c"' --output two.html
}
check "two schedules" two
browse two.html 1280
check "used with pointer and keys" findings 36
check "nothing on the console" quiet

browse two.html 400 dark
check "at 400 pixels" findings 36
check "nothing on the console at 400 pixels" quiet

# Five dimensions, and two toruses: the layout is that of storus map.
shapes()
{
	storus generate aida-uniform --torus flat:96 --jobs 60 --load 2 \
		>small.swf &&
		storus replay --torus 2x2x2x3x4 --schedule five.csv small.swf &&
		storus report five.csv --torus 2x2x2x3x4 --output five.html &&
		printf '%s\n' 'toruses:' '  - {name: a, dims: [6, 4, 4]}' \
			'  - {name: b, dims: [48]}' >toruses.yaml &&
		storus replay --torus toruses.yaml --schedule pods.csv small.swf &&
		storus report pods.csv --torus toruses.yaml --output pods.html
}
check "other machines" shapes
browse five.html 400
check "five dimensions" findings 36
browse pods.html 1280 dark
check "two toruses" findings 36

# Without the JSON the page works the measures out: the same numbers.
derived()
{
	mkdir alone && cp easy.csv alone &&
		storus report alone/easy.csv --torus 8x8x8 >alone/one.html
}
check "one schedule alone" derived
browse alone/one.html 1280
check "measures worked out" findings 36
same()
{
	for key in mean_wait_s utilization mean_bounded_slowdown completed \
		last_end_s mean_queue_length; do
		a=$(jq ".$key" easy.json)
		b=$(sed -n '/id="data"/,/<\/script>/p' alone/one.html |
			sed '1s/.*id="data">//; $s/<\/script>.*//' |
			jq ".schedules[0].summary.$key")
		echo "$key $a $b"
		[ "$a" = "$b" ] || return 1
	done
}
check "the same numbers as the JSON" same

# A trace with an epoch and users, on a machine with a link that is down: dates,
# groups, hours of the week, rings; and no exception at any width.
calendar()
{
	awk 'BEGIN { print "; UnixStartTime: 1767571200"
		for (i = 1; i <= 300; i++)
			print i, i * 1800, -1, 3600 + i % 7 * 900, i % 9 + 1, -1, -1, i % 9 + 1, 9000, -1, 1, i % 5 + 1, 1, 1, 1, i % 2 + 1, -1, -1 }' \
		>dated.swf && echo 'torus:3,3,1 0 down' >links.txt &&
		storus replay --torus 4x4x2 --link-file links.txt \
			--schedule dated.csv dated.swf &&
		storus report dated.csv --torus 4x4x2 --trace dated.swf \
			--tz Europe/Berlin --output dated.html &&
		# users and limits come with the schedule
		storus report dated.csv --torus 4x4x2 --output alone.html &&
		grep -q '"user":\[.*"limit":\[9000' alone.html && cp dated.csv.json kept &&
		{ cat dated.swf; echo '; changed'; } >other.swf &&
		sed -i 's/dated.swf/other.swf/' dated.csv.json &&
		storus report dated.csv --torus 4x4x2 --output alone.html &&
		! grep -q '"limit":' alone.html && mv kept dated.csv.json &&
		! storus report dated.csv --trace jobs.csv 2>why >other.html &&
		grep 'not the trace of dated.csv' why &&
		! storus report dated.csv --tz Nowhere/Land 2>why >other.html &&
		grep -- '--tz: got "Nowhere/Land"' why
}
check "a trace with an epoch and users" calendar
# Ten columns of dates fit a window of 1280.
ten()
{
	for i in 0 1 2 3 4 5 6 7 8 9; do
		cp dated.csv ten$i.csv && cp dated.csv.json ten$i.csv.json || return
	done
	storus report ten?.csv --torus 4x4x2 --output ten.html
}
check "ten schedules" ten
probe=ten-probe.html
browse ten.html 1280
check "ten schedules at 1280" findings 8
probe=calendar-probe.html
for width in 2560 1280 768 400 320; do
	browse dated.html $width
	check "dates, groups and hours at $width" findings 19
	check "no exception at $width" quiet
done
probe=probe.html

# Sixteen days of a cluster that decided as EASY does, as sacct tells them.
week()
{
	awk 'BEGIN { print "; UnixStartTime: 0"
		for (i = 1; i <= 700; i++)
			print i, i * 1970 + 1767571200, -1, 3600 + i % 11 * 1900, i % 9 + 1, -1, -1, i % 9 + 1, 30000, -1, 1, i % 5 + 1, 1, 1, 1, 1, -1, -1 }' \
		>week.swf &&
		storus replay --torus flat:32 --schedule week.csv week.swf &&
		awk -F, 'BEGIN { print "JobID|User|Submit|Start|End|NNodes|TimelimitRaw|State" }
			NR > 1 { print $1 "|u" $1 % 5 "|" $2 "|" $3 "|" $4 "|" $6 "|500|COMPLETED" }' \
			week.csv >week.txt &&
		TMPDIR=$tmp storus weekly --torus flat:32 --tz +01:00 \
			--policy fcfs --policy sjf --output week.html week.txt &&
		[ -z "$(find "$tmp" -name 'storus-*')" ] &&
		! grep -q 'storus-' week.html &&
		grep -q '"command" content="storus weekly --torus flat:32 --tz' week.html &&
		! storus weekly --torus flat:32 --output x.html jobs.csv 2>why &&
		grep 'no job with a start' why && [ ! -e x.html ] &&
		! storus weekly --torus flat:32 --output x.html --until 5 \
			week.txt 2>why && grep 'no part of the seven days' why
}
check "weekly, from sacct" week
probe=weekly-probe.html
for screen in "1280" "1280 dark" "400" "400 dark"; do
	# shellcheck disable=SC2086
	browse week.html $screen
	check "the week's tables at $screen" findings 21
	check "nothing on the console with a week at $screen" quiet
done

# A line that nobody can read, and what each replay of the trace says.
messages()
{
	sed '100s/.*/broken|line/' week.txt >broken.txt &&
		! storus weekly --torus flat:32 --output x.html broken.txt 2>why &&
		[ ! -e x.html ] && cat why && [ "$(wc -l <why)" -eq 1 ] &&
		grep '^storus weekly: broken.txt:100: got 2 fields' why &&
		{ cat week.txt; sed -n 300p week.txt; } >again.txt &&
		storus weekly --torus flat:32 --output x.html again.txt 2>why &&
		cat why && [ "$(grep -c 'in the file twice' why)" -eq 1 ] &&
		! grep -v '^storus weekly: ' why && rm x.html
}
check "weekly prints each notice once, under its own name" messages

# Ten days of it, with jobs that still wait: said on the page, not averaged away.
short()
{
	{ sed 400q week.txt; echo '901|u9|1767800000|Unknown|Unknown|4|500|PENDING'
	} >short.txt && storus weekly --torus flat:32 --output short.html \
		short.txt 2>why && grep 'the week before is incomplete' why
}
check "weekly, of less than two weeks" short
probe=short-probe.html
browse short.html 1280
check "the page names what the week lacks" findings 12
# An id that comes again, and a schedule that nothing says the trace of.
twice()
{
	grep -v '^#' jobs.csv >bare.csv
	awk -F , 'BEGIN { OFS = "," } NR > 1 && NR % 2 { $1 = "again" } { print }' \
		bare.csv >again.csv
	for d in fcfs easy; do
		storus replay --torus 8x8x8 --discipline $d --schedule r$d.csv \
			again.csv >/dev/null
	done
	cp easy.csv nameless.csv
	awk -F , 'BEGIN { OFS = "," } NR > 1 { $2 += 5 } { print }' bare.csv \
		>late.csv
	storus replay --torus 8x8x8 late.csv --schedule late-easy.csv >/dev/null
	rm late-easy.csv.json
	storus report rfcfs.csv reasy.csv --output again.html &&
		storus report fcfs.csv late-easy.csv --output late.html &&
		storus report fcfs.csv nameless.csv --output nameless.html
}
check "repeated ids, unknown traces" twice
probe=pairs-probe.html
browse again.html 1280
check "repeated ids are paired in order" findings 10
browse late.html 1280
check "jobs of another trace are not paired" findings 10
browse nameless.html 1280
check "the same jobs are paired, under any name of the trace" findings 10
probe=probe.html

pipe()
{
	storus generate bani-uniform --jobs 200 |
		storus replay --torus 8x8x8 --schedule - - |
		storus report --torus 8x8x8 - >pipe.html &&
		grep -q 'standard input' pipe.html
}
check "as a pipe" pipe

# What a newcomer types first: each program says what it lacks.
bare()
{
	storus generate 2>why.1 | storus replay - 2>why.2 |
		storus report - >out 2>why.3
	cat why.?
	[ ! -s out ] && grep 'storus generate: a model is missing' why.1 &&
		grep 'storus replay: --torus is missing' why.2 &&
		grep 'storus report: standard input:0: the file is empty.*--schedule -' why.3
}
check "as a pipe, without options" bare
summary()
{
	storus generate bani-uniform --jobs 20 |
		storus replay --torus 8x8x8 - |
		storus report - >out 2>why
	[ $? = 2 ] && [ ! -s out ] &&
		grep 'standard input:1: header: .*storus replay --schedule -' why
}
check "as a pipe, of the summary" summary

# 60,000 jobs: all is drawn within two seconds or, on a busy machine, within ten times
# what a small page takes there; the best of three looks, as other work comes and goes.
large()
{
	storus generate aida-uniform --jobs 60000 --load 0.8 |
		storus replay --torus flat:256 --schedule large.csv - &&
		gzip -k large.csv &&
		storus report large.csv --torus flat:256 --output large.html &&
		storus report large.csv large.csv.gz --torus flat:256 --output twice.html &&
		wc -c large.html twice.html && grep -q 'id="data" data-size=' large.html &&
		# what both schedules have stands once
		[ "$(wc -c <twice.html)" -lt $(($(wc -c <large.html) * 11 / 10)) ] &&
		[ "$(wc -c <large.html)" -lt 4000000 ]
}
check "60,000 jobs" large
drawn_ms()
{
	sed -n 's/^ok drawn-//p' "$tmp/findings"
}
look()
{
	browse two.html 1280
	small_ms=$(drawn_ms)
	browse large.html 1280
}
look
check "60,000 jobs in the browser" findings 36
soon()
{
	for look in 1 2 3; do
		[ $look = 1 ] || look
		echo "look $look: $(drawn_ms) ms, a small page $small_ms ms"
		[ "$(drawn_ms)" -lt 2000 ] && return
		[ "$(drawn_ms)" -lt $((10 * small_ms)) ] && return
	done
	return 1
}
check "60,000 jobs are drawn soon" soon

wrong()
{
	echo 'id,submit' >bad.csv
	storus report bad.csv >bad.html 2>why
	[ $? = 2 ] && grep 'bad.csv:1: header' why && [ ! -s bad.html ] &&
		! storus report easy.csv --torus 2x2 2>why >bad.html &&
		grep 'computed on 8x8x8' why &&
		! storus report alone/easy.csv --torus 2x2 2>why >bad.html &&
		grep 'region: not one of the machine' why &&
		! storus report easy.csv --chart /nonexistent 2>why >bad.html &&
		grep 'libjs-chart.js' why
}
check "wrong input" wrong

tap_done
