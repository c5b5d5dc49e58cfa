#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The guides for users and administrators: every command in them prints what the page
# says. TORUS_REGENERATE=1 writes the answers anew. Blocks of ```live are run on a
# cluster (testsuite/cluster/t49-guides.t).

# shellcheck source=testsuite/lib-tap.sh
. "$(dirname "$0")/../lib-tap.sh"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${top_builddir:=$top_srcdir/build}"
top_srcdir=$(cd "$top_srcdir" && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
skip_without jq awk
[ ! -e /var/spool/slurm-torus ] || skip_all "this host has the directory that the guide creates"

mkdir "$tmp/bin" "$tmp/doc" || exit 1
cp -r "$top_srcdir/doc/guide" "$top_srcdir/doc/lab" "$tmp/doc" || exit 1
cp "$top_builddir/storus" "$tmp/bin" && chmod a+x "$tmp/bin/storus" &&
	chmod -R a-w,a+rX "$tmp" && chmod u+w "$tmp" || exit 1
PATH=$tmp/bin:$PATH
TZ=UTC
export PATH TZ
unset SLURM_CONF COLUMNS

# The page for users is for any user of a host without a file of the cluster, in the
# directory as it is installed; that for administrators writes there.
anyone="env -i PATH=$tmp/bin:/usr/bin:/bin TZ=UTC"
[ "$(id -u)" -ne 0 ] || anyone="setpriv --reuid=65534 --regid=65534 --clear-groups $anyone"

for page in guide-user guide-admin; do
	as=$anyone
	[ "$page" = guide-user ] || { as= && chmod -R u+w "$tmp/doc"; }
	(cd "$tmp/doc/guide" && awk -v script="$tmp/script" -v before="$as" \
		-f "$top_srcdir/testsuite/golden/console.awk" \
		"$top_srcdir/doc/$page.md") >"$tmp/$page.md"
	[ "${TORUS_REGENERATE:-0}" != 1 ] || cp "$tmp/$page.md" "$top_srcdir/doc/$page.md"
	differs=$(diff -u "$top_srcdir/doc/$page.md" "$tmp/$page.md")
	tap_result $? "$page.md prints what it says" "$differs"
	! grep -n "exit status not 0" "$top_srcdir/doc/$page.md" >"$tmp/failed" ||
		[ "$(grep -c . "$tmp/failed")" = "$(grep -Ec "storus (check-config wrong.yaml|parity --dry-run dry)" "$top_srcdir/doc/$page.md")" ]
	tap_result $? "$page.md: no command fails but one that is meant to" "$(cat "$tmp/failed")"
done
tap_done
