#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# storus map --watch in a terminal (tmux): views, a resize, a source that is lost and
# comes back, and the terminal afterwards.

# shellcheck source=testsuite/lib-tap.sh
. "$(dirname "$0")/../lib-tap.sh"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${top_builddir:=$top_srcdir/build}"
storus=$(cd "$top_builddir" && pwd)/storus
sample=$(cd "$top_srcdir" && pwd)/testsuite/golden/questions/cluster.snap
skip_without tmux
tmp=$(mktemp -d) || exit 1
socket=$tmp/socket
trap 'tmux -S "$socket" kill-server 2>/dev/null; rm -rf "$tmp"' EXIT
unset SLURM_CONF TMUX
TZ=UTC
export TZ

mux()
{
	tmux -S "$socket" -f /dev/null "$@"
}

# within_ten COMMAND...: it succeeds on the screen, within ten seconds
within_ten()
{
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		mux capture-pane -p -t w >"$tmp/screen"
		! "$@" || return 0
		sleep 0.5
	done
	return 1
}

# shows TEXT: the screen does
shows()
{
	within_ten grep -qF -- "$1" "$tmp/screen"
}

# first JOB: it is the first of the table
first()
{
	[ "$(sed -n '2s/ .*//p' "$tmp/screen")" = "$1" ]
}

result() # TEXT NAME: the screen shows it
{
	shows "$1"
	tap_result $? "$2" "$(cat "$tmp/screen")"
}

mkfifo "$tmp/now.snap" # nobody writes to it
mux new-session -d -s w -x 80 -y 24 sh || exit 1
mux send-keys -t w "PS1='ready> '" Enter
mux send-keys -t w "$storus map --watch=1 --snapshot $tmp/now.snap; echo status \$?" Enter
result "no picture yet" "a source that has not answered yet"
timeout 10 cp "$sample" "$tmp/now.snap"
rm "$tmp/now.snap" && cp "$sample" "$tmp/now.snap"
result "pod0  4x4x2" "the planes"
result "p planes j jobs u users t left q quit" "the last line names the keys"
mux send-keys -t w j
result "13_4 eve" "jobs"
grep -qE '^JOB +USER +NODES +LEFT +REGION' "$tmp/screen"
tap_result $? "their heading" "$(cat "$tmp/screen")"
mux send-keys -t w u
result "ada" "users"
mux send-keys -t w t
within_ten first 12
tap_result $? "the one that ends first" "$(cat "$tmp/screen")"
mux send-keys -t w p
mux resize-window -t w -x 50 -y 12
result "pod0  4x4x2" "a resize draws anew"
[ "$(grep -c . "$tmp/screen")" -le 12 ]
tap_result $? "and not beyond the terminal" "$(cat "$tmp/screen")"
result "p j u t q" "a narrow terminal shows the keys, too"
result "1-11 of" "and which part of the picture this is"
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
	mux send-keys -t w Down
done
shows "C  13_4" && grep -qE '([0-9]+)-([0-9]+) of \2 ' "$tmp/screen"
tap_result $? "the arrows go to the end, not beyond" "$(cat "$tmp/screen")"
mux send-keys -t w PPage
result "1-11 of" "a page up"
mux resize-window -t w -x 120 -y 30
result "t time left, arrows, q quit" "a wide terminal has the keys in full"
mv "$tmp/now.snap" "$tmp/away"
result "No such file" "a source that is lost is said"
shows "AABB"
tap_result $? "and the latest picture stays" "$(cat "$tmp/screen")"
sed 's/^running id=12 .*//; /^$/d' "$tmp/away" >"$tmp/now.snap"
result "2 jobs; 10 nodes busy" "it comes back"
# a source that does not answer: a pipe that nobody writes to
rm "$tmp/now.snap" && mkfifo "$tmp/now.snap"
result "no answer for" "a source that hangs is said"
mux send-keys -t w j
result "13_4 eve" "and keys work"
grep -q "this is the cluster at .*, [0-9]* s old" "$tmp/screen"
tap_result $? "and the picture's age is told" "$(cat "$tmp/screen")"
mux send-keys -t w q
result "status 0" "the terminal is as it was"
! pgrep -f "storus map --watch=1 --snapshot $tmp/now.snap" >"$tmp/left"
tap_result $? "and nothing is left running" "$(cat "$tmp/left")"
tap_done
