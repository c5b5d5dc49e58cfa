#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# storus list: the lists are non-empty and whole, in text and as JSON.
. "$(dirname "$0")/lib-golden.sh"

names() # LIST: its first names, in both forms
{
	storus list "$1" | sed -n '2s/^  \([^ ]*\) .*/\1/p'
	storus list "$1" --json | sed -n 's/.*"name": "\(.*\)".*/\1/p' | sed 1q
}
golden strategies names strategies
golden disciplines names disciplines
golden formats names formats
golden models names models

lines() # the lists of `storus list`, and how many names have no summary
{
	storus list | grep '^[a-z]'
	storus list --json >"$golden_tmp/json"
	names=$(grep -c '"name": ' "$golden_tmp/json")
	summaries=$(grep -c '^      "summary": "..' "$golden_tmp/json")
	echo "$((names - summaries)) without a summary"
}
golden lines lines

manual() # a section for each list, an entry for each name, no raw minus sign
{
	storus list --manual >"$golden_tmp/page"
	grep '^\.SH' "$golden_tmp/page"
	names=$(storus list --json | grep -c '"name": ')
	entries=$(grep -c '^\.TP$' "$golden_tmp/page")
	echo "$((names - entries)) names without an entry"
}
golden manual manual

golden unknown storus list stratgies
golden unknown-far storus list nodes
golden two storus list formats strategies
golden_done
