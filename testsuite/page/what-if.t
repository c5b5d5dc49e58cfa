#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The page of storus what-if --report in a real browser: its numbers are those of the
# table and of --json. Skipped where there is no Chromium.

. "$(dirname "$0")/lib-page.sh"

cd "$tmp" || exit 1
probe=what-if-probe.html
storus generate bani-uniform --jobs 400 --seed 7 >jobs.csv
storus replay --torus 8x8x8 --discipline fcfs --schedule f.csv jobs.csv >/dev/null

ask()
{
	storus what-if --torus 8x8x8 --schedule f.csv --at 60 \
		--drain torus:0,0,0+2x4x4 --submit '--geometry=4x4x2 -t 5' "$@"
}
report()
{
	ask --report page.html >table.txt && ask >plain.txt && cmp table.txt plain.txt &&
		ask --json=answer.json &&
		sed -n 's/.*id="data">\(.*\)<.script>$/\1/p' page.html >data.json &&
		jq -S '{summary, jobs}' answer.json >a &&
		jq -S '{summary, jobs: [.jobs[] | del(.at)]}' data.json >b && cmp a b
}
check "its numbers are those of the table and of --json" report
for screen in "1280" "1280 dark" "400" "400 dark"; do
	# shellcheck disable=SC2086
	browse page.html $screen
	check "used at $screen" findings 18
	check "nothing on the console at $screen" quiet
done
nowhere()
{
	ask --report /nowhere/page.html 2>why
	[ $? -eq 3 ] && grep '/nowhere/page.html: cannot be written: No such file' why
}
check "a page that cannot be written" nowhere
tap_done
