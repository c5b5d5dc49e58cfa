#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The live commands of the guides (blocks of ```live in doc/guide-user.md and
# doc/guide-admin.md), on a machine of 4x4x2: each prints what the page says, but for
# times of day. TORUS_REGENERATE=1 writes the answers anew.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
regenerate=${TORUS_REGENERATE:-0}
test_description='the live commands of the guides'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
[ "$(id -u)" -eq 0 ] || {
	skip_all='needs root, who may reserve nodes'
	test_done
}
sched_start '4, 4, 2' easy
PATH=$(cd "$top_builddir" && pwd):$PATH
TZ=UTC
export PATH TZ
cp "$top_srcdir/doc/guide/job.sh" .

# masked FILE: times of day, durations that go on, the user
masked() {
	sed 's/20[0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]\(:[0-9][0-9]\)\{0,1\}/TIME/g
		s/00:[0-9][0-9]:[0-9][0-9]/LEFT/g; s/\([^0-9]\)[0-9]* node s since/\1N node s since/' "$1"
}

# answers PAGE: what its live commands print, each once slurmctld has done its work
answers() {
	awk -v script=./script -v kind=live -v before='sleep 3;' \
		-f "$top_srcdir/testsuite/golden/console.awk" "$top_srcdir/doc/$1.md" >"$1.md"
	[ "$regenerate" != 1 ] || cp "$1.md" "$top_srcdir/doc/$1.md"
	masked "$top_srcdir/doc/$1.md" >wanted
	masked "$1.md" >got
	diff -u wanted got
}

for page in guide-user guide-admin; do
	test_expect_success "$page.md prints what it says" '
		[ $(grep -c "^\`\`\`live" "$top_srcdir/doc/$page.md") -ge 1 ] && answers $page
	'
done

# forms: how the text of both pages names commands, and a whole command for each (sacct and
# storus jobs, which need a database: t62-sacct-parity.t)
forms() {
	cat <<-END
	scontrol ping|scontrol ping
	scontrol reconfigure|scontrol reconfigure
	scontrol show config|scontrol show config
	scontrol show node|scontrol show node node00
	srun --distribution=arbitrary|env SLURM_HOSTFILE=hosts srun -n2 -t1 --distribution=arbitrary hostname
	srun --geometry=2x1|srun -t1 --geometry=2x1 hostname
	srun --mpi=list|srun --mpi=list
	storus check-config|storus check-config $CLUSTER_DIR/torus.yaml
	storus defrag|storus defrag 4x4
	storus explain JOB|storus explain $b
	storus map --fit SHAPE|storus map --fit 2x1
	storus metrics|storus metrics
	storus place --torus torus.yaml --geometry SHAPE|storus place --torus $CLUSTER_DIR/torus.yaml --geometry 4x4
	storus ranks|storus ranks --geometry 2x1
	storus reservations -v|storus reservations -v
	storus update JOB --geometry=...|storus update $b --geometry=4x4
	END
}
test_expect_success 'the commands that the text names are those that are run here' '
	cancel_all &&
	a=$(sbatch --parsable -o /dev/null -t 5 --geometry=4x3x2 job.sh) && wait_state $a RUNNING &&
	b=$(sbatch --parsable -o /dev/null -t 5 --geometry=4x4x2 job.sh) &&
	storus ranks --geometry 2x1 --hostfile=hosts && wait_for 30 storus reservations $b &&
	grep -oh "\`\(scontrol\|srun\|storus\) [^\`]*\`" "$top_srcdir/doc/guide-user.md" \
		"$top_srcdir/doc/guide-admin.md" | tr -d "\`" | grep -v "^storus jobs" | LC_ALL=C sort -u >named &&
	forms >forms && cut -d "|" -f 1 forms >run && test_cmp run named &&
	cut -d "|" -f 2 forms | while read -r command; do
		$command </dev/null >out 2>&1 || { echo "$command: $?"; cat out; exit 1; }
	done
'
test_done
