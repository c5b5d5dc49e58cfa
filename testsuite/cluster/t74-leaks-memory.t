#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a job asks of a node (memory, GRES) makes no idle node look leaked: else
# one job could take the machine out of service.

# shellcheck disable=SC2016,SC2034,SC2154  # cases are evaluated by sharness
test_description='sched/torus: refused memory is no leaked node'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
# shellcheck source=testsuite/cluster/lib-sched.sh
. "$cluster_lib/lib-sched.sh"
skip_without_plugins torus
sched_start '4, 2' easy --cpus 4 --gres gpu:2 --node RealMemory=4000 \
	--set SelectTypeParameters=CR_Memory --set DefMemPerCPU=100

test_expect_success 'a job that needs more memory than any node has does not block others' '
	mark
	j=$(submit -n4 --mem-per-cpu=2000 -t 5) &&
	stays_state $j PENDING 10 && ! logged "does not use" &&
	i=$(submit -N8 -t 5) && scancel $j && wait_state $i RUNNING 20 &&
	cancel $i
'

test_done
