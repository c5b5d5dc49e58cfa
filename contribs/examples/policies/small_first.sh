#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A policy for storus replay in shell: start whatever fits, fewest nodes first.
#
#	storus replay --torus 8x8x8 --discipline "pipe:./small_first.sh" trace.swf
#
# storus writes a line of JSON to stdin when the replay begins, and one for each pass:
#
#	{"now_s":60,"free":8,"queue":[{"id":"7","submit_s":60,"nodes":4,...},...],...}
#
# This program answers each pass with one line. It is slow: a few hundred passes a
# second. See doc/policy.md.

# Print NODES ID of each queued job, in the order of arrival.
jobs() {
	printf '%s\n' "$1" |
		sed -e 's/.*"queue":\[//' -e 's/\],"running":.*//' -e 's/},{/}\
{/g' |
		sed -n 's/.*"id":\("[^"]*"\),.*"nodes":\([0-9]*\),.*/\2 \1/p'
}

read -r machine || exit 1
case $machine in
*'"schema":1,'*) ;;
*)
	echo "small_first.sh: unknown schema" >&2
	exit 1
	;;
esac

while read -r line; do
	ids=$(jobs "$line" | sort -s -n -k 1,1 | cut -d ' ' -f 2- | paste -s -d , -)
	printf '{"start":[%s]}\n' "$ids"
done
