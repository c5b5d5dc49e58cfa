#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What storus weekly says when it makes no page, or one of an incomplete week. The
# page itself: testsuite/page/page.t.
. "$(dirname "$0")/lib-golden.sh"

# Sixteen days of a cluster that started every job at once.
awk 'BEGIN { print "JobID|User|Submit|Start|End|NNodes|TimelimitRaw|State"
	for (i = 1; i <= 40; i++) {
		s = 1767571200 + i * 36000
		print i "|u" i % 3 "|" s "|" s "|" s + 7200 "|" i % 4 + 1 "|200|COMPLETED"
	} }' >"$golden_tmp/week.txt"
sed 5q "$golden_tmp/week.txt" >"$golden_tmp/few.txt"
: >"$golden_tmp/empty.txt"
: >"$golden_tmp/chart.js" # no page is drawn here

weekly() # OPTION... TRACE
{
	echo "\$ storus weekly $*"
	storus weekly --torus 4x4 --output "$golden_tmp/page.html" \
		--chart "$golden_tmp/chart.js" "$@" 2>&1 | sed "s#$golden_tmp/##g"
}
words()
{
	cd "$golden_tmp" || return
	weekly -
	weekly nowhere.txt
	weekly empty.txt
	weekly --torus 4x week.txt
	weekly --policy nonsense week.txt
	weekly --policy easy week.txt
	weekly --policy fcfs --policy fcfs week.txt
	weekly --policy fcfs --policy sjf --policy lpt week.txt
	weekly --tz Nowhere/Land week.txt
	weekly --users 'u1*2' week.txt
	weekly --until 5 week.txt
	weekly --until 1770000000 week.txt
	[ ! -e page.html ]
}
golden words words
# A log with seconds since its beginning, and the date of that: dates are those of the page.
dates()
{
	cd "$golden_tmp" || return
	{ echo '; UnixStartTime: 1767571200'
		for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
			echo "$i $((i * 72000)) 0 7200 1 -1 -1 1 9000 -1 1 1 1 1 1 1 -1 -1"
		done; } >log.swf
	for words in '--until 2026-01-20' '--until 1300000' '--until 2026-03-01' '--until 5' \
		'--cluster x' '--partition x' '--from 2030-01-01'; do
		# shellcheck disable=SC2086
		weekly --policy fcfs $words log.swf | grep -v 'idle'
	done
}
golden dates dates
# One job that ran, or came, months after all others.
straggler()
{
	cd "$golden_tmp" || return
	{ cat week.txt; echo '41|u1|1767600000|1767600000|1790000000|1|200|COMPLETED'; } >late.txt
	weekly late.txt | head -n 1
	weekly late.txt | grep 'last full week'
	{ cat week.txt; echo '41|u1|1790000000|1790000000|1790000100|1|200|COMPLETED'; } >stray.txt
	weekly stray.txt | grep 'last full week'
	weekly --until 2026-01-20T00:00:00 week.txt | grep -v '^\$'
	weekly week.txt | grep -c 'last full week'
	rm -f page.html
}
golden straggler straggler
files()
{
	cd "$golden_tmp" || return
	weekly --output nowhere/page.html week.txt
	weekly --chart nowhere.js week.txt
	TMPDIR=/nowhere weekly week.txt
	long=$(printf '%0200d/' 1 2 3 4 5)
	TMPDIR=$golden_tmp/$long weekly week.txt | sed "s#$long#LONG/#"
	# schedule or page are larger than what weekly itself writes; which of them
	# depends on the shell's unit
	(ulimit -f 8 && weekly week.txt) |
		sed 's/storus [a-z]* failed/storus SUBCOMMAND failed/'
	[ ! -e page.html ]
}
golden files files
# The first subcommand, parity, waits for the machine's file, a pipe, until there is
# a link in the way of a file that is written later.
hold() # TARGET NAME: of the link, in the directory of the run
{
	mkdir t && mkfifo torus.yaml && ln torus.yaml pipe || return
	printf 'toruses:\n  - {name: a, dims: [4, 4]}\n' >machine.yaml
	cp machine.yaml copy.yaml
	TMPDIR=$golden_tmp/t weekly --torus torus.yaml week.txt >said &
	timeout 60 sh -c 'cat machine.yaml >pipe' # weekly itself reads it
	for _ in $(seq 600); do
		[ -e "$(echo t/storus-*/cluster.csv)" ] && break
		sleep 0.1
	done
	# opening the pipe waits until parity opens it
	# shellcheck disable=SC2016 # of the inner shell
	timeout 60 sh -c 'exec 9>pipe && ln -s "$1" "$(echo t/storus-*)/$2" &&
		mv copy.yaml torus.yaml && cat machine.yaml >&9' sh "$@"
	wait
	sed 's#[^ ]*t/storus-[A-Za-z0-9]*/#DIR/#g' said
	rmdir t && rm pipe torus.yaml # no file is left
}
between()
{
	cd "$golden_tmp" || return
	hold /dev/null parity.json
	hold /dev/full easy.csv
	hold /dev/null fcfs.csv.json
	hold /dev/full weekly.json
	[ ! -e page.html ]
}
golden between between
# one file more than the three: the loader needs it, too
descriptors()
{
	cd "$golden_tmp" || return
	mkdir u
	# shellcheck disable=SC2016 # of the inner shell
	TMPDIR=$golden_tmp/u sh -c 'ulimit -n 4 && exec "$@"' sh \
		"$golden_top/storus" weekly --torus 4x4 --output page.html \
		--chart chart.js week.txt 2>&1 \
		3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- |
		sed "s#$golden_tmp/u/storus-[A-Za-z0-9]*/#DIR/#"
	rmdir u && [ ! -e page.html ]
}
if emulated >/dev/null; then
	tap_skip descriptors "the script that runs storus by QEMU needs more of them"
else
	golden descriptors descriptors
fi
incomplete()
{
	cd "$golden_tmp" || return
	weekly few.txt
	[ -s page.html ]
}
golden incomplete incomplete
golden_done
