#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Links that are down or weak: places, and the links file shown and edited.
. "$(dirname "$0")/lib-golden.sh"

golden list storus link list --torus torus.yaml
golden list-json storus link list --torus torus.yaml --json
golden list-format storus link list --torus torus.yaml --noheader -o '%t %L %d'
golden config storus check-config torus.yaml
golden wrong-config storus check-config wrong.yaml
golden missing storus check-config missing.yaml
golden wrong-file storus place --torus torus.yaml --link-file wrong.txt --geometry 4x4
golden wrong-strategy storus replay --torus 4x4 --strategy submesh-tbl --link-file dead.txt jobs.csv

# a ring is opened behind the dead link; T cannot have it
golden opened storus place --torus torus.yaml --geometry 4x4
golden opened-json storus place --torus torus.yaml --geometry 4x4 --all --json
golden torus storus place --torus torus.yaml --geometry 4x4 --conn-type TN --no-rotate
golden weak-not storus place --torus torus.yaml --geometry 8x4 --conn-type TM
golden weak storus place --torus torus.yaml --geometry 8x4 --conn-type TM --links=weak
golden never storus place --torus torus.yaml --geometry 5x4
golden links-word storus place --torus torus.yaml --geometry 4x4 --links=down
golden slots storus slots --torus torus.yaml --busy pod1:0,0+8x4 2x2 1x4
golden none storus place --torus torus.yaml --link-file none.txt --geometry 4x4 --conn-type torus

# edits: comments stay, all or nothing
edit()
{
	cp links.txt "$golden_tmp/links.txt"
	cp torus.yaml "$golden_tmp/torus.yaml"
	storus link "$@" --torus "$golden_tmp/torus.yaml"
	status=$?
	cat "$golden_tmp/links.txt"
	ls "$golden_tmp" | grep '\.new'
	return $status
}
golden edit-down edit down pod0:0,0 1 pod1:7,0 0
golden edit-weak edit weak pod0:1,2 0
golden edit-up edit up pod0:1,2 0 pod0:0,0 0
golden edit-wrong edit down pod0:0,0 1 pod0:0,0 7
golden edit-half edit down pod0:0,0
golden edit-word edit dwon pod0:0,0 1
edit_new()
{
	storus link down torus:3,3 1 --torus 4x4 --link-file "$golden_tmp/new"
	cat "$golden_tmp/new"
}
golden edit-new edit_new

# twelve edits at a time: none is lost
edit_many()
{
	: >"$golden_tmp/many"
	for x in 0 1 2 3; do
		for y in 0 1 2; do
			storus link down torus:$x,$y 1 --torus 4x4 \
				--link-file "$golden_tmp/many" &
		done
	done
	wait
	sort "$golden_tmp/many"
}
golden edit-many edit_many

# a snapshot has them, whoever reads it
snapshot()
{
	storus snapshot --torus torus.yaml | grep -A3 '"links"'
	storus snapshot --torus torus.yaml >"$golden_tmp/snapshot"
	storus place --snapshot "$golden_tmp/snapshot" --geometry 4x4
}
golden snapshot snapshot

replay()
{
	storus replay --torus 4x4 --link-file "$1" --schedule - jobs.csv
}
golden replay replay dead.txt
ring_of_schedule() # which ring a dead link opened is told with the region
{
	replay dead.txt >"$golden_tmp/schedule.csv" 2>/dev/null
	storus snapshot --torus 4x4 --schedule "$golden_tmp/schedule.csv" --at "$1" |
		grep running
	sed 's/,[MT]*$/,X/;1s/,X$/,ring/' "$golden_tmp/schedule.csv" >"$golden_tmp/wrong.csv"
	(cd "$golden_tmp" && storus snapshot --torus 4x4 --schedule wrong.csv --at "$1")
}
golden ring-of-schedule ring_of_schedule 1

# links that fail and are repaired in the course of a trace: a job that runs goes
# on, no other gets a region with a dead link, whatever it was promised
for discipline in fcfs easy conservative 'dedf --mean-hold 2000' \
	'dedf-replan --mean-hold 2000'; do
	# shellcheck disable=SC2086  # words
	golden "rows-${discipline%% *}" storus replay --torus 8:M --check \
		--discipline $discipline --schedule - rows.csv
done
rows()
{
	storus replay --torus "$1" --schedule - "rows-$2.csv"
}
golden rows-wrong rows 8:M wrong
for what in vertex dim torus open; do
	golden "rows-$what" rows 8:M "$what"
done
golden rows-flat rows flat:8 vertex
golden rows-strategy storus replay --torus 4x4 --strategy submesh-tbl --schedule - rows-torus.csv
golden_done
