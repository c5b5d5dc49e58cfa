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
printf '#!/bin/sh\nexec sleep 300\n' >job.sh

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
test_done
