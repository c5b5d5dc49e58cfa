#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Traces as sites have them: joined archives, begin times, several clusters, jobs without a
# limit, separators and line ends in names, files without a header, other formats. Each
# case is small enough to be checked by hand.
. "$(dirname "$0")/lib-golden.sh"
TZ=UTC
export TZ
cd "$golden_tmp" || exit 1

# keys FILE OPTION...: what the summary says about the trace, and the schedule
keys()
{
	file=$1
	shift
	(cd "$golden_tmp" &&
		storus replay --torus 4x4x4 --json=s.json --schedule s.csv \
			"$@" "$file" >/dev/null) || return
	grep -E '"(kept|repeated|other|unreadable|estimates_missing|limit_accuracy|mean_wait_s)"' \
		"$golden_tmp/s.json"
	sed 's/"[^"]*"//g' "$golden_tmp/s.csv" | cut -d, -f1-6,11
}

# Archives of two months, one behind the other: jobs 200 and 210 cross the border. 210 ran
# on when the first was written; 202 was requeued with -D: two runs.
cat >months.sacct <<'X'
JobID|User|Submit|Start|End|Elapsed|NNodes|Timelimit|State|
200|a|2022-01-31T20:00:00|2022-01-31T22:00:00|2022-02-01T04:00:00|06:00:00|64|08:00:00|COMPLETED|
201|b|2022-02-01T03:00:00|2022-02-01T05:00:00|2022-02-01T06:00:00|01:00:00|8|02:00:00|COMPLETED|
199|c|2022-01-30T20:00:00|2022-01-31T12:00:00|2022-01-31T21:59:00|09:59:00|64|10:00:00|COMPLETED|
210|a|2022-01-31T23:00:00|2022-02-01T06:00:00|Unknown|01:00:00|1|08:00:00|RUNNING|
200|a|2022-01-31T20:00:00|2022-01-31T22:00:00|2022-02-01T04:00:00|06:00:00|64|08:00:00|COMPLETED|
210|a|2022-01-31T23:00:00|2022-02-01T06:00:00|2022-02-01T09:00:00|03:00:00|1|08:00:00|COMPLETED|
202|a|2022-02-02T01:00:00|2022-02-02T01:00:00|2022-02-02T02:00:00|01:00:00|1|08:00:00|NODE_FAIL|
202|a|2022-02-02T02:10:00|2022-02-02T02:20:00|2022-02-02T03:00:00|00:40:00|1|08:00:00|COMPLETED|
X
# 301 waited when the first was written, and ended in the second; 302 and 303 stand in
# the other order; 304 still waits.
cat >waiting.sacct <<'X'
JobID|User|Submit|Start|End|Elapsed|NNodes|Timelimit|State|
301|a|2022-01-31T23:00:00|Unknown|Unknown|00:00:00|1|08:00:00|PENDING|
304|a|2022-01-31T23:00:00|Unknown|Unknown|00:00:00|1|08:00:00|PENDING|
302|a|2022-01-31T23:00:00|2022-02-01T06:00:00|2022-02-01T09:00:00|03:00:00|1|08:00:00|COMPLETED|
303|a|2022-01-31T23:00:00|None|2022-02-01T09:00:00|00:00:00|1|08:00:00|CANCELLED by 7|
301|a|2022-01-31T23:00:00|2022-02-01T06:00:00|2022-02-01T09:00:00|03:00:00|1|08:00:00|COMPLETED|
304|a|2022-01-31T23:00:00|Unknown|Unknown|00:00:00|1|08:00:00|PENDING|
302|a|2022-01-31T23:00:00|Unknown|Unknown|00:00:00|1|08:00:00|PENDING|
303|a|2022-01-31T23:00:00|Unknown|Unknown|00:00:00|1|08:00:00|PENDING|
X
golden a_record_that_is_in_two_archives_counts_once keys months.sacct
golden a_job_that_waited_in_an_archive_counts_once keys waiting.sacct

cat >eligible.sacct <<'X'
JobID|User|Submit|Eligible|Start|End|ElapsedRaw|NNodes|TimelimitRaw|State
1|a|2024-03-01T10:00:00|2024-03-05T10:00:00|2024-03-05T10:00:00|2024-03-05T11:00:00|3600|64|120|COMPLETED
2|a|2024-03-01T10:10:00|2024-03-01T10:10:00|2024-03-01T10:10:00|2024-03-01T14:10:00|14400|64|300|COMPLETED
X
golden a_job_with_a_begin_time_waits_from_then_on keys eligible.sacct
golden arrivals_submit_counts_from_the_submission keys eligible.sacct --arrivals submit
golden arrivals_eligible_needs_the_column keys months.sacct --arrivals eligible

cat >clusters.sacct <<'X'
JobID|Cluster|Partition|User|Submit|Eligible|Start|End|ElapsedRaw|NNodes|TimelimitRaw|State
1|alpha|torus|a|2024-03-01T10:00:00|2024-03-01T10:00:00|2024-03-01T10:00:00|2024-03-01T11:00:00|3600|64|120|COMPLETED
2|alpha|bigmem|b|2024-03-01T10:01:00|2024-03-01T10:01:00|2024-03-01T10:01:00|2024-03-01T11:01:00|3600|2|120|COMPLETED
3|beta|torus|c|2024-03-01T10:02:00|2024-03-01T10:02:00|2024-03-01T10:02:00|2024-03-01T11:02:00|3600|64|120|COMPLETED
1|beta|debug|a|2024-03-01T10:00:00|2024-03-01T10:00:00|2024-03-01T10:00:00|2024-03-01T11:00:00|3600|64|120|COMPLETED
X
golden clusters_and_partitions_are_not_merged_silently keys clusters.sacct
merged() # COMMAND...
{
	cd "$golden_tmp" || return
	storus "$@" clusters.sacct --torus flat:64 2>&1 >/dev/null | grep -o '.*jobs of .*'
}
for reader in parity validate 'generate --like' 'generate --from'; do
	# shellcheck disable=SC2086
	golden "$(echo "${reader}_names_them" | tr -d - | tr ' ' _)" merged $reader
done
golden cluster_chooses keys clusters.sacct --cluster alpha
golden partition_chooses_several keys clusters.sacct --cluster beta --partition torus,debug

cat >nolimit.sacct <<'X'
JobID|User|Partition|Submit|Eligible|Start|End|ElapsedRaw|NNodes|Timelimit|State
1|a|p|2024-03-01T10:00:00|2024-03-01T10:00:00|2024-03-01T10:00:00|2024-03-01T11:00:00|3600|40|UNLIMITED|COMPLETED
2|a|p|2024-03-01T10:01:00|2024-03-01T10:01:00|2024-03-01T11:00:00|2024-03-01T11:10:00|600|64|01:00:00|COMPLETED
3|a|q|2024-03-01T10:02:00|2024-03-01T10:02:00|2024-03-01T11:10:00|2024-03-01T11:20:00|3400|16|Partition_Limit|COMPLETED
X
golden jobs_without_a_limit_are_counted keys nolimit.sacct
golden a_default_limit_is_their_estimate keys nolimit.sacct --default-limit 24h --partition p,q
golden a_partition_has_its_own_default_limit keys nolimit.sacct --default-limit p=2h --partition p,q
golden a_default_limit_may_be_slurms keys nolimit.sacct --default-limit q=1-00:00:00,UNLIMITED --partition p,q
golden a_default_limit_is_a_duration keys nolimit.sacct --default-limit 24x

cat >string.sacct <<'X'
JobID|||JobName|||User|||Submit|||Start|||End|||ElapsedRaw|||NNodes|||TimelimitRaw|||State
101|||crazy|name|||alice|||2024-03-01T10:00:00|||2024-03-01T10:00:05|||2024-03-01T11:00:05|||3600|||8|||120|||COMPLETED
102|||ok|||bob|||2024-03-01T10:10:00|||2024-03-01T10:10:10|||2024-03-01T12:10:10|||7200|||4|||180|||TIMEOUT
103|||ends|||||bob|||2024-03-01T10:10:00|||2024-03-01T10:10:10|||2024-03-01T12:10:10|||7200|||4|||180|||TIMEOUT
X
golden a_separator_is_a_string keys string.sacct
sed 's/|||/^|^/g; s/crazy/cr^azy/' string.sacct >caret.sacct
golden a_separator_of_other_characters keys caret.sacct

cat >text.sacct <<'X'
JobID|JobName|User|Submit|Start|End|ElapsedRaw|NNodes|TimelimitRaw|State|Constraints|SubmitLine
101|my
job|alice|2024-03-01T10:00:00|2024-03-01T10:00:05|2024-03-01T11:00:05|3600|8|120|COMPLETED||srun a &&
echo b | wc
102|a|b|bob|2024-03-01T10:10:00|2024-03-01T10:10:10|2024-03-01T12:10:10|7200|4|180|TIMEOUT|cpu-a|cpu-b|srun x
103|cut|bo
104|fine|bob|2024-03-01T10:20:00|2024-03-01T10:20:10|2024-03-01T12:10:10|7200|4|180|CANCELLED by 7||srun y
105|2024-01-01T00:00:00|x|bob|2024-03-01T10:30:00|2024-03-01T10:30:10|2024-03-01T12:10:10|7200|4|180|TIMEOUT||srun x
X
golden separators_and_line_ends_in_free_text keys text.sacct

# Several readings, all valid: of two.sacct one has Elapsed = End - Start; of three.sacct none
# is taken.
cat >two.sacct <<'X'
JobID|JobName|NNodes|ReqNodes|Submit|Start|End|Comment|ElapsedRaw
1|a|5|6|7|1709287200|1709287200|1709290800||3600
2|a|5|6|1709287200|1709287200|1709290800||3600
X
golden of_several_readings_the_one_that_agrees_is_read keys two.sacct
cat >three.sacct <<'X'
JobID|JobName|NNodes|Comment|Submit|Start|End|ElapsedRaw
1|a|5|6||1709287200|1709287200|1709290800|3600
2|a|5|6|1709287200|1709287200|1709290800|3600
X
golden a_record_with_several_readings_is_not_read keys three.sacct

sed 1d clusters.sacct >bare
golden a_file_without_names_says_what_helps keys bare
golden a_file_without_names_and_a_format keys bare --format sacct
golden columns_names_the_fields keys bare --cluster alpha --columns \
	JobID,Cluster,Partition,User,Submit,Eligible,Start,End,ElapsedRaw,NNodes,TimelimitRaw,State

cat >site.csv <<'X'
job_id,submit_time,duration,node_num,id,queue
7,2024-01-01 10:00:00,60,4.0,x,a
8,2024-01-01T10:00:10+00:00,60,64,y,b
X
cat >>site.csv <<'X'
submit_time,job_id,duration,queue,node_num
2024-01-01 10:00:20,9,60,a,2
X
golden columns_maps_another_csv keys site.csv \
	--columns id=job_id,submit=submit_time,run=duration,nodes=node_num,partition=queue
golden columns_names_a_column_of_the_file keys site.csv --columns id=jobid,submit=submit_time

cat >times.sacct <<'X'
JobID|User|Submit|Eligible|Start|End|ElapsedRaw|NNodes|TimelimitRaw|State
1|a|2024-03-01T10:00:00+0200|2024-03-01T08:00:00Z|2024-03-01 08:00:10|2024-03-01T04:00:10.5-05:00|3600|64|120|COMPLETED
2|a|1709280060|1709280060.5|1709283610|1709283700|60|64|120|COMPLETED
X
golden times_with_an_offset_or_a_blank keys times.sacct

# An array of weeks between later jobs, in the order of sacct's ids
{
	echo 'JobID|User|Submit|Eligible|Start|End|ElapsedRaw|NNodes|TimelimitRaw|State'
	awk 'BEGIN { for (i = 0; i < 12000; i++) {
		print "1_" i "|a|1709251200|1709251200|" 1709251200 + i * 57 "|" 1709251250 + i * 57 "|50|1|10|COMPLETED"
		print i + 10 "|b|" 1709251200 + i * 57 "|" 1709251200 + i * 57 "|" 1709251200 + i * 57 "|" 1709251250 + i * 57 "|50|1|10|COMPLETED" } }'
} >array.sacct
array()
{
	keys array.sacct | head -8
}
golden records_may_stand_in_any_order array

cat >dialect.swf <<'X'
# exported by a script
; MaxProcs: 64
# UnixStartTime: 0
1.0 0.0 5 1e2 4.0 -1 -1 4e0 200.0 -1 1 7.0 1 1 1 2.0 -1 -1 n[1-4] batch 1:ppn=64:x86_64
2e0 10 5 100 64 -1 -1 64 200 -1 1 7 1 1 1 3 -1 -1
3 20 5 100 4.5 -1 -1 4.5 200 -1 1 7 1 1 1 2 -1 -1
X
golden dialects_of_swf keys dialect.swf
golden partitions_of_swf keys dialect.swf --partition 3
kept_partition()
{
	(cd "$golden_tmp" && storus generate --bare --format "$1" --from dialect.swf 2>&1)
}
golden generate_keeps_the_partition_csv kept_partition csv
golden generate_keeps_the_partition_swf kept_partition swf
cat >shares.csv <<'X'
id,submit,run,nodes,limit,user,account,qos,nice,priority,partition,wait_limit
1,0,00:00:10,2,0-00:01:40,a,phys,high,50,4,main,1h
2,1,10,2,UNLIMITED,b,,,-5,0,,
X
kept() (cd "$golden_tmp" && storus generate --bare --from shares.csv --format "$1")
golden generate_keeps_what_decides_a_turn kept csv
golden generate_says_what_swf_lacks kept swf

cat >shared.sacct <<'X'
JobID|User|Submit|Eligible|Start|End|ElapsedRaw|NNodes|AllocCPUS|ReqTRES|TimelimitRaw|State
1|a|2024-03-01T10:00:00|2024-03-01T10:00:00|2024-03-01T10:00:00|2024-03-01T11:00:00|3600|40|10|cpu=10,gres/gpu=2,node=40|120|COMPLETED
2|a|2024-03-01T10:01:00|2024-03-01T10:01:00|2024-03-01T10:01:00|2024-03-01T11:01:00|3600|40|20|cpu=20,gres/gpu:a100=3,node=40|120|COMPLETED
3|a|2024-03-01T11:00:00|2024-03-01T11:00:00|2024-03-01T11:00:00|2024-03-01T11:01:00|60|24|20|cpu=20,node=24|120|COMPLETED
X
golden shared_nodes_are_noticed keys shared.sacct
golden size_counts_cpus keys shared.sacct --size cpus
golden size_counts_gpus keys shared.sacct --size gpus

# At 11:00, 1 runs and has half an hour left, 2 waits, 3 comes later.
cat >window.sacct <<'X'
JobID|User|Submit|Eligible|Start|End|ElapsedRaw|NNodes|TimelimitRaw|State
0|a|2024-03-01T09:00:00|2024-03-01T09:00:00|2024-03-01T09:00:00|2024-03-01T10:30:00|5400|64|120|COMPLETED
1|a|2024-03-01T10:00:00|2024-03-01T10:00:00|2024-03-01T10:30:00|2024-03-01T11:30:00|3600|64|120|COMPLETED
2|a|2024-03-01T10:01:00|2024-03-01T10:01:00|2024-03-01T11:30:00|2024-03-01T11:31:00|60|40|120|COMPLETED
3|a|2024-03-01T11:05:00|2024-03-01T11:05:00|2024-03-01T11:31:00|2024-03-01T11:32:00|60|64|120|COMPLETED
4|a|2024-03-01T12:00:00|2024-03-01T12:00:00|2024-03-01T12:00:00|2024-03-01T12:01:00|60|24|120|COMPLETED
X
golden a_window_begins_with_what_ran_and_waited keys window.sacct \
	--from 2024-03-01T11:00:00 --to 2024-03-01T12:00:00
golden a_day_is_its_midnight keys window.sacct --from 2024-03-01 --to 2024-03-02
golden a_name_that_no_job_has keys clusters.sacct --cluster beta --partition torus,nope
golden a_name_that_no_job_has_at_all keys clusters.sacct --partition nope
golden a_window_is_of_dates keys window.sacct --from yesterday
golden a_window_ends_after_it_begins keys window.sacct --to 2024-03-01 --from 2024-03-02

# Files in SWF, one behind the other: the times of each count from its own begin.
joined_swf()
{
	cd "$golden_tmp" || return
	part() # UnixStartTime ID
	{
		printf '; UnixStartTime: %s\n; MaxNodes: 16\n' "$1"
		printf '%s 0 5 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n' "$2"
		printf '%s 50 5 100 4 -1 -1 4 200 -1 1 1 1 1 1 1 -1 -1\n' $(($2 + 1))
	}
	for starts in '1709287200 1709290800' '1709290800 1709287200' '0 0' '0 1709287200' \
		'1709287200 9223372036854775807'; do
		# shellcheck disable=SC2086
		set -- $starts
		{ part "$1" 1; part "$2" 3; } >joined.swf
		storus replay --torus flat:16 joined.swf --schedule - | cut -d , -f 1-5
		storus replay --torus flat:16 joined.swf --from 2024-03-01T10:30 2>/dev/null |
			grep ^kept
	done
}
golden joined_files_in_swf_have_their_own_begins joined_swf

# Rows with fewer columns than the line of names, as of a part without names behind one with
# others: each is reported, and none becomes the text or the run time of another.
short_rows()
{
	cd "$golden_tmp" || return
	for column in Extra:10 QOS:13 WCKey:11; do
		awk -F '|' -v column="${column%:*}" -v at="${column#*:}" '
			function row(name,  i, text) {
				for (i = 1; i <= 12; i++)
					text = text (i > 1 ? "|" : "") \
						(name && i == at ? column "|" : "") $i
				return text (name && at == 13 ? "|" column : "")
			}
			BEGIN { $0 = "JobID|JobName|User|Partition|Submit|Eligible|Start|End|ElapsedRaw|NNodes|State|Comment"
				print row(1)
				for (k = 1; k <= 6; k++) {
					t = 1709287200 + k * 100
					$0 = k "|n|u|p|" t "|" t "|" t "|" t + k "|" k "|" k "|COMPLETED|c"
					print row(0)
				}
			}' >short.sacct
		storus replay --torus flat:64 short.sacct 2>&1 | cut -c1-140
	done
}
golden rows_with_fewer_columns_are_no_text short_rows

# What is something else is named, with the command that helps.
foreign()
{
	cd "$golden_tmp" || return
	printf '\3757zXZ\000\000x' >t.swf
	printf '\050\265\057\375abc' >t.zst
	printf 'BZh91AY' >t.bz2
	printf 'PK\003\004abc' >t.xlsx
	printf '<!DOCTYPE html>\n<p>log in\n' >t.csv
	printf '01/31/2024 23:59:59;E;12.server;user=a\n' >t.pbs
	printf '"JOB_FINISH" "10.1" 1 2 3\n' >t.acct
	printf 'JobID           JobName  Partition      State\n------------ ---------- ---------- ----------\n1 a b COMPLETED\n' >t.txt
	printf '             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n' >t.queue
	printf 'JobId=12 UserId=a(1) Name=b\n' >t.jobcomp
	printf 'id,submit,run,nodes\n1,0,10,4\n' >one.csv
	tar -cf t.tar one.csv
	tar -czf t.tar.gz one.csv
	gzip -c one.csv | gzip >twice.csv.gz
	printf 'PK\005\006\000' >empty.zip
	printf '[{"id":1,"submit":0,"run":10,"nodes":4}]\n' >records.json
	printf '"User","JobID","Submit"\n"a","1","2024-03-01T10:00:00"\n' >quotes.txt
	for f in t.swf t.zst t.bz2 t.xlsx t.csv t.pbs t.acct t.txt t.queue t.jobcomp \
		t.tar t.tar.gz twice.csv.gz empty.zip records.json quotes.txt; do
		storus replay --torus 4x4 $f
	done
	storus replay --torus 4x4 --format sacct t.txt
}
golden other_files_are_named foreign

cat >jobs.json <<'X'
{ "meta": { "Slurm": {} },
  "jobs": [
    { "job_id": 12, "user": "a", "cluster": "c", "partition": "p", "priority": { "set": true, "infinite": false, "number": 5 },
      "allocation_nodes": 8, "array": { "job_id": 11, "task_id": { "set": true, "infinite": false, "number": 3 } },
      "state": { "current": [ "COMPLETED" ], "reason": "None" }, "name": "a|b\nc",
      "time": { "elapsed": 60, "eligible": 1709287210, "submission": 1709287200, "start": 1709287220, "end": 1709287280,
        "limit": { "set": true, "infinite": false, "number": 10 } }, "steps": [ { "step": { "id": "12.0" } } ] },
    { "job_id": 13, "user": "b", "cluster": "c", "partition": "p", "priority": 7, "allocation_nodes": 0,
      "array": { "job_id": 0, "task_id": null }, "state": { "current": "CANCELLED", "reason": "None" },
      "tres": { "allocated": [ { "type": "cpu", "name": "", "count": 4 }, { "type": "node", "name": "", "count": 2 } ] },
      "time": { "elapsed": 30, "eligible": 1709287200, "submission": 1709287200, "start": 1709287220, "end": 1709287250,
        "limit": { "set": false, "infinite": true, "number": 0 } } },
    { "job_id": 14, "user": "b", "partition": "p", "allocation_nodes": 1, "state": { "current": [ "PENDING" ] },
      "time": { "elapsed": 0, "eligible": 0, "submission": 1709287200, "start": 0, "end": 0 } }
  ] }
X
golden sacct_json_is_a_format keys jobs.json
cat jobs.json jobs.json | sed '20,$s/"submission": [0-9]*/"submission": 1709287300/' >both.json
golden sacct_json_documents_are_joined keys both.json
echo '{ "jobs": [ { "job_id": 1, "submit_time": 1709287200 } ] }' >queue.json
golden json_of_squeue_is_named keys queue.json
echo '{ "jobs": [' >broken.json
golden sacct_json_is_read_whole keys broken.json

# --- sacct: what jobs asked for, and pieces of jobs

cat >asked.sacct <<-'X'
	JobID|Submit|Start|End|NNodes|State|Constraints|Reservation|Licenses
	1|1709287200|1709287210|1709287270|1|COMPLETED|a100||
	2|1709287200|1709287210|1709287270|1|COMPLETED|a&b|maint|matlab:1
	3|1709287200|1709287210|1709287270|1|COMPLETED||maint|
	4|1709287200|1709287210|1709287270|1|COMPLETED|||
X
golden what_a_replay_does_not_know_is_named keys asked.sacct

# 1 has 8 CPUs by tasks of 3 (the script of 2 is its own business): two of them; 3 is alone;
# of an --exclusive in --wrap or behind the script nothing is known
cat >submit.sacct <<-'X'
	JobID|Submit|Start|End|NNodes|AllocCPUS|State|SubmitLine
	1|1709287200|1709287200|1709287260|1|8|COMPLETED|sbatch -p debug --hold -c3 job.sh --exclusive
	2|1709287200|1709287200|1709287260|1|4|COMPLETED|sbatch job.sh -c 3
	3|1709287200|1709287260|1709287320|1|4|COMPLETED|srun --exclusive --cpus-per-task 2 a.out
	4|1709287200|1709287200|1709287260|1|1|COMPLETED|sbatch --exclusive=user --wrap=a --exclusive
X
cat >shared.conf <<-'X'
	SelectTypeParameters=CR_Core
	NodeName=n[0-1] CPUs=8
	PartitionName=main Nodes=ALL Default=YES
X
sacct_lines()
{
	cd "$golden_tmp" &&
		storus replay --torus flat:16 --size cpus --discipline slurm-backfill \
			--slurm-conf shared.conf --schedule - "$1" 2>&1 | grep -v notice: | cut -d, -f1-9
}
golden options_of_a_submit_line sacct_lines submit.sacct

# all have options in front of -c, which take no value, and 2 CPUs of 8 in a task of 6; the
# script `-` of 6 is read from the standard input
{
	echo 'JobID|Submit|Start|End|NNodes|AllocCPUS|State|SubmitLine'
	n=0
	for options in --nice --x11 --immediate --bcast '--exact --overlap' '--stepmgr -' \
		'--no-shell --bell' -W --wait '--wait 5' '-W 5'; do
		for command in sbatch /usr/bin/srun; do
			echo "$((n += 1))|1709287200|1709287200|1709287260|1|8|COMPLETED|$command $options -c 6 a"
		done
	done
} >flags.sacct
flags()
{
	sacct_lines flags.sacct | cut -d, -f1,6 | sort -n |
		paste -d' ' - "$golden_tmp/flags.sacct" | cut -d'|' -f1,8
}
golden options_without_a_value flags

# whole nodes of 8 CPUs by --exclusive in the script of 1: 8, although it asked for 3; of 3
# nothing is known, and 4 had a CPU more than it asked for: 6
cat >exclusive.sacct <<-'X'
	JobID|Submit|Start|End|NNodes|AllocCPUS|ReqCPUS|State|SubmitLine
	1|1709287200|1709287200|1709287260|1|8|3|COMPLETED|sbatch -c 3 job.sh
	2|1709287200|1709287260|1709287320|1|2|2|COMPLETED|sbatch -n 2 job.sh
	3|1709287200|1709287260|1709287320|1|8||COMPLETED|sbatch -c 3 job.sh
	4|1709287200|1709287260|1709287320|1|7|6|COMPLETED|sbatch -c 3 job.sh
X
golden a_whole_node_is_not_rounded_to_tasks sacct_lines exclusive.sacct

# January and February of sacct -T: 2 ran across midnight, 3 was requeued, 4 ran across two
cat >pieces.sacct <<-'X'
	JobID|Submit|Start|End|NNodes|State
	1|2024-01-31T20:00:00|2024-01-31T20:00:00|2024-01-31T21:00:00|1|COMPLETED
	2|2024-01-31T22:00:00|2024-01-31T23:00:00|2024-02-01T00:00:00|1|COMPLETED
	3|2024-01-31T22:00:00|2024-01-31T22:00:00|2024-01-31T23:00:00|1|NODE_FAIL
	4|2024-01-31T22:00:00|2024-01-31T23:30:00|2024-02-01T00:00:00|2|COMPLETED
	JobID|Submit|Start|End|NNodes|State
	4|2024-01-31T22:00:00|2024-02-02T00:00:00|2024-02-02T01:00:00|2|COMPLETED
	4|2024-01-31T22:00:00|2024-02-01T00:00:00|2024-02-02T00:00:00|2|COMPLETED
	2|2024-01-31T22:00:00|2024-02-01T00:00:00|2024-02-01T01:30:00|1|COMPLETED
	3|2024-01-31T22:00:00|2024-01-31T23:00:02|2024-01-31T23:30:00|1|COMPLETED
X
pieces()
{
	cd "$golden_tmp" && storus generate --bare --from pieces.sacct 2>&1
	storus replay --torus flat:4 pieces.sacct 2>&1 | grep -e joined -e ^kept
}
golden pieces_of_a_job_are_joined pieces

# One job in three pieces is one in each count; the jobs 8 of two clusters, of two users and
# of two sizes are no pieces
cat >counted.sacct <<-'X'
	JobID|Cluster|User|Submit|Start|End|NNodes|State|Timelimit|Constraints|Reservation|Licenses|AdminComment
	7|c|u|1709287200|1709287200|1709290800|1|COMPLETED||ib|maint|matlab:1|
	7|c|u|1709287200|1709290800|1709294400|1|COMPLETED||ib|maint|matlab:1|
	7|c|u|1709287200|1709294400|1709298000|1|COMPLETED||ib|maint|matlab:1|
	8|c|u|1709298000|1709298000|1709301600|1|COMPLETED|5:00:00||||
	8|d|u|1709298000|1709301600|1709305200|1|COMPLETED|5:00:00||||
	8|d|v|1709298000|1709305200|1709308800|1|COMPLETED|5:00:00||||
	8|d|v|1709298000|1709308800|1709312400|2|COMPLETED|5:00:00||||
X
counted()
{
	cd "$golden_tmp" && storus replay --torus flat:4 --schedule - counted.sacct 2>&1
}
golden pieces_of_a_job_are_counted_once counted

# Monthly files, each written on the first of the next month: 2 ran then, and 3 still runs. 1
# and 2 became eligible late and have a limit: once each. 3 and 4 have no other piece.
{
	cat <<-'X'
		JobID|User|Submit|Eligible|Start|End|NNodes|State|Timelimit|AdminComment
		1|u|2024-01-31T20:00:00|2024-01-31T22:00:00|2024-01-31T23:00:00|2024-02-01T00:00:00|1|COMPLETED|2-00:00:00|
		2|u|2024-01-31T20:00:00|2024-01-31T22:00:00|2024-01-31T23:30:00|2024-02-01T00:00:00|4|RUNNING|04:00:00|
		3|u|2024-01-31T20:00:00|2024-01-31T20:00:00|2024-01-31T23:30:00|2024-02-01T00:00:00|1|RUNNING|10-00:00:00|
		JobID|User|Submit|Eligible|Start|End|NNodes|State|Timelimit|AdminComment
		1|u|2024-01-31T20:00:00|2024-01-31T22:00:00|2024-02-01T00:00:00|2024-02-01T23:00:00|1|COMPLETED|2-00:00:00|
		2|u|2024-01-31T20:00:00|2024-01-31T22:00:00|2024-02-01T00:00:00|2024-02-01T03:00:00|4|COMPLETED|04:00:00|torus:place=p:0,0+2x2/1x1
		3|u|2024-01-31T20:00:00|2024-01-31T20:00:00|2024-02-01T00:00:00|2024-03-01T00:00:00|1|RUNNING|10-00:00:00|
		4|u|2024-01-31T20:00:00|2024-01-31T20:00:00|2024-02-29T00:00:00|2024-03-01T00:00:00|1|COMPLETED||
		5|u|2024-01-31T20:00:00|2024-01-31T20:00:00|2024-02-28T00:00:00|2024-03-01T00:00:00|1|COMPLETED||
	X
} >running.sacct
running()
{
	cd "$golden_tmp" || return
	storus replay --torus 4x4:MM --schedule - running.sacct 2>&1
	storus replay --torus 4x4:MM --json running.sacct 2>/dev/null |
		grep -e '"jobs"' -e limit_accuracy -e '"unfinished": 1'
	storus replay --torus 4x4:MM --from 2024-02-01 --json running.sacct 2>&1 |
		grep -e '"jobs"' -e limit_accuracy -e cut -e '"unfinished": [1-9]'
	storus jobs running.sacct 2>&1
	# all pieces of a job are multiplied, or none
	storus replay --torus flat:16 --users 'u*2' --schedule - running.sacct 2>/dev/null |
		cut -d, -f1-4
	storus replay --torus flat:16 --users 'u*0.5' --json=half.json --schedule - running.sacct 2>/dev/null |
		cut -d, -f1-4
	grep -e '"jobs"' -e limit_accuracy half.json
}
golden pieces_of_a_job_that_ran_when_the_file_was_written running

# 1 and 3 had started before they were submitted
cat >early.sacct <<-'X'
	JobID|Submit|Eligible|Start|End|NNodes|State|Timelimit
	1|2024-03-01T10:00:00|2024-03-01T10:00:00|2024-03-01T09:00:00|2024-03-01T11:00:00|4|COMPLETED|02:00:00
	2|2024-03-01T10:00:00|2024-03-01T10:00:00|2024-03-01T10:00:00|2024-03-01T11:00:00|4|COMPLETED|02:00:00
	3|2024-03-01T11:00:00|2024-03-01T12:00:00|2024-03-01T10:59:59|2024-03-01T12:00:00|4|COMPLETED|02:00:00
X
# summer time ended while 4 ran, 5 was suspended for 2 minutes and 6 for an hour
cat >>early.sacct <<-'X'
	JobID|Submit|Eligible|Start|End|ElapsedRaw|NNodes|State|Timelimit
	4|2024-10-27T01:00:00|2024-10-27T01:00:00|2024-10-27T01:30:00|2024-10-27T03:30:00|10800|4|COMPLETED|04:00:00
	5|2024-10-27T01:00:00|2024-10-27T01:00:00|2024-10-27T01:30:00|2024-10-27T03:30:00|7080|4|COMPLETED|04:00:00
	6|1729994400|1729994400|1729994400|1730001600|3600|4|COMPLETED|04:00:00
X
early()
{
	cd "$golden_tmp" && storus replay --torus flat:16 --schedule - early.sacct 2>&1
}
golden jobs_with_contradictory_times_are_counted early

echo 'sacct: error: Problem talking to the database: Connection refused' >error.sacct
golden what_stands_before_the_names_is_shown sacct_lines error.sacct

echo '{"jobs": [], "errors": [{"error": "Unable to connect", "description": "slurmdbd"}]}' >error.json
golden an_error_in_the_place_of_jobs_is_shown sacct_lines error.json
# numbers as texts
sed 's/: \([0-9][0-9]*\)/: "\1"/g' jobs.json >texts.json
texts() { keys jobs.json; keys texts.json; }
golden numbers_of_json_may_be_texts texts

# --- CSV: ; and tabs, as spreadsheets write them, where no comma is in the line of names
printf '\357\273\277"id";submit;run;user;nodes\r\n"a";0;100;"b;c, d";4\r\n2 ; 10 ;50;;2\r\n3;20;1,5;x;2\r\n' >semicolons.csv
printf 'id\tsubmit\trun\tuser\tnodes\na\t0\t100\t\t4\n2\t10\t50\t"b, c"\t2\n' >tabs.csv
separators()
{
	for file in semicolons.csv tabs.csv; do
		storus generate --bare --from "$golden_tmp/$file" 2>&1 | sed "s|$golden_tmp/||"
	done
}
golden a_csv_is_parted_by_semicolons_or_tabs separators

# --- CSV: dates among seconds
printf 'id,submit,run,nodes\n1,2024-03-01T00:00:00,100,1\n2,50,100,1\n3,1709287300,100,1\n' >dates.csv
printf 'id,submit,run,nodes,deadline\n1,0,100,1,\n2,50,100,1,2024-03-01\n3,2024-03-01,100,1,\n' >seconds.csv
clocks() { keys dates.csv; keys seconds.csv; }
golden dates_and_seconds_are_two_clocks clocks

golden one_command_of_sacct storus examples sacct
# joined: the lists of several -o in one
joined()
{
	tr '\n' ' ' | sed 's/ \\ *-o /,/g'
}
columns=$(storus examples sacct | joined | sed 's/.* 2024-01-01,\([A-Za-z,]*\).*/\1/')
top=$(cd "$golden_dir/../../.." && pwd)
for where in weekly parity; do
	storus $where --help | joined | grep -q ",$columns"
	tap_result $? "$where --help has the columns of storus examples sacct" ""
done
for page in doc/lab.md doc/commands/storus-replay.1.in; do
	sed 's/\\-/-/g; s/\\e$/\\/' "$top/$page" | grep -q -e "-o $columns"
	tap_result $? "$page has the columns of storus examples sacct" ""
done

# No command writes over a file that it reads.
inputs_are_kept()
{
	cd "$golden_tmp" || return
	echo 'toruses: [{name: pod0, dims: [4, 4]}]' >in.yaml
	printf 'id,submit,run,nodes\n1,0,10,2\n' >in.csv
	printf 'traces: [in.csv]\nmachines: [in.yaml]\n' >sweep.yaml
	ln -s in.yaml link.yaml
	storus replay --torus in.yaml --schedule s.csv in.csv >/dev/null 2>&1
	cat in.yaml in.csv sweep.yaml s.csv >before
	for words in 'replay in.csv --schedule=in.csv' 'weekly in.csv --output in.yaml' \
		'weekly in.csv --output in.csv' 'validate in.csv --json=link.yaml' \
		'tune in.csv --json=in.csv' 'parity in.csv --json=in.yaml' \
		'report s.csv --output s.csv' \
		'map --schedule s.csv --output s.csv' 'slots 2x2 --csv=./in.yaml'; do
		# shellcheck disable=SC2086
		storus $words --torus in.yaml
		echo "$?"
	done
	storus generate --from in.csv --torus 4x4 --output in.csv
	for words in '--report sweep.db' --csv=./sweep.db '--json=p.db --output p.db' \
		'--output sweep.yaml'; do
		# shellcheck disable=SC2086
		storus sweep sweep.yaml $words
		[ ! -e sweep.db ] && [ ! -e p.db ] || echo computed
	done
	storus sweep sweep.yaml --report sweep.yaml
	storus sweep sweep.yaml --report ./in.csv
	printf 'traces: [x.csv]\nmachines: [4x4]\noptions: {link_file: down}\n' >links.yaml
	echo 'torus:0,0 1 down' >down
	cp in.csv x.csv
	storus sweep links.yaml --report down
	ln down m.csv.json
	storus replay in.csv --torus 4x4 --link-file m.csv.json --schedule m.csv
	cat in.yaml in.csv sweep.yaml s.csv | cmp - before
	cat down
	# nor one output over another, which is not there yet
	mkdir sub
	storus map --torus in.yaml --output new.txt --json=sub/../new.txt
	storus replay in.csv --torus in.yaml --schedule sub/new --json=./sub/new
	find . -name 'new*'
}
golden inputs_are_kept inputs_are_kept
golden_done
