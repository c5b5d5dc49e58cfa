#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A wrong policy in slurmctld: it crashes, hangs, recurses, gives places that are none. Each is
# one line; slurmctld and the jobs go on, with easy or a built-in strategy instead.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='a policy in slurmctld that crashes, hangs or gives wrong places'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
[ "$(id -u)" = 0 ] || { skip_all='slurmctld trusts policies of root alone'; test_done; }
sched_start '4, 2, 2' easy
policies=$CLUSTER_DIR/policies
storus=$top_builddir/storus
mkdir -m 755 "$policies"
sed -i "s,^PluginDir=.*,&:$policies," "$SLURM_CONF"

cat >rank.c <<'X'
#include <math.h>
#include <stdlib.h>
#include <unistd.h>
#include <torus/policy.h>
static volatile int zero;
static int __attribute__((noinline)) deep(volatile char *above)
{
	volatile char here[4096];
	here[0] = *above;
	return deep(here) + here[0];
}
static int64_t mine_rank(void *self, const struct torus_job *job, int64_t now_us)
{
	(void)self, (void)now_us, (void)deep, (void)zero;
	if (job->limit_us == 7 * 60 * INT64_C(1000000))
		WRONG;
	return job->limit_us;
}
static const struct torus_discipline mine = { .name = NAME, .rank = mine_rank };
TORUS_POLICY_DISCIPLINE(mine);
X
sed 's/"first-nodes"/NAME/' "$top_srcdir/contribs/examples/policies/first_nodes.c" >right.c
sed 's/(void)why;/&if (torus_ask_nodes(ask) == 2) { WRONG; }/' right.c >find.c
sed 's/\*out = (struct torus_place/if (torus_ask_nodes(ask) == 2) { WRONG; }&/' right.c >late.c

# build SOURCE NAME WRONG: a policy that does this with a job of 7 minutes, or 2 nodes
build() {
	${CC:-cc} -shared -fPIC -O1 -w -I"$top_srcdir/include" -DNAME="\"$2\"" \
		-D"WRONG=$3" -o "$policies/$2.so" "$1.c"
}

pid_of_ctld() {
	cat "$CLUSTER_DIR/run/slurmctld.pid"
}

lines_of() {
	logged "error: torus: policy .*/$1.so: " | wc -l
}

# loads NAME: a discipline of a fresh slurmctld; the long job a runs on all nodes
loads() {
	sched_yaml "4, 2, 2" "$policies/$1.so" >"$CLUSTER_DIR/torus.yaml" &&
	cluster restart-ctld && cluster wait && mark && ctld=$(pid_of_ctld) &&
	wait_for 20 decides "$1"
}

# decides NAME: the discipline in force
decides() {
	"$storus" reservations -v >out && grep -q "^discipline $1, " out
}

while read -r name what wrong; do
	test_expect_success "rank() that $name: one line, the running job stays, easy decides" '
		build rank "$name" "$wrong" && loads "$name" &&
		a=$(submit --geometry=4x2x2 -t 30) && wait_state $a RUNNING 20 &&
		hold_queue && b=$(submit -N2 -t 7) && c=$(submit -N16 -t 1) && let_go &&
		wait_for 20 logged "error: torus: policy .*/$name.so: rank\(\) $what" &&
		wait_for 20 decides easy && [ "$(job_state $a)" = RUNNING ] && cancel $a &&
		wait_state $b RUNNING 20 && [ "$(job_state $c)" = PENDING ] && cancel $b &&
		wait_state $c RUNNING 20 && cancel $c && started_is $a $b $c &&
		[ "$(lines_of "$name")" = 1 ] && [ "$(pid_of_ctld)" = "$ctld" ] &&
		decides easy && grep "^policy .*/$name.so: rank() $what" out &&
		"$storus" reservations --json | grep "\"policy_error\": \".*/$name.so: rank()" ||
		{ cancel_all; false; }
	'
done <<'X'
crashes crashed..SIGSEGV *(volatile int *)0 = 1
traps crashed __builtin_trap()
recurses crashed..SIGSEGV return deep("")
loops hangs for (;;) zero = 1
sleeps hangs for (;;) pause()
X

test_expect_success 'another policy decides after a reconfigure' '
	build rank right "return 0" && sched_change "4, 2, 2" "$policies/right.so" &&
	mark && a=$(submit -N16 -t 1) && wait_state $a RUNNING 20 &&
	decides right && ! grep "^policy" out &&
	cancel $a
'

test_expect_success 'what ends the process, or needs another library, is refused' '
	build rank exits "exit(1)" && build rank forks "return fork()" &&
	build rank dies "fatal(\"%s\", NAME)" &&
	for name in exits forks dies; do
		mark && { sched_change "4, 2, 2" "$policies/$name.so" || cluster wait; } &&
		wait_for 60 logged "$name.so: it calls (exit|fork|fatal)\(\): a policy in slurmctld must not" || return 1
	done &&
	echo "int deeper;" >deeper.c && ${CC:-cc} -shared -fPIC -o libdeeper.so deeper.c &&
	${CC:-cc} -shared -fPIC -w -I"$top_srcdir/include" -DNAME="\"needs\"" -D"WRONG=return 0" \
		-o "$policies/needs.so" rank.c -Wl,--no-as-needed ./libdeeper.so &&
	mark && { sched_change "4, 2, 2" "$policies/needs.so" || cluster wait; } &&
	wait_for 60 logged "needs.so: it needs .*libdeeper.so: a policy in slurmctld uses"
'

# places NAME: a strategy of a fresh slurmctld
places() {
	{
		torus_yaml "4, 2, 2" "strategy: $policies/$1.so"
		printf "scheduler:\n  discipline: easy\n"
	} >"$CLUSTER_DIR/torus.yaml"
	cluster restart-ctld && cluster wait && mark && ctld=$(pid_of_ctld)
}

while read -r name source what wrong; do
	test_expect_success "find() that $name: one line, and submesh places the job" '
		build $source "$name" "$wrong" && places "$name" &&
		a=$(submit -N3 --geometry=3 -t 30) && wait_state $a RUNNING 20 &&
		[ "$(lines_of "$name")" = 0 ] &&
		b=$(submit --geometry=2 -t 30) && wait_state $b RUNNING 20 &&
		logged "error: torus: policy .*/$name.so: find\(\) $what" &&
		[ "$(lines_of "$name")" = 1 ] && [ "$(job_state $a)" = RUNNING ] &&
		c=$(submit --geometry=2x2 -t 30) && wait_state $c RUNNING 20 &&
		[ "$(lines_of "$name")" = 1 ] && [ "$(pid_of_ctld)" = "$ctld" ] &&
		"$storus" reservations -v >out && grep "^policy .*/$name.so: find() $what" out &&
		cancel $a $b $c || { cancel_all; false; }
	'
done <<'X'
faults find crashed *(volatile int *)0 = 1
stops find hangs for (;;) pause()
babbles find gave.no.answer return 77
overlaps late gave.a.place f->nodes[0] = 3, got = 2
misleads late crashed *out = (struct torus_placement){ .scattered = true, .granted = 2, .nodes = (void *)64 }; return TORUS_FITS
X

test_done
