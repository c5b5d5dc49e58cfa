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
	weekly --until 5 week.txt
	weekly --until 1770000000 week.txt
	[ ! -e page.html ]
}
golden words words
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
incomplete()
{
	cd "$golden_tmp" || return
	weekly few.txt
	[ -s page.html ]
}
golden incomplete incomplete
golden_done
