#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The examples that storus prints, those that ask a cluster: each is run as it is
# printed, on a machine of 4x4x2 with the jobs 17 and 18 of the examples. None may be
# wrong usage (2) or trouble (3). The others: golden/examples.t.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='the printed examples, on a cluster'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
# shellcheck source=testsuite/lib-examples.sh
. "$top_srcdir/testsuite/lib-examples.sh"
skip_without_plugins torus
sched_start '4, 4, 2' easy --cpus 4 --set FirstJobId=17
prereq_root
storus() {
	"$top_builddir/storus" "$@"
}
PATH=$(cd "$top_builddir" && pwd):$PATH
export PATH

# the links file of `storus link`
sed 's/^    nodes:.*/&\n    links: links.txt/' "$CLUSTER_DIR/torus.yaml" >with-links &&
	cp with-links "$CLUSTER_DIR/torus.yaml" && : >"$CLUSTER_DIR/links.txt" &&
	scontrol reconfigure && cluster wait
printf '#!/bin/sh\nexec sleep 120\n' >job.sh
printf '#!/bin/sh\nexit 0\n' >app
chmod +x job.sh app
printf 'id,cost\n17,5\n' >checkpoints.csv
export SLURM_TIME_FORMAT

# try LINE: as printed, but for files of the system
try() {
	echo "$1" | sed "s#/var/lib/prometheus/node-exporter/#./#" >line
	echo "\$ $1"
	sh ./line >out 2>err </dev/null
	try_status=$?
	cat out err
	echo "= $try_status"
	[ $try_status -le 1 ]
}

# try_all COMMAND...: their examples that need a cluster
try_all() {
	for try_command in "$@"; do
		examples_of "$try_command" >lines
		while IFS= read -r try_line; do
			! example_is_live "$try_line" || try "$try_line" || return 1
		done <lines
	done
}

test_expect_success 'the first job of this cluster is 17' '
	[ "$(submit --array=4 -H --geometry=4x4 -t 30)" = 17 ] &&
	[ "$(submit --geometry=2x2x2 -t 30)" = 18 ] && wait_state 18 RUNNING
'
test_expect_success 'update: another shape for the waiting job 17' '
	examples_of update | grep -v 17_4 >lines && [ -s lines ] &&
	while IFS= read -r line; do try "$line" && [ $try_status = 0 ] || return 1; done <lines &&
	try "$(examples_of update | grep 17_4)" && [ $try_status = 0 ] &&
	scontrol release 17 && wait_state 17_4 RUNNING
'
test_expect_success 'questions, while jobs 17 and 18 run' '
	try_all map node snapshot slots defrag what-if explain metrics link
'
test_expect_success 'explain 17, defrag and what-if answer' '
	storus explain 17 | grep "^Job 17_4.* runs on" && storus node --job 17 | grep 17_4 &&
	storus explain 17_4
'
test_expect_success 'reservations, of a job that waits' '
	wide=$(submit --geometry=4x4x2 -t 30) &&
	wait_for 20 sh -c "storus reservations | grep -q \"^$wide \"" &&
	try_all reservations && scancel $wide
'
test_expect_success ROOT 'reserve and release' '
	try_all reserve && [ $try_status = 0 ] && ! scontrol show reservation tests
'
test_expect_success 'sbatch' '
	cancel_all && examples_of sbatch >lines && [ $(wc -l <lines) -ge 8 ] &&
	while IFS= read -r line; do
		try "$line" && [ $try_status = 0 ] || return 1
	done <lines && cancel_all
'
test_expect_success 'ranks, in a batch script' '
	examples_of ranks | grep -v -- --torus >lines && grep -c . lines &&
	{
		printf "#!/bin/sh\nPATH=%s\nset -e\n" "$PATH"
		cat lines
		echo "touch done"
	} >ranks.sh && sbatch --geometry=4x2 -n 32 -t 5 -o ranks.out ranks.sh &&
	{ wait_for 30 [ -e done ] || { cat ranks.out; false; }; } && cat hosts launch && cancel_all
'
test_done
