#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Maps of storus map in a real browser: the page shows where a job is and whose
# a cell is, the pictures are ones that a browser reads. Skipped where there is
# no Chromium.

. "$(dirname "$0")/lib-page.sh"

cd "$tmp" || exit 1
cp "$top_srcdir/testsuite/golden/map/jobs.csv" .
probe=map-probe.html

pictures()
{
	for ending in html svg png; do
		storus map --torus 4x4x2 --schedule jobs.csv --at 20 --fit 2x2 \
			--output map.$ending || return 1
	done
}
check "drawn" pictures
for screen in "1280" "1280 dark" "400" "400 dark"; do
	# shellcheck disable=SC2086
	browse map.html $screen
	check "used with pointer and keys at $screen" findings 20
	check "nothing on the console at $screen" quiet
done
tap_done
