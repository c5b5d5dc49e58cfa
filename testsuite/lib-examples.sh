# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# The examples that storus prints. Each is run by golden/examples.t, which has no
# cluster, or by cluster/t48-site-examples.t.

# examples_of COMMAND|sbatch: one example a line, continued lines joined.
examples_of() {
	storus examples "$1" | awk 'NR > 1 {
		if ($0 !~ /^ / && held == "")
			next                    # words between the examples
		sub(/^  /, "")
		more = sub(/\\$/, "") || /(\||&&)$/
		if (joined != "" && !spliced)
			joined = joined " "
		joined = joined $0
		held = more ? "y" : ""
		spliced = more && $0 !~ /(\||&&)$/
		if (!more) { print joined; joined = "" }
	}'
}

# example_is_live LINE: it asks or needs a cluster.
example_is_live() {
	case $1 in
	'storus jobs --sums site.sacct') return 1 ;;
	*--slurm\ * | *srun\ * | *sacct\ *) return 0 ;;
	*--snapshot\ * | *--torus\ * | 'storus examples'*) return 1 ;;
	*sbatch\ * | 'storus '[a-z]*)
		set -- "$1" "$(echo "$1" | sed 's/.*\(storus\|sbatch\) *\([a-z-]*\).*/\1 \2/')"
		;;
	*) return 1 ;;
	esac
	case $2 in
	sbatch* | *defrag | *explain | *jobs | *link | *map | *metrics | *node | *ranks | *reservations | \
		*reserve | *slots | *snapshot | *suggest | *update | *what-if) return 0 ;;
	esac
	return 1
}
