#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Plugins of the right version number, built with headers that differ from the
# running slurmctld's by one member of a record: slurmctld does not start and
# says why, whichever plugin is the first.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='headers that are not the running Slurm'\''s'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
[ -n "${SLURM_CPPFLAGS-}" ] || {
	skip_all='not told where the headers of Slurm are'
	test_done
}

# compile_over OPTION...: with the headers of the overlay
compile_over() {
	# shellcheck disable=SC2086  # several words
	cc -std=gnu11 -O1 -fPIC -fvisibility=hidden -D_GNU_SOURCE \
		-I"$top_builddir" -I"$top_srcdir/include" -I"$top_srcdir/src" \
		-I"$top_srcdir/plugins" -isystem overlay $SLURM_CPPFLAGS "$@"
}

# objects_but SOURCE: of the library, without that of this file, or of one that is gone
objects_but() {
	(cd "$top_srcdir" && find plugins/slurmctld -name "*.c") | while read -r name; do
		object=$top_builddir/${name%/*}/.libs/libtorus_slurm_la-$(basename "$name" .c).o
		[ "$name" = "plugins/slurmctld/$1" ] || [ ! -f "$object" ] || echo "$object"
	done
}

# other_library SOURCE: other.so, libtorus_slurm.so with that file compiled with the
# headers of the overlay
other_library() {
	# shellcheck disable=SC2046  # a list of files
	compile_over -c -o other.o "$top_srcdir/plugins/slurmctld/$1" &&
		cc -shared -fno-lto -Wl,-z,lazy -o other.so other.o $(objects_but "$1") \
			"$top_builddir/.libs/libtorus.a" -lyaml -lpthread
}

# other_record RECORD: other.so whose check was built with headers in which that record
# has one member more
other_record() {
	other_header=$(for dir in $SLURM_CPPFLAGS; do
		grep -rls "^struct $1 {" "$dir"/src/common "$dir"/src/slurmctld
	done | head -n 1)
	other_name=src/${other_header##*/src/}
	rm -rf overlay && mkdir -p "overlay/$(dirname "$other_name")" &&
		sed "s/^struct $1 {/&\n\tuint64_t inserted;/" "$other_header" \
			>"overlay/$other_name" &&
		grep -q inserted "overlay/$other_name" &&
		other_library instance/record_layout.c
}

# overlay_release MAJOR MINOR MICRO: headers that have that version
overlay_release() {
	headers=$(for dir in $SLURM_CPPFLAGS; do
		[ ! -f "$dir/slurm/slurm_version.h" ] || echo "$dir"
	done | head -n 1)
	rm -rf overlay && mkdir -p overlay/slurm &&
		for name in config.h slurm/slurm_version.h; do
			sed "s/^#define SLURM_VERSION_NUMBER .*/#define SLURM_VERSION_NUMBER (($1 << 16) + ($2 << 8) + $3)/" \
				"$headers/$name" >"overlay/$name" || return
		done &&
		grep -q "($1 << 16)" overlay/slurm/slurm_version.h
}

# other_release MAJOR MINOR MICRO: other.so that says that it was built for it
other_release() {
	overlay_release "$@" && other_library api.c
}

# other_plugin MAJOR MINOR MICRO: job_submit_torus.so that was built for it
other_plugin() {
	overlay_release "$@" &&
		compile_over -shared -Wl,-z,lazy -o "$CLUSTER_DIR/plugins/fresh.so" \
			"$top_srcdir/plugins/job_submit/torus/job_submit_plugin.c" \
			"$top_srcdir/plugins/slurmctld/torus_slurm.c" \
			"$top_srcdir/plugins/slurmctld/other_release.c" &&
		mv "$CLUSTER_DIR/plugins/fresh.so" "$CLUSTER_DIR/plugins/job_submit_torus.so"
}

# use_library FILE: never write into a file that a process has mapped
use_library() {
	cp "$1" "$CLUSTER_DIR/plugins/fresh.so" &&
		mv "$CLUSTER_DIR/plugins/fresh.so" "$CLUSTER_DIR/plugins/libtorus_slurm.so"
}

MACHINE=2x1
torus_yaml '2, 1' >torus.yaml
cluster_start --nodes 2 --select torus --torus torus.yaml
log=$CLUSTER_DIR/log/slurmctld.log

# refused_by TYPE RECORD: a key of slurm.conf loads the library; slurmctld ends
refused_by() {
	mark &&
		test_must_fail cluster start-ctld &&
		logged "built for another Slurm: its $1 records have [0-9]+ bytes, the headers said [0-9]+" &&
		logged "contribs/slurm-source" &&
		[ ! -e "$CLUSTER_DIR/core" ]
}

test_expect_success 'plugins of its own for slurmctld' '
	cluster stop-ctld &&
	mkdir "$CLUSTER_DIR/plugins" &&
	cp "$SLURM_TORUS_PLUGIN_DIR"/*.so "$CLUSTER_DIR/plugins/" &&
	cp "$CLUSTER_DIR/plugins/libtorus_slurm.so" good.so &&
	sed -i "s,^PluginDir=[^:]*,PluginDir=$CLUSTER_DIR/plugins," "$CLUSTER_DIR/slurm.conf"
'

test_expect_success 'a node record with a member more: select/torus refuses' '
	other_record node_record && use_library other.so &&
	refused_by node
'

test_expect_success 'a job record with a member more: refused before there is a job' '
	cp "$CLUSTER_DIR/slurm.conf" slurm.conf.good &&
	if slurm_at_least 24.05; then
		other_record job_record && use_library other.so &&
		refused_by job &&
		sed -i "s,^SelectType=.*,SelectType=select/linear," "$CLUSTER_DIR/slurm.conf" &&
		refused_by job
	else
		echo "such a Slurm does not tell"
	fi
'

test_expect_success 'a library for another release: one line that names both' '
	cp slurm.conf.good "$CLUSTER_DIR/slurm.conf" &&
	other_release 26 11 0 && use_library other.so && mark &&
	test_must_fail cluster start-ctld &&
	logged "built for Slurm 26.11.0, which has other records than the running [0-9.]+; install all plugins" &&
	[ ! -e "$CLUSTER_DIR/core" ]
'

test_expect_success 'plugins for another release or patch: Slurm refuses, one line names both and the cure' '
	use_library good.so &&
	number=$(sed -n "s/^#define SLURM_VERSION_NUMBER 0x//p" "$headers/slurm/slurm_version.h") &&
	own="0x$(echo "$number" | cut -c 1-2) 0x$(echo "$number" | cut -c 3-4)" &&
	for other in "26 11 0" "$own 99"; do
		# shellcheck disable=SC2086  # three numbers
		other_plugin $other && mark &&
		test_must_fail cluster start-ctld &&
		logged "job_submit_torus.so was built for Slurm [0-9.]+[.]0*${other##* }, but this is [0-9.]+: build all plugins with the source of [0-9.]+" ||
			return 1
	done &&
	cp "$SLURM_TORUS_PLUGIN_DIR/job_submit_torus.so" "$CLUSTER_DIR/plugins/fresh.so" &&
	mv "$CLUSTER_DIR/plugins/fresh.so" "$CLUSTER_DIR/plugins/job_submit_torus.so"
'

test_expect_success 'a library for another patch of the release is accepted with a notice' '
	[ -n "$number" ] &&
	# shellcheck disable=SC2086  # two numbers
	other_release $own 99 &&
	use_library other.so && mark &&
	cluster start-ctld && cluster wait &&
	logged "built for Slurm [0-9.]+[.]99; this is [0-9.]+, whose records have the same sizes: it is accepted" &&
	id=$(submit --geometry=2x1) && wait_state "$id" RUNNING && cancel "$id" &&
	cluster stop-ctld
'

test_expect_success 'with the right headers slurmctld starts' '
	cp slurm.conf.good "$CLUSTER_DIR/slurm.conf" && use_library good.so &&
	cluster start-ctld && cluster wait &&
	id=$(submit --geometry=2x1) && wait_state "$id" RUNNING && cancel "$id"
'

test_done
