# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# steps.sh - the steps of a long check: each with its log, its time by the clock and
# by the processors (of what it waited for: no daemons), and one line when it is over. A step that fails shows the end of its log and does not
# stop the others.
#
# Needs say.sh; steps_dir is where logs (NAME.log) and results (NAME.result: one
# line, `pass` or `fail`) go.
# shellcheck disable=SC2154  # steps_dir is the sourcing script's

# step_name TITLE: "clang build" is clang-build
step_name() {
	printf '%s\n' "${1//[^A-Za-z0-9]/-}"
}

# run_step TITLE COMMAND...: false when the command was.
run_step() {
	local title=$1 name log begin=$SECONDS rc processor TIMEFORMAT='%U %S'
	shift
	name=$(step_name "$title")
	log=$steps_dir/$name.log
	{ time "$@" </dev/null >"$log" 2>&1; } 2>"$steps_dir/$name.time"
	rc=$?
	processor=$(awk '{ printf "%d", $1 + $2 }' "$steps_dir/$name.time")
	if ((rc == 0)); then
		echo pass >"$steps_dir/$name.result"
		printf '%-28s ok      %4d s, processors %4d s\n' \
			"$title" $((SECONDS - begin)) "$processor"
		return 0
	fi
	echo fail >"$steps_dir/$name.result"
	# in one piece, for another step may end at the same time
	printf '%s\n' "$(
		printf '%-28s FAILED  %4d s, processors %4d s, status %d; from %s:\n' \
			"$title" $((SECONDS - begin)) "$processor" "$rc" "$log"
		step_excerpt "$log" | sed 's/^/    /'
	)"
	return 1
}

# step_excerpt LOG: what went wrong (tests that failed and what they said,
# compilers' complaints), and the end.
step_excerpt() {
	grep -nE '^(FAIL|ERROR|XPASS): |^Bail out' "$1" | head -n 40
	step_said "$1" | head -n 120
	grep -nE ': (fatal )?error: |undefined reference' "$1" | head -n 20
	echo ...
	tail -n 20 "$1"
}

# step_said LOG: the comments of tests that failed, from where they did; other
# tests' lines may be among them.
step_said() {
	awk '
	$1 == "FAIL:" {
		left["# " $2 ": "] = 40
	}
	$1 == "#" {
		mark = $1 " " $2 " "
		if (left[mark] > 0 && left[mark]--)
			print
	}' "$1"
}

# skip_step TITLE WHY: for what cannot be done here.
skip_step() {
	echo skip >"$steps_dir/$(step_name "$1").result"
	printf '%-28s skipped (%s)\n' "$1" "$2"
}
