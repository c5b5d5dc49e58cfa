#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# storus plan: the papers' examples, every kind of wrong input.
. "$(dirname "$0")/lib-golden.sh"

golden cnp storus plan cnp --torus 8x8 --jobs cnp.csv
golden cnp-json storus plan cnp --torus 8x8 --jobs cnp.csv --json
golden cnp-decimals storus plan cnp --torus 8x8 --jobs cnp.csv --decimals 1
golden preemptive storus plan preemptive --torus 16 --jobs preemptive.csv
golden preemptive-json storus plan preemptive --torus 16x16 \
	--jobs preemptive.csv --json
golden cnp-steps storus plan cnp --torus 8x8 --jobs cnp.csv --steps
golden preemptive-steps storus plan preemptive --torus 16 --jobs preemptive.csv --steps
steps_json() # a list with an item for each job
{
	for verb in cnp preemptive; do
		storus plan $verb --torus 16x16 --jobs $verb.csv --steps --json |
			python3 -c '
import json, sys
plan = json.load(sys.stdin)
print(len(plan["steps"]), len(plan["jobs"]), plan.get("preemptions"), plan["steps"][2])'
	done
}
golden steps-json steps_json
golden deadline storus plan preemptive --torus 16 --jobs preemptive.csv \
	--deadline 9/2
golden infeasible storus plan preemptive --torus 16 --jobs preemptive.csv \
	--deadline 3.999999999
golden infeasible-json storus plan preemptive --torus 16 \
	--jobs preemptive.csv --deadline 3.999999999 --json
golden letter storus plan preemptive --torus 4 --jobs letter.csv --deadline 3
golden third storus plan preemptive --torus 3 --jobs third.csv
golden round-up storus plan preemptive --torus 12 --jobs chain.csv --round-up

long() # fractions that a table cannot show: the table is brief, JSON is not
{
	i=0
	echo d,t
	while [ $i -lt 60 ]; do
		echo "$((1 << i % 3)),$((1 + i * 7 % 23))"
		i=$((i + 1))
	done
}
long >"$golden_tmp/long.csv"
golden long sh -c '"$1" plan cnp --torus 4x4 --jobs "$2" | tail -n 3
"$1" plan cnp --torus 4x4 --jobs "$2" --json | sed -n 4p' sh \
	"$golden_top/storus" "$golden_tmp/long.csv"

golden file sh -c '"$1" plan cnp --torus 8x8 --jobs - --json="$2" <cnp.csv
sed -n 4,7p "$2"' sh "$golden_top/storus" "$golden_tmp/plan.json"

for bad in no-t twice unknown empty header bad fine; do
	golden $bad storus plan preemptive --torus 8 --jobs $bad.csv
done
golden chain storus plan preemptive --torus 8 --jobs chain.csv
golden not-power storus plan cnp --torus 8x8 --jobs chain.csv
marked()
{
	printf '\357\273\277d,t\r\n2,2\r\n' |
		storus plan cnp --torus 4x4 --jobs -
}
golden marked marked
golden stdin sh -c '"$1" plan cnp --torus 8x8 --jobs - <chain.csv' sh \
	"$golden_top/storus"
golden no-file storus plan cnp --torus 8x8 --jobs none.csv

usage()
{
	for words in "" cnp "cnp --torus 8x8" "cnp --jobs cnp.csv" "cnpp" \
		"cnp preemptive" "cnp --torus 8 --jobs cnp.csv" \
		"cnp --torus 8x4 --jobs cnp.csv" \
		"cnp --torus 12x12 --jobs cnp.csv" \
		"preemptive --torus 8x8:TM --jobs cnp.csv" \
		"preemptive --torus flat:8 --jobs cnp.csv" \
		"preemptive --torus 4x4x4 --jobs cnp.csv" \
		"preemptive --torus 0 --jobs cnp.csv" \
		"cnp --torus 8x8 --jobs cnp.csv --deadline 3" \
		"cnp --torus 8x8 --jobs cnp.csv --round-up" \
		"cnp --torus 8x8 --jobs cnp.csv --decimals 10" \
		"preemptive --torus 8 --jobs cnp.csv --decimals 3" \
		"preemptive --torus 8 --jobs cnp.csv --deadline 0" \
		"preemptive --torus 8 --jobs cnp.csv --deadline 1x" \
		"cnp --torus 8x8 --jobs cnp.csv --json=/no/such/dir/x"; do
		# shellcheck disable=SC2086  # a list of words
		storus plan $words
		echo "$?: $words"
	done 2>&1
}
golden usage usage
golden help storus plan --help

# A plan file that others may not read. Root may: nobody asks then, if it can run this.
denied()
{
	: >"$golden_tmp/plan" && chmod 0 "$golden_tmp/plan" && chmod 755 "$golden_tmp"
	$as "$golden_top/storus" reservations --file "$golden_tmp/plan" 2>&1 |
		sed "s#$golden_tmp/##"
}
as=
[ "$(id -u)" != 0 ] || as='setpriv --reuid=65534 --regid=65534 --clear-groups'
if $as "$golden_top/storus" --version >/dev/null 2>&1; then
	golden denied denied
else
	tap_skip denied "nobody else can run storus here"
fi
golden_done
