# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# lib-tap.sh - TAP for the shell tests that need no cluster. A test sources it
# first; its last line is `tap_done`.

tap_count=0

# `make distcheck` tests from a read-only tree: copies can be written all the same.
cp()
{
	command cp --no-preserve=mode "$@"
}

# tap_result STATUS NAME [TEXT]: one test; what is to be read if it fails
tap_result()
{
	tap_count=$((tap_count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tap_count - $2"
	else
		echo "not ok $tap_count - $2"
		printf '%s\n' "${3-}" | sed 's/^/# /'
	fi
}

# tap_skip NAME WHY: one test that cannot run here
tap_skip()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# check NAME COMMAND...: in a shell of its own
check()
{
	tap_name=$1
	shift
	tap_said=$("$@" 2>&1)
	tap_result $? "$tap_name" "$tap_said"
}

# skip_all WHY: ends the test
skip_all()
{
	echo "1..0 # SKIP $1"
	exit 0
}

# skip_if_short FILE...: ends the test with TORUS_TEST_SHORT, which is for builds
# whose tests also run elsewhere; the files beside the test must be there.
skip_if_short()
{
	[ "${TORUS_TEST_SHORT:-0}" != 0 ] || return 0
	for tap_file; do
		[ -r "$(dirname "$0")/$tap_file" ] || {
			printf '1..1\nnot ok 1 - %s is there\n' "$tap_file"
			exit 1
		}
	done
	skip_all "with TORUS_TEST_SHORT: runs in another build"
}

# skip_without PROGRAM...
skip_without()
{
	for tap_program; do
		command -v "$tap_program" >/dev/null ||
			skip_all "$tap_program is not installed"
	done
}

# emulated: prints the program that build/storus is for another processor; false where it
# is this one's. There storus is a script of contribs/check-hosts, which runs it by QEMU.
emulated()
{
	sed -n 's,^exec [^ ]*qemu-.* \([^ ]*\) "\$@"$,\1,p;2q' "${top_builddir:-.}/storus" |
		grep .
}

# skip_without_charts: the pages hold Chart.js
skip_without_charts()
{
	[ -r /usr/share/javascript/chart.js/chart.min.js ] ||
		skip_all "libjs-chart.js is not installed"
}

tap_done()
{
	echo "1..$tap_count"
}
