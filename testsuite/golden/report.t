#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What storus report refuses before it reads a schedule. What it says about
# schedules and their summaries: identity.t; the page: testsuite/page/page.t.
. "$(dirname "$0")/lib-golden.sh"

report() # SCHEDULE... [OPTION]...
{
	echo "\$ storus report${*:+ $*}"
	storus report --output page.html "$@" 2>&1
	echo "status $?"
}
words()
{
	cd "$golden_tmp" || return
	report
	report 1.csv 2.csv 3.csv 4.csv 5.csv 6.csv 7.csv 8.csv 9.csv 10.csv 11.csv
	report --tz Nowhere/Land 1.csv
	[ ! -e page.html ]
}
golden words words

# A schedule beside itself looks like two policies that agree.
twice()
{
	cd "$golden_tmp" || return
	: >a.csv
	ln -s a.csv b.csv
	report a.csv a.csv
	report a.csv ./a.csv
	report a.csv other.csv b.csv
	report nowhere.csv nowhere.csv
	report - a.csv -
	[ ! -e page.html ]
}
golden twice twice
golden_done
