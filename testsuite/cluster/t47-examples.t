#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# contribs/examples: each boots with its own settings, scaled down to fewer nodes
# (the extents and the names of torus.yaml are replaced, nothing else), and runs
# a job that checks its own coordinates; those of the nodes are checked against
# storus ranks, too.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='the example configurations, booted'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
skip_without_plugins torus
examples=$top_srcdir/contribs/examples
storus=$top_builddir/storus

# value FILE KEY
value() {
	sed -n "s/^$2=//p" "$1"
}

# settings FILE: what private-cluster is to take over, as --set options; all but
# where things are, who runs them, and what it has an option for.
settings() {
	grep '^[A-Za-z]*=' "$1" |
		grep -vE '^(ClusterName|SlurmctldHost|SlurmUser|Auth.*|.*Location|.*Dir|.*PidFile|.*LogFile|PlugStackConfig|JobSubmitPlugins|ProctrackType|TaskPlugin|NodeName|PartitionName|SelectType|SchedulerType)=' |
		sed 's/^/--set\n/'
}

# boot NAME DIMS NODES: the example's cluster, with other extents.
boot() {
	sed "s/dims: .*/dims: [$2]/; s/nodes: .*/nodes: node[00-$(($3 - 1))]/" \
		"$examples/$1/torus.yaml" >torus.yaml
	boot_conf=$examples/$1/slurm.conf
	boot_select=$(value "$boot_conf" SelectType)
	boot_sched=$(value "$boot_conf" SchedulerType)
	boot_cpus=$(sed -n 's/^NodeName=.* CPUs=\([0-9]*\).*/\1/p' "$boot_conf")
	settings "$boot_conf" >settings
	set --
	while IFS= read -r boot_word; do
		set -- "$@" "$boot_word"
	done <settings
	cluster_start --nodes "$boot_nodes" --cpus "$boot_cpus" \
		--select "${boot_select#select/}" --sched "${boot_sched#sched/}" \
		--torus torus.yaml "$@"
}

unboot() {
	cluster stop --now >/dev/null 2>&1
	rm -rf "$CLUSTER_DIR"
}

no_node_in_use() {
	[ -z "$(sinfo -h -t alloc,comp,mix -o %n)" ]
}

# checks OPTION...: the job has run and found its coordinates right.
checks() {
	rm -f out
	sbatch --wait --output="$PWD/out" "$@" "$examples/check-coordinates" || {
		cat out
		return 1
	}
	cat out && grep "^right: " out
}

example() { # NAME DIMS NODES RIGHT OPTION...
	example_name=$1 boot_nodes=$3 example_right=$4
	boot "$1" "$2" "$3"
	shift 4
	example_options=$*
	test_expect_success "$example_name: its own files are right" '
		"$storus" check-config "$examples/$example_name/torus.yaml" \
			--slurm-conf "$examples/$example_name/slurm.conf" &&
		: "private-cluster would add this where it is missing" &&
		grep "^SchedulerParameters=" "$examples/$example_name/slurm.conf"
	'
	test_expect_success "$example_name: a job finds its coordinates right" '
		checks $example_options &&
		grep "^right: $example_right" out
	'
	test_expect_success "$example_name: so do its nodes, by storus ranks" '
		grep -v "^right" out | awk "{ sub(/;.*/, \"\", \$3); print \$1, \$2, \$3 }" |
			sort >told &&
		: "the same nodes again" && wait_for 30 no_node_in_use &&
		sbatch --wait --output="$PWD/ranks" $example_options --wrap "
			$storus ranks" &&
		awk "{ c = \$2; s = 0; if (split(c, p, \":\") == 2) { s = p[1]; c = p[2] }
			if (!(\$4 in seen)) print \$4, s, c; seen[\$4] = 1 }" ranks |
			sort >ranked &&
		test_cmp told ranked
	'
	unboot
}

example tpu-pod '4, 4, 4' 16 '64 vertices of 2 x 4x4x2 on 16 nodes' \
	--geometry='4x4x2*2'
example galaxy-mesh '32, 16' 16 '128 vertices of 1 x 16x8 on 4 nodes' \
	--geometry=16x8
example tofu '2, 1, 1, 2, 3, 2' 24 '12 vertices of 1 x 2x3x2 on 12 nodes' \
	--geometry=2x3x2
example gemini '4, 2, 2' 32 '8 vertices of 1 x 2x2x2 on 16 nodes' \
	--geometry=2x2x2
example hypercube '2, 2, 2, 2' 16 '8 vertices of 1 x 2x2x2 on 8 nodes' \
	--geometry=2^3 --deadline=now+30minutes -t 5
test_done
