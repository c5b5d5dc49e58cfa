#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# slurm-backfill: one schedule for each rule of stock Slurm, worked out by hand; what of
# slurm.conf is not modelled, and what is refused. The inputs are in slurm/.
. "$(dirname "$0")/lib-golden.sh"

slurm() # CONF OPTION... TRACE
{
	conf=$1
	shift
	storus replay --check --torus flat:4 --discipline slurm-backfill \
		--slurm-conf "$conf" --schedule - "$@"
}

# 1 starts when sched/backfill looks, a quarter of a second behind the full one. 2 needs
# all nodes: it is planned for 600. 3 ends before and may overtake, in the attempt 30 s
# after that for 2; 4 would not end before 2 is to start. The end of 3 starts 5 in the
# main loop only if nothing waits before it: so sched/backfill does, up to 30 s later.
golden backfill slurm one.conf backfill.csv

# salloc and srun: 1, and 5 when it comes, are the first of their partition; at 10 and
# later somebody waits.
golden srun slurm one.conf --option submission=srun backfill.csv

# basic: 2 has 3 less than it would: as much as 5, but it came earlier. 6 comes first.
golden nice slurm one.conf nice.csv

# 3 and 4 come before 2: their partition has the higher tier; one of its two nodes is
# free. 5 has more nodes than MaxNodes. 6 and 7, whose partition slurm.conf does not
# have, have no limit: DefaultTime is 2 minutes, and they would delay 2.
golden partitions slurm parts.conf parts.csv

# Only one task of the array is planned: 3 may run beside it, and takes the fourth node
# before 2_1, of which nobody thinks. With both planned it waits.
golden array slurm array.conf array.csv
golden array-all slurm one.conf array.csv

# An array is one job: 2 has as little as 4, and comes after all tasks of 3.
golden array-nice slurm one.conf array-nice.csv

# Size and age: 4 has the QOS, then the larger and older ones. Without slurmdbd age does
# not count.
golden factors slurm factors.conf --shares qos.txt factors.csv
golden no-database slurm no-database.conf --shares qos.txt factors.csv

# ann used what cid used, and has 3/8 of the shares, cid 1/4; bob used nothing. dan has
# no share.
golden fair-tree slurm share.conf --shares shares.txt share.csv
golden classic slurm classic.conf --shares shares.txt share.csv
golden open slurm share.conf share.csv

# A pass for 20 s after another, attempts 45 s apart that test one job, a window of an
# hour, one job in each pass but the full ones.
golden depth slurm depth.conf backfill.csv

# 1 starts in the first round. The round for 2 and 3 comes four seconds later: their pass
# waits until ten seconds after the first one.
golden pause slurm pause.conf pause.csv

# All nodes are busy when the full pass is due that came within twenty seconds of the one
# for 2. It is over then: the next one, for 6 to 8, is not full, and leaves 8 to the attempt.
golden full slurm full.conf full.csv

# The same, as slurm.conf may say it: keys in any case, lines joined but not by a comment,
# an included file named by the cluster; the last line of a key counts, in it the first
# value of a parameter. Also with the line ends of Windows.
golden odd slurm odd.conf backfill.csv
odd_crlf()
{
	mkdir "$golden_tmp/crlf" && for file in odd.conf odd-one.txt; do
		sed 's/$/\r/' "$file" >"$golden_tmp/crlf/$file" || return
	done
	slurm "$golden_tmp/crlf/odd.conf" backfill.csv
}
golden odd-crlf odd_crlf

# Numbers as Slurm reads them: 45s is 45 and 100abc 100, wherever KEY= stands; words without
# a number, or with one that Slurm does not take, count as if they were not there.
golden numbers slurm numbers.conf backfill.csv

# 1 has all three nodes of its partition, 6 waits for two of the last ones. 3 asked for
# MaxTime and ran longer, 2 asked for more; nothing starts in a partition that is DOWN.
golden sets slurm sets.conf sets.csv

# Keys of Slurm that priority/basic ignores are not named, but misspelt ones are.
golden misspelt slurm misspelt.conf nice.csv

# (slurmctld does not start with a partition that comes twice.) The latest line counts.
golden twice slurm twice.conf nice.csv

# 3 fits when 1 has ended at 120, which is what select/linear plans; 4 would end at 130.
# select/cons_tres tries the ends at 120 and 140 together: 3 is planned for 140.
golden linear slurm linear.conf groups.csv
golden groups slurm groups.conf groups.csv

# On a mesh the strategy chooses the places.
mesh()
{
	storus replay --check --torus 4x4:MM --discipline slurm-backfill \
		--slurm-conf mesh.conf --schedule - mesh.csv
}
golden mesh mesh

# --- nodes that jobs share: --size cpus, the machine's nodes are CPUs

# 1 takes three CPUs of the first node: all nodes would do. 2 needs 800 of 1000 MB on each
# node: the second. No node has the six CPUs of 3: what the nodes have, in order, but two
# of the second, whose memory is for two CPUs. 4 has both GPUs of the last node; 5 waits
# for it. 6 needs a node without others, 7 two nodes. No node has 8 CPUs for 8.
parts() # CONF CPUS TRACE
{
	storus replay --check --torus flat:$2 --size cpus --discipline slurm-backfill \
		--slurm-conf "$1" --schedule - "$3"
}
golden parts parts cons.conf 16 cons.csv

# Two CPUs are a core: one of the first node is left for 3, and two nodes for 4 only when
# others end. With CR_LLN 3 comes on the last node, and each of two nodes has a core for 4.
golden parts-cores parts cores.conf 12 cores.csv
golden parts-least parts least.conf 12 cores.csv

# The second node's CPUs, 48 to 95, are in two words of a map: 40 of them are free for 2,
# and too few are left for 3 until 2 ends.
golden parts-large parts large.conf 96 large.csv

# What accounting has: ReqMem of each CPU, or memory and GPUs of all nodes; 3 was on two.
golden parts-sacct parts cons.conf 16 parts.sacct

# Nodes of 6 and 4 CPUs: 1 has a task of 4 on each of two, 2 and 4 a node without others,
# 5 a task of 2 on each of two. MaxJobCount leaves no room for 5 and 6.
golden parts-tasks parts mixed.conf 20 tasks.csv

# What sacct does not tell: 1 had all CPUs of a node for one, which is not exclusive here; 2
# had GPUs that its nodes cannot have had in equal numbers. 3 asked for two GPUs of all
# its nodes: it needs the two nodes that it had.
golden parts-named parts mixed.conf 20 mixed.sacct

# slurm.conf as Slurm settles it: all Sockets of two boards are 4, not 8; 5 CPUs of 4 cores are
# 4. Priority overrules PriorityTier, Exclusive an OverSubscribe behind it, MaxTime a longer
# DefaultTime. A partition without Nodes has none; ExclusiveUser counts in no DEFAULT line.
# Job 1 has one whole task of 3 CPUs, which Slurm rounded up to 4.
golden parts-odd parts parts-odd.conf 20 parts-odd.csv

# Whole nodes with select/linear; memory, which no job asks for, with cons_tres by default.
golden parts-linear parts whole.conf 16 tasks.csv
golden parts-default parts assumed.conf 16 tasks.csv

# Weights without PriorityType: multifactor, the larger first.
golden assumed slurm assumed.conf factors.csv

# Loads by seed: at each start, nodes have no more than they have, nobody shares a core, a
# node of an exclusive partition or job or of another user's ExclusiveUser one, and all
# CPUs of a task are on one node.
load() # SEED
{
	awk -v s="$1" 'function rnd(n) {
		s = (s * 48271) % 2147483647
		return int(s / 1024) % n
	}
	BEGIN {
		split("main main main whole alone", part)
		print "id,submit,run,nodes,cpus,memory,gpus,limit,partition,user,cpus_per_task,exclusive"
		for (i = 1; i <= 300; i++) {
			nodes = rnd(3) ? "" : 1 + rnd(3)
			task = rnd(2) ? 1 + rnd(3) : 1
			cpus = nodes + 1 + (rnd(7) ? rnd(6) : rnd(20))
			cpus += (task - cpus % task) % task
			print i "," (t += rnd(29)) "," 20 + rnd(300) "," nodes "," cpus "," \
				(m = rnd(5) * 40) (m && rnd(2) ? "c" : "") "," \
				(rnd(4) ? 0 : rnd(3)) "," 60 * (1 + rnd(6)) "," \
				part[1 + rnd(5)] ",u" rnd(3) "," task "," (rnd(9) ? "" : "yes")
		}
	}'
}
judge() # TRACE SCHEDULE
{
	awk -F, 'function wrong(what) { print FILENAME ": job " id ", node " k ": " what; bad++ }
	BEGIN { for (c = 0; c < 44; c++) { node[c] = c < 32 ? int(c / 8) : 4 + int((c - 32) / 6)
			core[c] = c < 32 ? int(c / 2) : c } }
	FNR == 1 { next }
	NR == FNR { nodes[$1] = $4; cpus[$1] = $5; memory[$1] = $6; gpus[$1] = $7
		part[$1] = $12 ? "whole" : $9; user[$1] = $10; task[$1] = $11; next }
	/rejected/ { rejected++; next }
	{
		id = $1; from[id] = $3; to[id] = $4; ids[++n] = id
		sub(/.*{/, ""); sub(/}.*/, "")
		m = split($0, range, ",")
		for (i = 1; i <= m; i++) {
			last = split(range[i], end, "-")
			for (c = end[1]; c <= end[last]; c++) {
				has[id, node[c]]++; own[id, core[c]] = 1
			}
		}
		for (k = all = on = 0; k < 6; k++) {
			n_here = has[id, k]
			all += part[id] == "whole" ? n_here : n_here - n_here % task[id]
			on += n_here > 0
		}
		if (all < cpus[id] || (nodes[id] && on != nodes[id]))
			wrong(all " CPUs on " on " nodes")
	}
	END {
		for (j = 1; j <= n; j++) for (k = 0; k < 6; k++) if (has[ids[j], k]) {
			id = ids[j]; mb = g = c = count = shared = 0
			for (i = 1; i <= n; i++) {
				o = ids[i]
				if (!has[o, k] || from[o] > from[id] || to[o] <= from[id])
					continue
				m = memory[o] + 0 ? memory[o] : "50c"
				mb += m ~ /c/ ? m * has[o, k] : m
				g += gpus[o]; c += has[o, k]; count++
				if (o != id && (part[id] == "whole" || part[o] == "whole")) wrong("not alone")
				if (user[o] != user[id] && (part[id] == "alone" || part[o] == "alone"))
					wrong("of two users")
				for (u = 0; u < 44; u++)
					if (o != id && own[o, u] && own[id, u]) wrong("a core of two")
			}
			if (mb > (k < 4 ? 500 : 700)) wrong(mb " MB")
			if (g > (k < 4 ? 0 : 3)) wrong(g " GPUs")
			if (c > (k < 4 ? 8 : 6)) wrong(c " CPUs")
			busy += count
		}
		print n " jobs, " rejected + 0 " rejected, " bad + 0 " wrong, shares " busy
	}' "$1" "$2"
}
judged()
{
	for seed in 1 2 3 4; do
		load $seed >"$golden_tmp/load.csv"
		parts judge.conf 44 "$golden_tmp/load.csv" >"$golden_tmp/schedule.csv" || return
		judge "$golden_tmp/load.csv" "$golden_tmp/schedule.csv"
	done
}
golden parts-judged judged

# --- what is not modelled, and what is refused

lacks()
{
	storus replay --torus flat:4 --discipline slurm-backfill --json \
		--slurm-conf lacks.conf backfill.csv |
		sed -n '/"not_modelled"/,/]/p'
}
golden not-modelled lacks

refused()
{
	for conf in wrong wrong-nodes wrong-name wrong-time wrong-old wrong-state none; do
		slurm $conf.conf backfill.csv
		echo "exit $?"
	done
	slurm one.conf --shares wrong-shares.txt backfill.csv
	echo "exit $?"
	storus replay --torus flat:4 --discipline slurm-backfill backfill.csv
	echo "exit $?"
	storus replay --torus flat:4 --slurm-conf one.conf backfill.csv
	echo "exit $?"
	parts cons.conf 4 cons.csv
	echo "exit $?"
	parts one.conf 4 wrong-parts.csv
	echo "exit $?"
} 2>&1
golden refused refused

# A campaign replays the same: each slurm.conf is a value, its contents (and those of files
# that it includes) are part of the cell's key, what is not modelled is said once.
campaign()
{
	mkdir "$golden_tmp/s"
	cp factors.conf no-database.conf qos.txt factors.csv lacks.conf "$golden_tmp/s"
	cd "$golden_tmp/s" || return
	echo include lacks.conf >>no-database.conf
	cat >c.yaml <<-YAML
	traces: [factors.csv]
	machines: [flat:4]
	disciplines: [slurm-backfill, easy]
	options: {slurm_conf: [factors.conf, no-database.conf], shares: qos.txt}
	YAML
	storus sweep c.yaml 2>&1 >/dev/null | grep -c 'is not modelled'
	for conf in factors no-database; do
		storus replay --torus flat:4 --discipline slurm-backfill --shares qos.txt \
			--slurm-conf $conf.conf --json factors.csv 2>/dev/null |
			jq -c '[.mean_wait_s, .not_modelled]'
		sqlite3 c.db "select summary from cells where options like '%=$conf%'
			and discipline = 'slurm-backfill'" |
			jq -c '[.mean_wait_s, .not_modelled]'
	done
	echo PriorityWeightAge=1 >>lacks.conf
	storus sweep c.yaml --dry-run 2>/dev/null | wc -l
	sed -i 's/slurm-backfill, //' c.yaml
	storus sweep c.yaml --dry-run
}
golden campaign campaign

golden_done
