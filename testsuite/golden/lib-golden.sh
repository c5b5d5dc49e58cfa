# SPDX-License-Identifier: GPL-2.0-or-later
# Golden tests: a command, and what it printed when somebody last looked at
# it. A test is a .t file that sources this one:
#
#	. "$(dirname "$0")/lib-golden.sh"
#	golden NAME COMMAND...		runs in the directory of the .t's name
#	golden_done
#
# NAME.expected beside the inputs holds standard output, standard error (after a
# line "-- stderr") and the exit status. TORUS_REGENERATE=1 rewrites it: look at
# the difference before you keep it. Prints TAP.
#
# `storus` is the one that was built.

golden_dir=$(cd "$(dirname "$0")" && pwd)/$(basename "$0" .t)
golden_tmp=$(mktemp -d "${TMPDIR:-/tmp}/torus-golden-XXXXXX") || exit 1
trap 'rm -rf "$golden_tmp"' EXIT
golden_count=0
golden_top=$(cd "${top_builddir:-.}" && pwd)
unset SLURM_CONF

storus()
{
	"$golden_top/storus" "$@"
}

golden()
{
	golden_count=$((golden_count + 1))
	golden_name=$1
	shift
	(cd "$golden_dir" && "$@") >"$golden_tmp/out" 2>"$golden_tmp/err"
	golden_status=$?
	{
		cat "$golden_tmp/out"
		if [ -s "$golden_tmp/err" ]; then
			echo "-- stderr"
			cat "$golden_tmp/err"
		fi
		echo "-- status $golden_status"
	} >"$golden_tmp/got"
	if [ "${TORUS_REGENERATE:-0}" = 1 ]; then
		cp "$golden_tmp/got" "$golden_dir/$golden_name.expected"
	fi
	if diff -u "$golden_dir/$golden_name.expected" "$golden_tmp/got" \
		>"$golden_tmp/diff" 2>&1; then
		echo "ok $golden_count - $golden_name"
	else
		echo "not ok $golden_count - $golden_name"
		sed 's/^/# /' "$golden_tmp/diff"
	fi
}

golden_done()
{
	echo "1..$golden_count"
}
