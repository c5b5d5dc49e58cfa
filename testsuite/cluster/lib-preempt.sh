# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# lib-preempt.sh - what the tests of preemption share, after lib-cluster.sh and
# lib-sched.sh: a machine of 4x4 nodes of four cores, the partitions lo (tier 1, a
# grace time), main (tier 5) and hi (tier 10).

# preempt_start SCHEDULER [SELECT [GRACE]]: with PreemptMode=$preempt_mode, where set
preempt_start() {
	sched_yaml '4, 4' easy >torus.yaml
	preempt_yaml="--torus torus.yaml"
	case ${2-torus_cons_tres} in
	torus*) ;;
	*) preempt_yaml= ;;
	esac
	# shellcheck disable=SC2086  # words
	cluster_start --nodes 16 --cpus 4 --select "${2-torus_cons_tres}" --sched "$1" $preempt_yaml \
		--node RealMemory=1000 \
		--set PreemptType=preempt/partition_prio --set "PreemptMode=${preempt_mode-REQUEUE}" \
		$(case ${2-torus_cons_tres} in *cons_tres) echo --set SelectTypeParameters=CR_Core_Memory ;; esac)
	log=$CLUSTER_DIR/log/slurmctld.log
	scontrol update partitionname=main prioritytier=5
	scontrol create partitionname=lo nodes=ALL state=up maxtime=infinite prioritytier=1 gracetime="${3-6}"
	scontrol create partitionname=hi nodes=ALL state=up maxtime=infinite prioritytier=10
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

# nobody_shares: no node of a shape belongs to another job that runs or is suspended. A
# shape has its request in AdminComment.
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
		if ((state == "RUNNING" || state == "SUSPENDED") && list != "" && list != "(null)")
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
