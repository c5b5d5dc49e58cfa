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

# shellcheck source=testsuite/lib-tap.sh
. "$(dirname "$0")/../lib-tap.sh"
golden_dir=$(cd "$(dirname "$0")" && pwd)/$(basename "$0" .t)
golden_tmp=$(mktemp -d "${TMPDIR:-/tmp}/torus-golden-XXXXXX") || exit 1
trap 'rm -rf "$golden_tmp"' EXIT
golden_top=$(cd "${top_builddir:-.}" && pwd)
unset SLURM_CONF

storus()
{
	"$golden_top/storus" "$@"
}

golden()
{
	golden_name=$1
	shift
	(cd "$golden_dir" && "$@") >"$golden_tmp/out" 2>"$golden_tmp/err"
	golden_status=$?
	{
		# an age depends on today
		sed "s#$golden_tmp#TMP#g"';s/, [0-9:-]* old\.$/, AGE old./; s/"age_s": [0-9]*/"age_s": AGE/' \
			"$golden_tmp/out"
		if [ -s "$golden_tmp/err" ]; then
			echo "-- stderr"
			sed "s#$golden_tmp#TMP#g" "$golden_tmp/err"
		fi
		echo "-- status $golden_status"
	} >"$golden_tmp/got"
	if [ "${TORUS_REGENERATE:-0}" = 1 ]; then
		cp "$golden_tmp/got" "$golden_dir/$golden_name.expected"
	fi
	golden_diff=$(diff -u "$golden_dir/$golden_name.expected" \
		"$golden_tmp/got" 2>&1)
	tap_result $? "$golden_name" "$golden_diff"
}

golden_done()
{
	tap_done
}
