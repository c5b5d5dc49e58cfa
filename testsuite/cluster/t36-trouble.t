#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Two things that last longer than planned: a moment without memory, in which no job
# is withdrawn and no promise lost, and an epilog, during which the thread does not
# run in circles because a start is overdue.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: no memory for a moment; an overdue start'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
command -v cc >/dev/null || {
	skip_all="there is no C compiler"
	test_done
}

# (the loader and slurm.conf take no blank in a path)
files=$(mktemp -d "${TMPDIR:-/tmp}/slurm-torus-files.XXXXXX") || exit 1

# Allocations of our library fail while the file NO_MEMORY exists.
cat >no-memory.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
static int fails(void *caller)
{
	Dl_info at;

	if (access(NO_MEMORY, F_OK) || !dladdr(caller, &at) ||
	    !strstr(at.dli_fname, "libtorus"))
		return 0;
	errno = ENOMEM;
	return 1;
}
void *calloc(size_t n, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}
void *realloc(void *p, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, size);
}
C
printf '#!/bin/sh\n[ ! -e "%s/slow" ] || sleep 60\n' "$files" >"$files/epilog"
chmod +x "$files/epilog"
sched_yaml '4, 2' conservative "journal: $files/journal.csv" >my.yaml
MACHINE=4x2
cluster_start --nodes 8 --select torus --sched torus \
	--torus my.yaml --set OverTimeLimit=30 --set "Epilog=$files/epilog"
log=$CLUSTER_DIR/log/slurmctld.log
storus=$top_builddir/storus

cluster stop-ctld && cc -shared -fPIC -DNO_MEMORY="\"$files/no-memory\"" \
	-o "$files/preloaded.so" "$top_srcdir/contribs/lib/loopback.c" no-memory.c -ldl &&
	mv "$files/preloaded.so" "$CLUSTER_DIR/bin/loopback.so" && cluster start-ctld ||
	exit 1

# cycles: how many the thread has run
cycles() {
	"$storus" reservations --file "$CLUSTER_DIR/state/torus_plan" -v --json |
		sed -n 's/.*"cycles": *\([0-9]*\).*/\1/p' | head -n 1
}

test_expect_success 'without memory no job is withdrawn, and its promise stays' '
	scontrol create reservation reservationname=later users=$(id -un) \
		starttime=now+10days duration=10 nodes=node[00-03] &&
	a=$(submit -N8 -t 1) && wait_state $a RUNNING &&
	b=$(submit --geometry=4x2 -t 5) && c=$(submit --geometry=2x2 -t 20) &&
	wait_for 10 promised $b && wait_for 10 promised $c &&
	before=$(squeue -h --start -S i -o "%i %Y") && start=$start_time &&
	sleep 1 && lines=$(wc -l <"$files/journal.csv") && : >"$files/no-memory" &&
	scontrol update jobid=$a timelimit=3 && sleep 1 &&
	scontrol update jobid=$a timelimit=1 && sleep 4 && rm "$files/no-memory" && sleep 4 &&
	cat "$files/journal.csv" && tail -n +$((lines + 1)) "$files/journal.csv" >new &&
	! grep -i withdrawn new && ! grep "^$b," new && ! grep "^$c," new &&
	[ "$(squeue -h --start -S i -o "%i %Y")" = "$before" ] && promised_near $c "$start" &&
	grep "out of memory" "$log"
'

test_expect_success 'a start that is overdue does not keep the thread busy' '
	scancel $c && end=$(seconds "$(job_field $a EndTime)") &&
	while [ "$(date +%s)" -le $((end + 2)) ]; do sleep 1; done &&
	before=$(cycles) && sleep 15 && after=$(cycles) &&
	echo "$before cycles, 15 seconds later $after" &&
	[ "$(job_state $b)" = PENDING ] && [ $((after - before)) -le 5 ]
'

test_expect_success 'a node whose epilog lasts is expected to need as long again' '
	: >"$files/slow" && scancel $a && sleep 25 && scontrol show job $b | grep StartTime &&
	reason_of $b && promised $b && [ $(seconds "$start_time") -gt $(($(date +%s) + 2)) ]
'

rm -rf "$files"
test_done
