#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Every option of sbatch that changes when or where a job runs, on two clusters
# with stock Slurm and four with our plugins, all at once: the outcomes make
# doc/slurm-features.md. TORUS_REGENERATE=1 rewrites it: look at the difference
# before you keep it. Without TORUS_TEST_LONG=1 every third row is tried. Other
# versions of Slurm than the file's are skipped.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description="Slurm's features: as stock, as a torus means them, or refused"
regenerate=${TORUS_REGENERATE:-0}
all=${TORUS_TEST_LONG:-0}
[ "$regenerate" != 1 ] || all=1
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-features.sh
. "$cluster_lib/lib-features.sh"
skip_without_plugins torus
skip_without_plugins torus_cons_tres
case $(slurmctld -V) in
*" 22.05."*) ;;
*)
	skip_all="doc/slurm-features.md is about Slurm 22.05"
	test_done
	;;
esac

features_split "$cluster_lib/slurm-features.cases"
[ "$all" != 0 ] || features_thin
doc=$top_srcdir/doc/slurm-features.md

# Rows that are not in the file are tried again, or, when it is made, those that
# differ: a busy machine is slow.
run_all() {
	for run_name in $features_clusters; do
		{
			features_cluster "$run_name"
			: >"$run_name/done"
		} >"$run_name.out" 2>&1 &
	done
	wait_for 1500 all_done
	run_rc=$?
	: >other
	[ $run_rc != 0 ] || features_other "$doc" >other
	mv other again
	wait
	cat ./*.out again
	return $run_rc
}
all_done() {
	for done_name in $features_clusters; do
		[ -e "$done_name/done" ] || return 1
	done
}

test_expect_success 'each case has an outcome on each of the six clusters' '
	run_all &&
	for dir in cases/*; do
		for name in $features_clusters; do
			[ -s "$name/outcome.${dir##*/}" ] || {
				echo "$name: no outcome of $(cat "$dir/feature")"
				return 1
			}
		done
	done
'

test_expect_success 'doc/slurm-features.md has these results' '
	if [ "$all" != 0 ]; then
		features_table >table.md &&
		if [ "$regenerate" = 1 ]; then cp table.md "$doc"; fi &&
		diff -u "$doc" table.md
	else
		features_other "$doc" >other &&
		for dir in $(cat other); do features_row "${dir#../}"; done &&
		cat notes &&
		[ ! -s other ]
	fi
'

test_done
