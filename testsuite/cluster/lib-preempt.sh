# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# lib-preempt.sh - what the tests of preemption share, after lib-cluster.sh and
# lib-sched.sh: a machine of 4x4 nodes of four cores, the partitions lo (tier 1, a
# grace time), main (tier 5) and hi (tier 10).

# preempt_start SCHEDULER [SELECT [GRACE]]: with PreemptMode=$preempt_mode and the journal
# $preempt_journal, where set
preempt_start() {
	sched_yaml '4, 4' easy ${preempt_journal:+"journal: $preempt_journal"} >torus.yaml
	set -- "$1" "${2-torus_cons_tres}" "${3-6}"
	preempt_more=
	case $2 in torus*) preempt_more="--torus torus.yaml" ;; esac
	case $2 in *cons_tres) preempt_more="$preempt_more --set SelectTypeParameters=CR_Core_Memory" ;; esac
	# shellcheck disable=SC2086  # words
	cluster_start --nodes 16 --cpus 4 --select "$2" --sched "$1" $preempt_more \
		--node RealMemory=1000 --set PreemptType=preempt/partition_prio \
		--set "PreemptMode=${preempt_mode-REQUEUE}"
	# shellcheck disable=SC2034  # for the test
	log=$CLUSTER_DIR/log/slurmctld.log
	sed -i 's/^PartitionName=main/& PriorityTier=5/' "$CLUSTER_DIR/slurm.conf"
	{
		echo "PartitionName=lo Nodes=ALL MaxTime=INFINITE PriorityTier=1 GraceTime=$3"
		echo "PartitionName=hi Nodes=ALL MaxTime=INFINITE PriorityTier=10"
	} >>"$CLUSTER_DIR/slurm.conf"
	scontrol reconfigure && cluster wait >/dev/null
}

preempt_stop() {
	cluster stop --now >/dev/null 2>&1
	rm -rf "$CLUSTER_DIR"
}

# has_preempted ID: it was told to end, or has ended and waits again. (Slurm looks
# every 30 seconds for jobs whose grace time is over.)
has_preempted() {
	[ "$(job_field "$1" Restarts)" = 0 ] || return 0
	preempt_time=$(job_field "$1" PreemptTime)
	[ -n "$preempt_time" ] && [ "$preempt_time" != None ]
}

# nobody_shares: no node of a shape belongs to another job that runs, is suspended or
# completes. A shape has its request in AdminComment.
nobody_shares() {
	scontrol --oneliner show job >shares.jobs 2>/dev/null
	awk '
	function use(node) {
		users[node] = users[node] " " id
		n[node]++
		shapes[node] += shape
	}
	function expand(list,    prefix, parts, ends, i, k, count) {
		if (list !~ /\[/) {
			count = split(list, parts, ",")
			for (i = 1; i <= count; i++)
				use(parts[i])
			return
		}
		prefix = list
		sub(/\[.*/, "", prefix)
		gsub(/.*\[|\]/, "", list)
		count = split(list, parts, ",")
		for (i = 1; i <= count; i++) {
			if (split(parts[i], ends, "-") == 1)
				ends[2] = ends[1]
			for (k = ends[1] + 0; k <= ends[2] + 0; k++)
				use(sprintf("%s%02d", prefix, k))
		}
	}
	{
		state = list = ""
		shape = / AdminComment=torus:/
		for (i = 1; i <= NF; i++) {
			if ($i ~ /^JobId=/)
				id = substr($i, 7)
			if ($i ~ /^JobState=/)
				state = substr($i, 10)
			if ($i ~ /^NodeList=/)
				list = substr($i, 10)
		}
		if (state ~ /^(RUNNING|SUSPENDED|COMPLETING)$/ && list != "" && list != "(null)")
			expand(list)
	}
	END {
		for (node in n) {
			if (n[node] < 2 || !shapes[node])
				continue
			print "jobs on " node ", one of them a shape:" users[node]
			bad = 1
		}
		exit bad
	}' shares.jobs || {
		cat shares.jobs
		return 1
	}
}

# never_shared SECONDS
never_shared() {
	never_end=$(($(date +%s) + $1))
	while [ "$(date +%s)" -le "$never_end" ]; do
		nobody_shares || return 1
		sleep 0.5
	done
}

# shares_with_lower_tier: a job of a higher tier on free cores, and on all nodes
shares_with_lower_tier() {
	shares_a=$(submit -p lo -t 5 -n1 --mem=100 -w node05) && wait_state "$shares_a" RUNNING 30 >&2 &&
		shares_b=$(submit -t 5 -N16 -n16 --mem=100) && wait_state "$shares_b" RUNNING 60 >&2 &&
		job_state "$shares_a" && job_nodes "$shares_b" &&
		shares_c=$(submit -p hi -t 5 -N16 -n64 --mem=100) && wait_state "$shares_c" RUNNING 60 >&2 &&
		job_nodes "$shares_c" && job_state "$shares_a"
}
