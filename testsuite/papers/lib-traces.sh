# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# lib-traces.sh - logs of the Parallel Workloads Archive (Feitelson, Tsafrir,
# Krakov 2014). They are not part of the project: they are looked for in
# $TORUS_TRACES, and a test is skipped where they are not.

# shellcheck source=testsuite/lib-tap.sh
. "$(dirname "$0")/../lib-tap.sh"

# shellcheck disable=SC2034  # for those who source this
storus=${top_builddir:-.}/storus
traces=${TORUS_TRACES:-${top_srcdir:-.}/../shared/traces}

# need_trace NAME: sets $trace
need_trace()
{
	trace=$traces/$1-cln.swf.gz
	[ -r "$trace" ] || skip_all "no $trace"
}
