# SPDX-License-Identifier: GPL-2.0-or-later
#
# stock-day.awk - the judge of t99-stock-day.t: stock Slurm's run of a day and another.
#
# Input: the lines of a site, of its day, of the reservations and of both runs (written by
# t99-stock-day.t). -v other=MODE: the run that is judged; "stock" is the other. Every rule
# knows the site alone, and is applied to both runs: what stock does, too, is no fault.
#
#   the same      each job ends in the same state, is refused by both or by neither, and has
#                 the same CPUs, memory and GPUs, and nodes where it asked for a number
#   allowed       its nodes are in its partition, have its feature, are not reserved for
#                 others; a shape or an exclusive job has them to itself
#   order         no job starts before one that ranks higher and asks for no more of anything;
#                 with conservative a job that came sooner has a promise, which is kept
#   weights       no job gets a heavier node while a lighter one is idle. Judged where no job
#                 that ranks higher waits, as that may have a reservation of the lighter one
#   idle          the job that ranks highest of all does not wait while it fits
#   preemption    whoever is preempted gives a node to an entitled job that did not wait when
#                 it was started (if that waited first in the queue, the other was backfilled);
#                 and these are no more than stock preempts, with a margin, as the runs differ,
#                 unless those that may be preempted end sooner for all that: they began sooner
#   in time       jobs start within a bound of when stock starts them, and the day ends so
#
# A difference is printed with its class: shape, discipline, load or FAIL; the last line has
# the counts. Exit status 1: a FAIL.
#
# Times are whole seconds, as sacct's; a node counts as idle when nobody has had it for
# `settle` seconds.

BEGIN { settle = 3; late_least = 30; idle_bound = 15 }

# expand LIST: node[00-02,05] into nodes_of[1..n]; returns n
function expand(list,	parts, ends, i, k, count, n) {
	gsub(/node|\[|\]/, "", list)
	count = split(list, parts, ",")
	for (i = 1; i <= count; i++) {
		if (split(parts[i], ends, "-") == 1)
			ends[2] = ends[1]
		for (k = ends[1] + 0; k <= ends[2] + 0; k++)
			nodes_of[++n] = k
	}
	return n
}

function say(class, text) {
	print "#   " class ": " text
	counts[class]++
}

$1 == "machine" {
	nodes = $2; cpus = $3; memory = $4; gpus = $5; preempt = $6; requeues = $12 == "REQUEUE"
	for (v = 0; v < nodes; v++)
		weight[v] = 1
}
$1 == "part" { tier[$2] = $3; for (v = $6; v <= $7; v++) in_part[$2, v] = 1 }
$1 == "weight" { for (v = $2; v <= $3; v++) weight[v] = $4 }
$1 == "feature" { for (v = $3; v <= $4; v++) has[$2, v] = 1 }
$1 == "qos" { most_of[$2] = $4 }
$1 == "job" {
	k = $2; jobs++; seconds[k] = $4; kind[k] = $5; want_nodes[k] = $6; tasks[k] = $7
	node_mem[k] = $8; cpu_mem[k] = $9; node_gpus[k] = $10; limit[k] = 60 * $11
	part[k] = $12; qos[k] = $13; feature[k] = $14; reservation[k] = $15
}
# resv RUN NAME NODES START END
$1 == "resv" {
	reservations[$2]++
	r = $2 SUBSEP reservations[$2]
	resv_name[r] = $3; resv_start[r] = $5; resv_end[r] = $6
	m = expand($4)
	for (i = 1; i <= m; i++)
		in_resv[r, nodes_of[i]] = 1
}
$1 == "refused" { refused[$2, $3] = 1 }
$1 == "began" { began[$2] = $3 }
# run RUN JOB ID STATE ELIGIBLE START END NODES CPUS MEMORY NODECOUNT GPUS PRIORITY
$1 == "run" {
	r = $2
	a = ++runs[r]
	job[r, a] = $3; id[r, a] = $4; state[r, a] = $5; eligible[r, a] = $6
	start[r, a] = $7; end[r, a] = $8; job_cpus[r, a] = $10; job_mem[r, a] = $11
	node_count[r, a] = $12; job_gpus[r, a] = $13; priority[r, a] = $14
	last[r, $3] = a
	if ($6 && (!first_eligible[r, $3] || $6 < first_eligible[r, $3]))
		first_eligible[r, $3] = $6
	# Slurm's word for a job that ends by itself in its grace time
	if ($5 == "TIMEOUT" && $8 - $7 < limit[$3])
		state[r, a] = "PREEMPTED"
	n = start[r, a] ? expand($9) : 0
	list[r, a] = $9
	for (i = 1; i <= n; i++) {
		node_of[r, a, i] = nodes_of[i]
		on[r, a, nodes_of[i]] = 1
	}
	if ($8 > horizon[r])
		horizon[r] = $8
}

function whole(k) { return kind[k] != "cpus" }

# may_preempt K L: is job K entitled to job L's nodes?
function may_preempt(k, l) {
	if (preempt == "partition")
		return tier[part[k]] > tier[part[l]]
	return preempt == "qos" && qos[k] == "high" && qos[l] == "low"
}

# by_priority R A B: does the partition's tier, then the job's priority put A first? (Of equal
# ones a job that was requeued may have come earlier or later.)
function by_priority(r, a, b) {
	if (tier[part[job[r, a]]] != tier[part[job[r, b]]])
		return tier[part[job[r, a]]] > tier[part[job[r, b]]]
	if (priority[r, a] != priority[r, b])
		return priority[r, a] > priority[r, b]
	return id[r, a] < id[r, b] && eligible[r, a] <= eligible[r, b]
}

# ranks_before R A B: in the order that Slurm sorts its queue in
function ranks_before(r, a, b,	k, l) {
	k = job[r, a]; l = job[r, b]
	if (may_preempt(k, l) || may_preempt(l, k))
		return may_preempt(k, l)
	if ((reservation[k] != "-") != (reservation[l] != "-"))
		return reservation[k] != "-"
	return by_priority(r, a, b)
}

# waits R A AT: it is in the queue at this time. (One that is preempted at once may have an end
# in accounting, and no start.)
function waits(r, a, at) {
	return eligible[r, a] && eligible[r, a] <= at &&
		(start[r, a] ? start[r, a] > at : !end[r, a] || end[r, a] > at)
}

# asks_no_more K L: where job L can start job K can
function asks_no_more(k, l) {
	return whole(k) == whole(l) && part[k] == part[l] && reservation[k] == reservation[l] &&
		qos[k] == qos[l] && want_nodes[k] <= want_nodes[l] &&
		(want_nodes[k] > 0) == (want_nodes[l] > 0) && tasks[k] <= tasks[l] &&
		node_mem[k] <= node_mem[l] && cpu_mem[k] <= cpu_mem[l] &&
		(node_mem[k] > 0) == (node_mem[l] > 0) && node_gpus[k] <= node_gpus[l] &&
		limit[k] <= limit[l] && (feature[k] == "-" || feature[k] == feature[l])
}

# usable R K V AT: may job K ever, and from this time on for its limit, have node V?
function usable(r, k, v, at,	i, x, inside) {
	if (!((part[k], v) in in_part) || (feature[k] != "-" && !((feature[k], v) in has)))
		return 0
	for (i = 1; i <= reservations[r]; i++) {
		x = r SUBSEP i
		if (resv_name[x] == reservation[k])
			inside = (x, v) in in_resv
		else if ((x, v) in in_resv && at < resv_end[x] && at + limit[k] > resv_start[x])
			return 0
	}
	return reservation[k] == "-" || inside
}

# use R: what each node has at each second; a node is released `settle` seconds late
function use(r,	a, i, v, s, k, c, until) {
	for (a = 1; a <= runs[r]; a++) {
		if (!start[r, a] || !node_count[r, a])
			continue
		k = job[r, a]
		c = job_cpus[r, a] / node_count[r, a]
		if (whole(k) || c != int(c))
			c = cpus
		until = end[r, a] + settle
		for (s = start[r, a] - 1; s < until; s++) {
			in_qos[r, qos[k], s]++
			for (i = 1; i <= node_count[r, a]; i++) {
				v = node_of[r, a, i]
				used_cpus[r, v, s] += c
				used_mem[r, v, s] += job_mem[r, a] / node_count[r, a]
				used_gpus[r, v, s] += job_gpus[r, a] / node_count[r, a]
				if (s >= start[r, a] && s < end[r, a])
					now[r, v, s] = now[r, v, s] " " a
			}
		}
	}
}

# room R K V S: job K has room on node V (its part of it, if it is spread)
function room(r, k, v, s,	c) {
	if (whole(k))
		return !used_cpus[r, v, s]
	c = want_nodes[k] ? tasks[k] / want_nodes[k] : tasks[k]
	c = c > int(c) ? int(c) + 1 : c
	return used_cpus[r, v, s] + c <= cpus && used_gpus[r, v, s] + node_gpus[k] <= gpus &&
		used_mem[r, v, s] + node_mem[k] + c * cpu_mem[k] <= memory
}

function limited(r, k, s) {
	return most_of[qos[k]] && in_qos[r, qos[k], s] >= most_of[qos[k]]
}

# allowed R: nodes outside of what a job may have, nodes that are shared though they must not
function allowed(r,	a, i, v, k, s, m, others, o) {
	for (a = 1; a <= runs[r]; a++) {
		k = job[r, a]
		for (i = 1; start[r, a] && i <= node_count[r, a]; i++) {
			v = node_of[r, a, i]
			if (!usable(r, k, v, start[r, a]))
				fault(r, "allowed", "job " k " is on node" v ", which it may not have")
			if (!whole(k))
				continue
			for (s = start[r, a]; s < end[r, a]; s++)
				if (split(now[r, v, s], others, " ") > 1) {
					fault(r, "allowed", "job " k " shares node" v " at " s - began[r] " s: jobs" now[r, v, s])
					break
				}
		}
	}
}

# order R: starts before a job that asks for no more and ranks higher
function order(r,	a, b, t) {
	for (b = 1; b <= runs[r]; b++) {
		t = start[r, b]
		for (a = 1; t && a <= runs[r]; a++)
			if (a != b && waits(r, a, t + 1) && eligible[r, a] <= t - settle &&
			    asks_no_more(job[r, a], job[r, b]) && ranks_before(r, a, b) &&
			    !limited(r, job[r, a], t))
				fault(r, r == "conservative" && eligible[r, b] < eligible[r, a] ? "promised" : \
					preempt == "none" ? "order" : "order_preempt", "job " job[r, b] " starts at " t - began[r] \
					" s before " job[r, a] ", which ranks higher, asks for no more and waits until " \
					start[r, a] - began[r] " s")
	}
}

# first_of_all R A T: no job that ranks higher waits, or has begun at about the time
function first_of_all(r, a, t,	b) {
	for (b = 1; b <= runs[r]; b++)
		if (b != a && ranks_before(r, b, a) && (waits(r, b, t) || waits(r, b, t - 1)))
			return 0
	return 1
}

# weights R: a heavier node was taken, a lighter one was idle
function weights(r,	a, i, v, t, k, heaviest) {
	for (a = 1; a <= runs[r]; a++) {
		t = start[r, a]; k = job[r, a]
		if (!t || !first_of_all(r, a, t))
			continue
		heaviest = -1
		for (i = 1; i <= node_count[r, a]; i++)
			if (weight[node_of[r, a, i]] > heaviest)
				heaviest = weight[node_of[r, a, i]]
		judged[r]++
		for (v = 0; v < nodes; v++)
			if (!((r, a, v) in on) && weight[v] < heaviest &&
			    usable(r, k, v, t) && !used_cpus[r, v, t - 2] && !used_cpus[r, v, t]) {
				fault(r, "weights", "job " k " has a node of weight " heaviest " (" list[r, a] "); node" v \
					" of weight " weight[v] " was idle")
				break
			}
	}
}

# idle R: longest time in which the first of the queue fits and waits
function idle(r,	a, s, v, k, fit, length_, longest) {
	for (a = 1; a <= runs[r]; a++) {
		k = job[r, a]
		longest = length_ = 0
		for (s = eligible[r, a]; s < horizon[r] && waits(r, a, s); s++) {
			fit = 0
			if (!limited(r, k, s) && first_of_all(r, a, s))
				for (v = 0; v < nodes; v++)
					fit += usable(r, k, v, s) && room(r, k, v, s)
			length_ = fit && fit >= (want_nodes[k] ? want_nodes[k] : 1) ? length_ + 1 : 0
			if (length_ > longest)
				longest = length_
		}
		idle_of[r, k] = longest
		if (longest > most_idle[r]) {
			most_idle[r] = longest
			most_idle_job[r] = k
		}
	}
}

# preemption R: whose nodes nobody who is entitled has then; who starts although the job that
# preempts it waits, and ranks before it
function preemption(r,	a, b, i, got) {
	for (a = 1; a <= runs[r]; a++) {
		if (state[r, a] !~ /PREEMPTED|REQUEUED/ || !start[r, a])
			continue
		preempted[r]++
		got = 0
		for (b = 1; b <= runs[r] && !got; b++) {
			if (!may_preempt(job[r, b], job[r, a]) || start[r, b] < end[r, a] - 1 ||
			    start[r, b] > end[r, a] + 15)
				continue
			for (i = 1; i <= node_count[r, a]; i++)
				got += (r, b, node_of[r, a, i]) in on
			if (got && eligible[r, b] < start[r, a])
				fault(r, by_priority(r, b, a) ? "backfilled" : "in vain", "job " job[r, a] " starts at " start[r, a] - began[r] " s and is preempted at " \
					end[r, a] - began[r] " s by job " job[r, b] ", which waits since " eligible[r, b] - began[r] " s")
		}
		if (!got)
			fault(r, "useless", "job " job[r, a] " is preempted at " end[r, a] - began[r] \
				" s, and no entitled job gets one of " list[r, a])
	}
}

# turnaround R: mean seconds until those that may be preempted have ended for good
function turnaround(r,	k, n, sum) {
	for (k = 1; k <= jobs; k++)
		if (last[r, k] && (preempt == "qos" ? qos[k] == "low" : part[k] != "high")) {
			n++
			sum += end[r, last[r, k]] - first_eligible[r, k]
		}
	return n ? sum / n : 0
}

function fault(r, rule, text) {
	faults[r, rule]++
	fault_text[r, rule, faults[r, rule]] = text
}

# compare RULE MARGIN: what only the other run does, or does more often
function compare(rule, margin, class,	i) {
	if (faults["stock", rule])
		print "#   (stock, " rule ": " faults["stock", rule] ", as: " fault_text["stock", rule, 1] ")"
	if (faults[other, rule] <= faults["stock", rule] + margin) {
		for (i = 1; i <= faults[other, rule]; i++)
			say(class, rule ": " fault_text[other, rule, i])
		return
	}
	for (i = 1; i <= faults[other, rule]; i++)
		say("FAIL", rule ": " fault_text[other, rule, i])
}

# launch R: seconds that a job takes longer than it sleeps
function launch(r,	a, n, sum) {
	for (a = 1; a <= runs[r]; a++)
		if (state[r, a] == "COMPLETED") {
			n++
			sum += end[r, a] - start[r, a] - seconds[job[r, a]]
		}
	return n ? sum / n : 0
}

# same: the ends and what each job had
function same(	k, a, b) {
	for (k = 1; k <= jobs; k++) {
		if (refused["stock", k] != refused[other, k]) {
			say("FAIL", "job " k " is refused by " (refused["stock", k] ? "stock" : other) " alone")
			continue
		}
		if (refused["stock", k])
			continue
		a = last["stock", k]; b = last[other, k]
		if (!a || !b) {
			say("FAIL", "job " k " has no record in " (a ? other : "stock"))
			continue
		}
		if (state["stock", a] == "PREEMPTED" || state[other, b] == "PREEMPTED")
			continue # counted by preemption()
		if (state["stock", a] != state[other, b]) {
			say("FAIL", "job " k " is " state["stock", a] " with stock, " state[other, b] " here")
			continue
		}
		if (job_cpus["stock", a] != job_cpus[other, b] && (want_nodes[k] || !whole(k)))
			say("FAIL", "job " k " has " job_cpus["stock", a] " CPUs with stock, " job_cpus[other, b] " here")
		if (want_nodes[k] && node_count["stock", a] != node_count[other, b])
			say("FAIL", "job " k " has " node_count["stock", a] " nodes with stock, " node_count[other, b] " here")
		if (node_count["stock", a] == node_count[other, b] &&
		    (job_mem["stock", a] != job_mem[other, b] || job_gpus["stock", a] != job_gpus[other, b]))
			say("FAIL", "job " k " has " job_mem["stock", a] " MB, " job_gpus["stock", a] " GPUs with stock, " \
				job_mem[other, b] " MB, " job_gpus[other, b] " GPUs here")
	}
}

# in_time: each start, and the end of the day
function in_time(	k, a, b, at, here, bound, loaded, day) {
	day = horizon["stock"] - began["stock"]
	bound = day / 2 > late_least ? day / 2 : late_least
	loaded = launch(other) > 1.5 * launch("stock") + 0.5
	for (k = 1; k <= jobs; k++) {
		a = last["stock", k]; b = last[other, k]
		if (!a || !b || !start["stock", a] || !start[other, b])
			continue
		at = start["stock", a] - eligible["stock", a]
		here = start[other, b] - eligible[other, b]
		wait["stock", kind[k] == "shape"] += at
		wait[other, kind[k] == "shape"] += here
		if (here <= at + bound)
			continue
		say(loaded ? "load" : idle_of[other, k] <= idle_bound ? (kind[k] == "shape" ? "shape" : "discipline") : "FAIL",
			"job " k " waits " here " s, " at " s with stock; the longest as the first that fits: " idle_of[other, k] " s")
	}
	if (horizon[other] - began[other] > 1.4 * day + 20)
		say(loaded ? "load" : "FAIL", "the day takes " horizon[other] - began[other] " s, " day " s with stock")
	if (most_idle[other] > most_idle["stock"] + idle_bound)
		say(loaded ? "load" : "FAIL", "job " most_idle_job[other] " fits, is the first and waits " most_idle[other] \
			" s; with stock at most " most_idle["stock"] + 0 " s")
}

END {
	n = split("stock " other, both, " ")
	for (i = 1; i <= n; i++) {
		r = both[i]
		use(r); allowed(r); order(r); weights(r); idle(r); preemption(r)
	}
	same()
	in_time()
	compare("allowed", 0, "discipline")
	compare("order", 0, "discipline")
	compare("order_preempt", 2, "discipline")
	compare("weights", 0, "discipline")
	# (other nodes become free before the start; stock has up to three in a day)
	compare("useless", 3, "discipline")
	# (whom a loop takes first after a preemption is chance; the sum is judged below)
	compare("in vain", 5 + preempted["stock"] / 2, "discipline")
	for (i = 1; i <= faults[other, "promised"]; i++)
		say("discipline", "promised: " fault_text[other, "promised", i])
	for (i = 1; i <= faults[other, "backfilled"]; i++)
		say("discipline", "backfilled: " fault_text[other, "backfilled", i])
	if (preempted[other] > 1.5 * preempted["stock"] + 4 + faults[other, "backfilled"])
		say(requeues && turnaround(other) <= turnaround("stock") ? "discipline" : "FAIL", preempted[other] \
			" jobs are preempted, " preempted["stock"] " with stock; those that may be end " \
			turnaround(other) " s after their submission, " turnaround("stock") " s with stock")
	for (i = 1; i <= jobs; i++)
		shapes += kind[i] == "shape"
	for (i = 1; i <= n; i++) {
		r = both[i]
		printf "# %s: day %d s, wait %.1f s (shapes) %.1f s (others), launch %.1f s, %d preempted, %d starts judged by weight, idle at most %d s\n",
			r, horizon[r] - began[r], wait[r, 1] / shapes, wait[r, 0] / (jobs - shapes),
			launch(r), preempted[r], judged[r], most_idle[r]
	}
	printf "result %s FAIL %d shape %d discipline %d load %d\n", other, counts["FAIL"],
		counts["shape"], counts["discipline"], counts["load"]
	exit counts["FAIL"] > 0
}
