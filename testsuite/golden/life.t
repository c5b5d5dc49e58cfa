#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The life of an installation on a clean root of each release (contribs/check-life).
# Only with TORUS_TEST_LONG, and as root.
# shellcheck source=testsuite/lib-tap.sh
. "$(dirname "$0")/../lib-tap.sh"
top=$(cd "${top_srcdir:-.}" && pwd)
[ -n "${TORUS_TEST_LONG-}" ] || skip_all "takes an hour: make check-long"
[ "$(id -u)" -eq 0 ] || skip_all "needs root"
skip_without debootstrap unshare ip

# Steps that failed are shown.
lived()
{
	lived_log=$(mktemp) || return 1
	"$top/contribs/check-life" --release "$1" >"$lived_log" 2>&1
	lived_status=$?
	grep -v '^ok ' "$lived_log"
	[ "$(grep -c '^ok ' "$lived_log")" -ge 50 ] || lived_status=1
	rm -f "$lived_log"
	return $lived_status
}

for release in bookworm trixie; do
	check "install, upgrade, change and remove on $release" lived $release
done
tap_done
