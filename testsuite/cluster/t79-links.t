#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Links that fail: slurmctld reads the links file when it changes; no place holds a
# dead link; a job that runs over one goes on and is reported; a file that is wrong
# changes nothing. The journal has each change, and a replay decides the same.

# shellcheck disable=SC2016,SC2034  # cases are evaluated by sharness
test_description='links that are down or weak'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
skip_without_plugins torus
cat >torus.yaml <<EOS
toruses:
- name: pod0
  dims: [4, 4]
  nodes: node[00-15]
  links: $PWD/links.txt
scheduler: {discipline: easy, journal: $PWD/journal.csv}
EOS
echo "pod0:1,0 0 down  # cable 7" >links.txt
cluster_start --nodes 16 --select torus --sched torus --torus torus.yaml
storus=$top_builddir/storus
edit_link()
{
	"$storus" link "$@" --torus torus.yaml
}

job_is_in()
{
	test "$(squeue -h -t all -j "$1" -o %T)" = "$2"
}

has_reason()
{
	squeue -h -j "$1" -o %r | grep "runs over the link"
}

reason_names()
{
	squeue -h -j "$1" -o %r | grep "runs over the link $2,"
}

comment_has()
{
	scontrol show job "$1" | grep "$2"
}

has_no_reason()
{
	! has_reason "$1"
}

drained()
{
	[ -z "$(squeue -h -o %i)" ]
}

# Where did a job of this shape go: its base and its rings.
place()
{
	srun --mpi=none "$@" -t 1 sh -c 'echo $TORUS_BASE $TORUS_RING' | sort -u
}

test_expect_success 'a ring begins behind the dead link' '
	place --geometry=4x4 --no-rotate >got &&
	echo "2,0 MT" >want &&
	test_cmp want got
'

test_expect_success 'a job waits where only links are in its way, and starts when they are up' '
	job=$(sbatch --parsable --geometry=4x4 --conn-type=torus -t 1 --wrap true) &&
	sleep 3 &&
	test "$(squeue -h -j $job -o %T)" = PENDING &&
	edit_link up pod0:1,0 0 &&
	wait_for 20 job_is_in "$job" COMPLETED
'

test_expect_success 'a running job over a link that dies goes on, and is reported' '
	job=$(sbatch --parsable --geometry=4x4 -t 1 --wrap "sleep 90") &&
	wait_for 10 job_is_in "$job" RUNNING &&
	edit_link down pod0:2,2 1 &&
	wait_for 20 grep "JobId=$job runs over the link pod0:2,2 1, which is down" \
		"$CLUSTER_DIR/log/slurmctld.log" &&
	scontrol show job $job | grep "torus:link-down=pod0:2,2/1" &&
	scontrol show job $job | grep "Reason=torus:_the_job_runs_over_the_link_pod0:2,2_1,_which_is_down" &&
	squeue -h -j $job -o %r | grep "runs over the link pod0:2,2 1, which is down" &&
	test "$(squeue -h -j $job -o %T)" = RUNNING &&
	edit_link up pod0:2,2 1 &&
	wait_for 20 has_no_reason "$job" &&
	edit_link down pod0:2,2 1 &&
	wait_for 20 has_reason "$job" &&
	edit_link down pod0:2,2 0 &&
	wait_for 20 comment_has "$job" link-down=pod0:2,2/0 &&
	edit_link up pod0:2,2 1 &&
	wait_for 20 reason_names "$job" "pod0:2,2 0" &&
	test "$(scontrol show job $job | grep -o link-down= | wc -l)" -eq 2 &&
	edit_link up pod0:2,2 0 &&
	wait_for 20 has_no_reason "$job" &&
	edit_link down pod0:2,2 1 &&
	scancel $job
'

test_expect_success 'a weak link is used for jobs that allow it' '
	edit_link weak pod0:2,2 1 &&
	sleep 6 &&
	place --geometry=4x4 --no-rotate >got &&
	place --geometry=4x4 --no-rotate --links=weak >>got &&
	printf "0,3 TM\n0,0 TT\n" >want &&
	test_cmp want got
'

test_expect_success 'the questions know which jobs accept weak links' '
	wait_for 60 drained &&
	ask="sbatch --parsable -H -t 1 --geometry=4x4 --conn-type=torus --wrap true" &&
	a=$($ask --links=weak) && b=$($ask) && "$storus" snapshot >snap && cat snap &&
	grep "\"pending\", \"id\": \"$a\".*\"links\": \"weak\"" snap &&
	! grep "\"pending\", \"id\": \"$b\".*\"links\": \"weak\"" snap &&
	"$storus" explain $a >out && cat out && grep "^4x4: has a place now" out &&
	"$storus" explain $b >out && cat out &&
	grep "would fit now if these links were up: pod0:2,2 1 weak" out && scancel $a $b
'

test_expect_success 'a wrong file changes nothing' '
	echo "pod0:9,9 0 down" >links.new && mv links.new links.txt && # never half a file
	wait_for 20 grep "links.txt:1: got .pod0:9,9 0 down.: pod0 (4x4) has no vertex 9,9" \
		"$CLUSTER_DIR/log/slurmctld.log" &&
	"$storus" reservations -v | grep "has no vertex 9,9" &&
	place --geometry=4x4 --no-rotate >got &&
	echo "0,3 TM" >want &&
	test_cmp want got
'

# load N: so many jobs, while links fail and are repaired.
load()
{
	shapes="4x4 2x2 4x1 4x4:--links=weak 2x4 4x2:--conn-type=TN 4x4 1x3:--no-rotate 2x2:--links=weak"
	n=0
	while [ $n -lt "$1" ]; do
		for shape in $shapes; do
			case $shape in
			*:*) option=${shape#*:} ;;
			*) option= ;;
			esac
			sbatch -Q -t 1 --geometry="${shape%%:*}" $option \
				--wrap "sleep 0.$((n * 7 % 10))" >/dev/null || return 1
			n=$((n + 1))
		done
		edit_link down "pod0:$((n % 4)),$((n / 3 % 4))" $((n % 2)) || return 1
		edit_link weak "pod0:$((n / 2 % 4)),1" $(((n + 1) % 2)) || return 1
		sleep 1.5
		[ $((n % 4)) != 0 ] || : >links.txt
	done
	: >links.txt
	wait_for 300 drained
}

replays()
{
	"$storus" parity --torus torus.yaml --within 0.001 --check "$1"
}

test_expect_success 'under load with links that fail, a replay of the journal decides the same' '
	: >links.txt && load 72 &&
	sleep 3 &&
	[ "$(grep -c ",\"pod0:.* down\",link," journal.csv)" -ge 6 ] &&
	[ "$(grep -c ",\"pod0:.* weak\",link," journal.csv)" -ge 6 ] &&
	grep -q ",\"pod0:.* up\",link," journal.csv &&
	replays journal.csv >same && grep -x "regions: 0 of [1-9][0-9]* differ" same &&
	cat same
'

test_expect_success 'without the lines of links it does not' '
	sed "/,link,$/d" journal.csv >without.csv &&
	test_expect_code 1 replays without.csv
'

test_done
