#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The page of storus sweep --report in a real browser: its curves and differences
# are the numbers of the table and of --compare. Skipped where there is no
# Chromium.

. "$(dirname "$0")/lib-page.sh"

cd "$tmp" || exit 1
probe=sweep-probe.html
cat >campaign.yaml <<END
traces:
- {model: aida-uniform, jobs: 300, nominal-load: 0.6}
- {model: aida-uniform, jobs: 300, nominal-load: 0.9}
machines: [flat:256]
disciplines: [fcfs, fpfs, easy]
seeds: 1-8
END

report()
{
	storus sweep campaign.yaml --report page.html >table.txt 2>log &&
		storus sweep campaign.yaml --json=rows.json &&
		storus sweep campaign.yaml --compare fcfs fpfs --json=pair.json &&
		sed -n 's/.*id="data">\(.*\)<.script>$/\1/p' page.html >data.json
}
check "written, beside the table" report
# (the page has three pairs of policies, so its p are adjusted)
plain='walk(if type == "object" then del(.holm, .p_holm, .differ) else . end)'
same()
{
	jq -S .rows rows.json >a && jq -S .rows data.json >b && cmp a b &&
		jq -S ".groups | $plain" pair.json >a &&
		jq -S '.pairs[] | select(.a == "fcfs" and .b == "fpfs") | .groups |'"$plain" \
			data.json >b && cmp a b &&
		jq -e '[.pairs[].groups[] | .. | .p_holm? // empty] | length > 0' data.json &&
		[ "$(jq '.pairs | length' data.json)" -eq 3 ]
}
check "its numbers are those of --json and --compare" same
for screen in "1280" "1280 dark" "400" "400 dark"; do
	# shellcheck disable=SC2086
	browse page.html $screen
	check "used at $screen" findings 20
	check "nothing on the console at $screen" quiet
done
again()
{
	cp page.html first.html &&
		storus sweep campaign.yaml --report page.html >/dev/null 2>&1 &&
		cmp first.html page.html
}
check "the same command, the same bytes" again
nothing()
{
	cp campaign.yaml none.yaml && storus sweep none.yaml --show --report x.html
	[ $? -eq 2 ] && [ ! -e x.html ]
}
check "no results, no page" nothing
tap_done
