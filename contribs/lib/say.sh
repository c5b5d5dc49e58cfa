# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# say.sh - how the scripts under contribs/ talk to whoever runs them.
#
# Progress and complaints go to stderr, one line each and led by the name of
# the script, so that stdout stays free for what the script was asked for
# (an export line, a table, a path).

# say WORDS...: one line of progress.
say() {
	printf '%s: %s\n' "${0##*/}" "$*" >&2
}

# die WORDS...: one line of complaint, then exit 1.
die() {
	say "$@"
	exit 1
}

# usage_error WORDS...: what was wrong with the command line, then exit 2.
usage_error() {
	say "$* (try --help)"
	exit 2
}

# print_help FILE: the header comment of a script is its help text. Everything
# between the SPDX line and the first line that is not a comment.
print_help() {
	awk 'NR <= 2 { next }
	     !/^#/ { exit }
	     /^# shellcheck/ { next }
	     { sub(/^# ?/, ""); if (started || $0 != "") { started = 1; print } }' "$1"
}
