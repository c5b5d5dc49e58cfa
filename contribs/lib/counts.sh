# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# counts.sh - sums up test results.
#
# The three numbers are always `passed failed skipped`. An expected failure is a
# pass; an unexpected pass and an error are failures.

counts_awk='
	function count(word, times) {
		if (word ~ /^(PASS|XFAIL|pass)$/) passed += times
		else if (word ~ /^(FAIL|XPASS|ERROR|fail)$/) failed += times
		else if (word ~ /^(SKIP|skip)$/) skipped += times
	}
	END { printf "%d %d %d\n", passed, failed, skipped }'

# counts_of_trs DIR: every .trs file that `make check` has left below DIR. Such a
# file has a line per case, `:test-result: PASS 3 - turns`.
counts_of_trs() {
	find "$1" -name '*.trs' -exec cat {} + 2>/dev/null |
		awk "$counts_awk"' $1 == ":test-result:" { count($2, 1) }'
}

# counts_of_log FILE: the summary that `make check` prints (`# PASS:  12`), for
# results that are gone, as distcheck's are.
counts_of_log() {
	awk "$counts_awk"'
		/^# (PASS|FAIL|SKIP|XFAIL|XPASS|ERROR): *[0-9]+$/ {
			sub(/:/, "", $2)
			count($2, $3)
		}' "$1" 2>/dev/null
}

# counts_of_steps DIR: the .result files there.
counts_of_steps() {
	cat "$1"/*.result 2>/dev/null | awk "$counts_awk"' { count($1, 1) }'
}

# counts_sum: adds up lines of three numbers.
counts_sum() {
	awk '{ p += $1; f += $2; s += $3 } END { printf "%d %d %d\n", p, f, s }'
}
