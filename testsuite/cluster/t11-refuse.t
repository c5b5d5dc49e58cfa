#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What can never be is refused at once, at the command, with the reason; and
# slurmctld thinks nothing of it.

# shellcheck disable=SC2016,SC2034  # cases are evaluated by sharness
test_description='wrong and impossible shapes are refused at submit, with the reason'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
skip_without_plugins torus
MACHINE=4x4x2:TMT
torus_yaml '4, 4, 2' 'wrap: [true, false, true]' >torus.yaml
cluster_start --nodes 32 --select torus --torus torus.yaml

# refused PATTERN OPTION...: sbatch says no, in these words
refused() {
	refused_pattern=$1
	shift
	assert_refused "$refused_pattern" sbatch --wrap true "$@"
}

# both_run: the two parts of the one job that there is
both_run() {
	[ "$(squeue -h -t R -o %D | sort | paste -sd " ")" = "1 2" ]
}

test_expect_success 'words that are no geometry' '
	for word in 4xx2 x4 4x 4X4 0x2 2x0 04 +4 -4 "4 x4" " 4" 4x4x 4.5 abc 2^ ^2 \
		2^0 2^9 2x2^2 99999999999 4294967297 \
		1x1x1x1x1x1x1x1x1; do
		refused "geometry" --geometry="$word" || return 1
		grep -F -e "$word" assert.out || return 1
	done
'

test_expect_success 'an empty geometry is no request to be guessed at' '
	refused "geometry" --geometry=
'

test_expect_success 'the message shows an example' '
	refused "for example|such as|e\.g\." --geometry=4xx2
'

test_expect_success 'ladders without sched/torus, and equal regions that are none or too many' '
	refused "," --geometry=4x4,2x2 &&
	refused "@" --geometry=4x4@10m &&
	refused "regions" --geometry="2x2*0" &&
	refused "regions" --geometry="2x2*65" &&
	refused "9 regions of 4 nodes" --geometry="2x2*9" &&
	refused "repeats a shape" --geometry="8*2"
'

test_expect_success 'words that are no connection' '
	refused "conn-type" --geometry=4x4 --conn-type=ring &&
	refused "conn-type" --geometry=4x4 --conn-type= &&
	refused "conn-type" --geometry=4x4 --conn-type=TX
'

test_expect_success 'a wrong number of letters, letters with a count' '
	refused "conn-type" --geometry=4x4 --conn-type=TTT &&
	refused "conn-type" --geometry=4x4x2 --conn-type=TT &&
	refused "conn-type" --geometry=16 --conn-type=TTT
'

test_expect_success 'a strategy that is unknown, or not allowed on this machine' '
	refused "placement|strategy" --geometry=2x2 --placement=tetris &&
	refused "placement \"subtorus\" is not allowed on this machine; write submesh" --geometry=2x2 --placement=subtorus
'

test_expect_success 'shapes larger than the machine' '
	refused "5x4" --geometry=5x4 &&
	refused "4x4x3" --geometry=4x4x3 &&
	refused "33|64" --geometry=33 &&
	refused "2x2x2x2|dimension" --geometry=2x2x2x2 &&
	refused "65536x65536" --geometry=65536x65536x65536x65536
'

test_expect_success '2^5 has five axes; the message says how to request 32 nodes' '
	refused "32" --geometry=2^5
'

test_expect_success 'shapes that --no-rotate makes impossible' '
	refused "2x4x4|rotate" --no-rotate --geometry=2x4x4 &&
	refused "1x2x3|rotate" --no-rotate --geometry=1x2x3
'

test_expect_success 'rings that the machine cannot close' '
	refused "ring|torus|conn" --conn-type=torus --geometry=3x2 &&
	refused "ring|torus|conn" --conn-type=TT --geometry=4x3 &&
	refused "ring|torus|conn" --conn-type=torus --geometry=4x4
'

# Where the command refuses the option, our line is the last one; after a refusal of
# slurmctld sbatch has a line of its own (sbatch.c of each release).
test_expect_success 'forms of other systems, shapes that nearly fit: the nearest that works is named' '
	while IFS="|" read -r word answer last; do
		refused "$answer" --geometry="$word" && tail -n 1 assert.out | grep "$last" &&
			! grep "init_post_opt" assert.out || return 1
		near=$(sed -n "s/.*\(write\|ask for\) \([0-9x]*\).*/\2/p" assert.out) &&
			sbatch --test-only --geometry="$near" --wrap true || return 1
	done <<-END
	4*4*2|write 4x4x2$|error: torus: --geometry
	4X4X2|write 4x4x2$|error: torus: --geometry
	4:4:2|write 4x4x2$|error: torus: --geometry
	4 x 4 x 2|write 4x4x2$|error: torus: --geometry
	node=4x4x2|write 4x4x2$|error: torus: --geometry
	2,2,2|write 2x2x2|error: torus: --geometry
	5x2|5x2 does not fit .* ask for 3x2x2 .12 nodes.|failed: Requested node configuration is not available$
	16x2|16x2 does not fit .* ask for 4x4x2|failed: Requested node configuration is not available$
	8x8|8x8 needs 64 nodes, .* has 32; ask for 4x4x2|failed: Requested node configuration is not available$
	END
'

test_expect_success 'a range of nodes around the shape, a count between boxes, more tasks than CPUs' '
	id=$(submit --geometry=4x4 -N1-32) && wait_state "$id" RUNNING && assert_box "$id" 4x4 && cancel "$id" &&
	sbatch --test-only --geometry=7 --wrap true 2>&1 | grep "7 nodes here: 8 (2x2x2)" &&
	refused "16 nodes x 1 CPU = 16 tasks" --geometry=4x4 -n 17 &&
	refused "cpus-per-task. asks for 2 CPUs of a node, but no node has more than 1" --geometry=4x4 -c 2 &&
	refused "ntasks-per-node asks for 3 CPUs of a node" --geometry=4x4 --ntasks-per-node=3 &&
	refused "ntasks-per-node and -c ask for 6 CPUs" --geometry=4x4 -N16 --ntasks-per-node=3 -c 2 &&
	refused "rank-order=row-major" --geometry=4x4 --rank-order= &&
	SBATCH_GEOMETRY="4*4*2" refused "SBATCH_GEOMETRY.*write 4x4x2"
'

test_expect_success 'options that contradict the shape' '
	refused "-N|nodes" --geometry=2x2 -N3 &&
	refused "-N|nodes" --geometry=2x2 -N5-8 &&
	refused "-n|tasks" --geometry=2x2 -n3 &&
	refused "contiguous" --geometry=2x2 --contiguous &&
	refused "switches" --geometry=2x2 --switches=1
'

test_expect_success 'shapes of heterogeneous jobs; without shapes they run' '
	for parts in "--geometry=2x2 : -N2" "-N2 : --geometry=2x2"; do
		refused "heterogeneous" $parts || return 1
	done &&
	sbatch --output=/dev/null -N1 : -N2 --wrap "sleep 300" 2>err &&
	test_must_be_empty err &&
	wait_for 20 both_run &&
	cancel_all
'

test_expect_success 'no box across the edge of a dimension that does not wrap' '
	# (3,0,0) and (0,0,0) are neighbours, (0,3,0) and (0,0,0) are not
	id=$(submit --geometry=2 --exclude="$(all_but node03 node00)") &&
	wait_state "$id" RUNNING &&
	cancel "$id" &&
	test_must_fail submit --geometry=2 --exclude="$(all_but node12 node00)"
'

test_expect_success 'srun and salloc refuse in the same words' '
	assert_refused "geometry" srun --geometry=4xx2 true &&
	assert_refused "geometry" salloc --geometry=4xx2 true &&
	assert_refused "5x4" srun --geometry=5x4 true &&
	assert_refused "5x4" salloc --geometry=5x4 true
'

test_expect_success 'environment defaults are read as strictly' '
	SBATCH_GEOMETRY=4xx2 refused "4xx2" &&
	SALLOC_GEOMETRY=4xx2 assert_refused "4xx2" salloc true &&
	SLURM_GEOMETRY=4xx2 assert_refused "4xx2" srun true &&
	SBATCH_CONN_TYPE=ring refused "ring.*write torus" --geometry=4x4 &&
	SBATCH_NO_ROTATE=maybe refused "SBATCH_NO_ROTATE in the environment: got .maybe.: expected yes or no" --geometry=4x4
'

test_expect_success 'and mean what the options mean; the option wins' '
	id=$(SBATCH_GEOMETRY=1x4x2 SBATCH_NO_ROTATE=1 submit) &&
	wait_state "$id" RUNNING &&
	assert_box "$id" 1x4x2 exactly &&
	cancel "$id" &&
	id=$(SBATCH_GEOMETRY=4x4 submit --geometry=2x2) &&
	wait_state "$id" RUNNING &&
	assert_box "$id" 2x2 &&
	cancel "$id"
'

test_expect_success 'the options are in --help' '
	sbatch --help >help &&
	for option in geometry conn-type no-rotate placement; do
		grep -e "--$option" help || return 1
	done
'

test_expect_success 'none of these jobs is queued, and slurmctld works on' '
	[ -z "$(squeue -h)" ] &&
	[ "$(sinfo -h -N -o %T | sort -u)" = idle ] &&
	cluster status
'

test_done
