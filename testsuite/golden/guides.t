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
ln -s "$(cd "$top_builddir" && pwd)/storus" "$tmp/bin/storus"
PATH=$tmp/bin:$PATH
TZ=UTC
export PATH TZ
unset SLURM_CONF COLUMNS

for page in guide-user guide-admin; do
	(cd "$tmp/doc/guide" && awk -v script="$tmp/script" \
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
