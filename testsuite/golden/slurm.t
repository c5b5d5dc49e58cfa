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
	for conf in wrong wrong-nodes wrong-time none; do
		slurm $conf.conf backfill.csv
		echo "exit $?"
	done
	slurm one.conf --shares wrong-shares.txt backfill.csv
	echo "exit $?"
	storus replay --torus flat:4 --discipline slurm-backfill backfill.csv
	echo "exit $?"
	storus replay --torus flat:4 --slurm-conf one.conf backfill.csv
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
