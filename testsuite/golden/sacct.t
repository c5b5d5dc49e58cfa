#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sacct's output, as Slurm 22.05.8 and 24.11.5 wrote it on private clusters of
# 16 nodes with slurmdbd: shapes, steps, an array, a het job, a requeued one,
# failed, cancelled, timed out, running and waiting ones, and a | in a name; and
# (22.05's in events) a het job that ran, a suspended one, a node that failed,
# jobs that were cancelled while they waited, one that gave nodes back. Only
# 24.11's have a preempted job, one that missed its deadline, one that is
# suspended, and (resized) jobs that gave nodes back twice, or were requeued
# after it.
. "$(dirname "$0")/lib-golden.sh"

jobs()
{
	storus generate --from "$1" --bare --format csv
}

for sample in steps jobs duplicates all long events; do
	golden $sample jobs 22.05-$sample.sacct
done

for sample in steps jobs duplicates all long documented order resized; do
	golden 24.11-$sample jobs 24.11-$sample.sacct
done

# Local time on a machine in UTC and seconds since the epoch; a delimiter
# behind the last field; two outputs one behind the other; gzipped.
same()
{
	for slurm in 22.05 24.11; do
		jobs $slurm-jobs.sacct >"$golden_tmp/jobs" 2>/dev/null
		jobs $slurm-epoch.sacct 2>/dev/null |
			cmp - "$golden_tmp/jobs" && echo $slurm epoch
		jobs $slurm-trailing.sacct 2>/dev/null |
			cmp - "$golden_tmp/jobs" && echo $slurm trailing
		{
			sed 5q $slurm-jobs.sacct
			sed '2,5d' $slurm-epoch.sacct
		} | gzip >"$golden_tmp/both.gz"
		jobs "$golden_tmp/both.gz" 2>/dev/null |
			cmp - "$golden_tmp/jobs" && echo $slurm both
	done
}
golden same same

replay()
{
	storus replay --torus 4x4 --check --schedule - "$1" |
		cut -d , -f 1-9
}
golden replay replay 22.05-duplicates.sacct
golden 24.11-replay replay 24.11-documented.sacct

# Other delimiters, fields in another order, numbers with a suffix.
order()
{
	cat >"$golden_tmp/o.txt" <<-END
	State;NNodes;End;Start;Submit;JobID;Timelimit
	COMPLETED;2K;2024-03-01T00:00:10;2024-02-29T23:59:50;2024-02-29T23:59:00;1;UNLIMITED
	CANCELLED by 7;3;2024-03-01T00:00:10;None;2024-02-29T23:59:00;2;Partition_Limit
	CANCELLED by 7;3;2024-03-01T00:00:10;2024-03-01T00:00:10;2024-02-29T23:59:01;3;1-02:03:04
	COMPLETED;3;2024-03-01T00:00:12;2024-03-01T00:00:10;2024-02-29T23:59:02;4;02:03
	END
	storus generate --from "$golden_tmp/o.txt" --input-format sacct --bare
}
golden order order

wrong()
{
	echo 'JobID|Submit|Start|End|State' >"$golden_tmp/no-nodes"
	echo 'JobID|Submit|NNodes|End|State' >"$golden_tmp/no-start"
	echo 'JobID|Start|End|NNodes|State' >"$golden_tmp/no-submit"
	echo 'JobID|Submit|Start|End|NNodes|Start' >"$golden_tmp/twice"
	cat >"$golden_tmp/lines" <<-END
	JobID|Submit|Start|End|NNodes|TimelimitRaw|Timelimit|Elapsed|AdminComment
	1|Unknown|1|2|1||||
	2|1|x|2|1||||
	3|1|1|2|four||||
	4|1|1|2|4|ten|1:x||
	5|1|1|2|4|1x|||
	6|1|1|2|4|||1:2:3:4|
	7|1|1|2|4||||torus:ask=4xx2
	8|1|1|2|4
	9|2024-02-30T00:00:00|1|2|4||||
	10|2023-02-29T00:00:00|1|2|4||||
	END
	for name in no-nodes no-start no-submit twice lines; do
		(cd "$golden_tmp" &&
			storus generate --from $name --input-format sacct --bare)
		echo "$?"
	done
}
golden wrong wrong

# What users and groups had, from AdminComment: two parts of a wait, a place of fewer
# nodes than vertices, several regions, a job that runs.
TZ=UTC
export TZ
golden accounts storus jobs accounts.sacct
golden accounts-json storus jobs accounts.sacct --json
golden accounts-sums storus jobs accounts.sacct --account physics --sums --csv
golden accounts-since storus jobs accounts.sacct --since 2026-09-21T14:21 --user bob --csv
golden accounts-sums-columns storus jobs accounts.sacct --sums -o user,jobs,node_s,excess_node_s
golden accounts-sums-fields storus jobs accounts.sacct -o '%a %u has %j jobs' --noheader --sums
golden accounts-sums-wrong storus jobs accounts.sacct -o user,job --sums
golden accounts-rows-wrong storus jobs accounts.sacct -o user,jobs

# a time of day is today's, as for sacct -S
since_midnight() {
	now=$(date +%s)
	{
		sed '2,$d' accounts.sacct
		echo "1|ada|physics|$now|$now|$((now - 9))|$now|9|4|COMPLETED|torus:ask=2x2"
	} | storus jobs --since 00:00 --sums -
}
golden accounts-since-midnight since_midnight
golden accounts-24.11 storus jobs 24.11-documented.sacct -o job,asked,granted,region,ring
golden accounts-wrong storus jobs accounts.sacct --since yesterdays
golden accounts-future storus jobs --since tomorrow
tail -n +2 "$golden_dir/accounts.sacct" >"$golden_tmp/nameless.sacct"
{ cat "$golden_dir/accounts.sacct" && tail -n 2 "$golden_dir/accounts.sacct"; } >"$golden_tmp/twice.sacct"
golden accounts-nameless storus jobs "$golden_tmp/nameless.sacct" --sums
golden accounts-columns storus jobs "$golden_tmp/nameless.sacct" --sums \
	--columns "$(head -n 1 "$golden_dir/accounts.sacct" | tr '|' ,)"
golden accounts-columns-live storus jobs --columns JobID,User
golden accounts-twice storus jobs "$golden_tmp/twice.sacct" --sums
golden accounts-other storus jobs ../completion/trace.swf
golden accounts-no-trace storus jobs ../parity/torus.yaml
golden_done
