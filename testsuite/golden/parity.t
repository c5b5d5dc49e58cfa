#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# storus parity: what it can tell from a journal, and from sacct's whole seconds.
. "$(dirname "$0")/lib-golden.sh"

# row ID SUBMIT START END SHAPE REGION: of sacct; no shape: Slurm placed it
row()
{
	comment=${5:+"torus:ask=$5 torus:place=t:$6;orientation=0,1;ring=TT"}
	echo "$1|$2|$2|$3|$4|$(($4 - $3))|4|10|COMPLETED|$comment"
}
header='JobID|Submit|Eligible|Start|End|ElapsedRaw|NNodes|TimelimitRaw|State|AdminComment'

# sacct [OPTION...]: the rows on the standard input, and what is said of them
sacct()
{
	{ echo "$header"; cat; } >"$golden_tmp/jobs.txt"
	(cd "$golden_tmp" && cp "$OLDPWD/torus.yaml" . &&
		storus parity --torus torus.yaml "$@" jobs.txt)
}

# Two busy periods: a job that waits for another, and one by itself.
same()
{
	{
		row 12 5000 5000 5100 4x4 0,0+4x4
		row 9 1010 1100 1200 4x4 0,0+4x4
		row 8 1000 1000 1100 2x2 0,0+2x2
	} | sacct "$@"
}
golden same same
json()
{
	same --json | sed 's/"\(version\|build\)": ".*"/"\1": ""/'
}
golden json json

# In the first period job 9 might have been placed at once; in the second all
# is as it was.
early()
{
	{
		row 8 1000 1000 1100 4x2 0,0+2x4
		row 9 1010 1050 1200 4x2 2,0+2x4
		row 10 1020 1200 1300 4x4 0,0+4x4
		row 12 5000 5000 5100 4x4 0,0+4x4
	} | sacct
}
golden early early

# Another option than the cluster's, of the discipline or of the strategy.
option()
{
	for words in queue_order=lqf queue_order=saf contact=off queue_order=longest none=1 queue_order; do
		printf '%s: ' $words
		{
			row 8 1000 1000 1100 4x4 0,0+4x4
			row 9 1010 1100 1200 4x4 0,0+4x4
			row 10 1020 1200 1300 2x2 0,0+2x2
		} | sacct --discipline easy --option $words 2>&1 | grep -e ^order -e ^storus
	done
	storus parity --dry-run --option queue_order=sjf journal.csv 2>&1
}
golden option option

# Requests without starts, as of replay and generate.
startless()
{
	(cd "$golden_tmp" && printf 'id,submit,run,nodes\n1,0,9,4\n2,3,9,4\n' >a.csv &&
		storus parity --torus 4x4 a.csv)
}
golden startless startless

region()
{
	{
		row 8 1000 1000 1100 2x2 0,0+2x2
		row 9 1010 1010 1200 2x2 2,2+2x2
	} | sacct
}
golden region region

# The same, but job 9 came when job 8 ended: before or after?
open()
{
	{
		row 8 1000 1000 1010 2x2 0,0+2x2
		row 9 1010 1010 1200 2x2 2,2+2x2
	} | sacct
}
golden open open

# And with it the one behind: most of the jobs are unclear.
unclear()
{
	{
		row 8 1000 1000 1010 2x2 0,0+2x2
		row 9 1010 1010 1200 2x2 2,2+2x2
		row 10 1010 1010 1200 2x2 0,0+2x2
	} | sacct
}
golden unclear unclear

# Where job 8 ran nobody says; 11 was cancelled while it waited, 13 runs; 10 gave
# its place back and came again. A batch step is no job.
foreign()
{
	{
		row 8 1000 1000 1100
		row 9 1010 1010 1200 2x2 2,2+2x2
		echo "8.batch|1000|1000|1000|1100|100|4|10|COMPLETED|"
		echo "11|1020|1020|None|1030|0|4|10|CANCELLED by 0|torus:ask=4x4"
		row 10 3000 3000 3100 2x2 0,0+2x2 | sed 's/COMPLETED/REQUEUED/'
		row 10 3100 3200 3300 2x2 0,0+2x2 | sed 's/3100|3100/3100|3200/'
		echo "13|3400|3400|3400|Unknown|0|4|10|RUNNING|"
	} | sacct
}
golden foreign foreign

# A journal is in the order of ends, and exact.
journal()
{
	cat >"$golden_tmp/journal.csv" <<-END
	id,submit,run,nodes,geometry,connection,rotate,limit,deadline,priority,start,end,region,state
	10,1000.000001,1.000000,,"2x2",,,60.000000,,1,1000.000001,1001.000001,"$1",completed
	9,1000.000001,2.000000,,"2x2",,,60.000000,,1,1000.000001,1002.000001,"$2",completed
	END
	storus parity --torus torus.yaml "$golden_tmp/journal.csv" |
		sed "s,$golden_tmp/,,"
}
golden journal journal t:2,0+2x2 t:0,0+2x2
golden swapped journal t:0,0+2x2 t:2,0+2x2

# Job 9 was held and let go, keeps its turn, and is not started after all, which
# lets job 10 begin; job 8 runs over its limit; job 11 has no shape.
stays()
{
	cat >"$golden_tmp/journal.csv" <<-END
	id,submit,run,nodes,geometry,connection,rotate,placement,limit,deadline,priority,eligible,turn,left,start,end,region,state
	8,1000.000000,100.000000,,"4x4",,,,60.000000,,1,1000.000000,1,,1000.000000,1100.000000,"t:0,0+4x4",completed
	9,1010.000000,60.000000,,"4x4",,,,60.000000,,1,1010.000000,2,1050.250000,,,,withdrawn
	9,1080.250000,0.000001,,"4x4",,,,60.000000,,1,1010.000000,2,,1100.000000,1100.000001,"t:0,0+4x4",undone
	10,1020.500000,10.000000,,"2x2",,,,20.000000,,1,1020.500000,3,,1100.000001,1110.000001,"t:0,0+2x2",completed
	11,1110.000001,30.000000,3,,,,flat,30.000000,,1,1110.000001,4,,1110.000001,1140.000001,"t:{0-2}",completed
	END
	storus parity --within 0 --check --torus torus.yaml "$golden_tmp/journal.csv"
}
golden stays stays

# A dry run. Job 1 starts as it would; 2 two minutes later and elsewhere; 3 at
# the same time elsewhere; 4 was held back; 5 waits; 6 came with srun; 7 is
# cancelled; 8 runs twice; 9 would be turned down; 20 ran before.
dry()
{
	cat >"$golden_tmp/dry.csv" <<-END
	# torus journal 2
	id,submit,run,nodes,geometry,connection,rotate,placement,limit,deadline,priority,eligible,turn,left,limits,only,start,end,region,state,stay
	,1000.000000,,,,,,,,,,,,,,,,,,begin,
	,1000.000000,,,,,,,,,,,,,,,,,"scheduler easy order=arrival wait_limit=none backfill_places=1 mean_hold=0 dry_run",state,
	20,1000.000000,50.000000,4,,,,given,900.000000,,0,990.000000,0,,,,990.000000,,"t:2,0+2x2",running,1
	1,1010.000000,60.000000,,"2x2",,,,60.000000,,1,1010.000000,1,,,,,,,waiting,2
	1,1010.000000,,,,,,,,,,,,,,,,,"t:0,0+2x2",would,
	1,1010.250000,60.000000,4,,,,given,60.000000,,0,1010.000000,0,,,,1010.000000,,"t:0,0+2x2",running,3
	1,1010.000000,60.000000,,"2x2",,,,60.000000,,1,1010.000000,1,1010.250000,,,,,,withdrawn,2
	2,1020.000000,60.000000,,"2x2",,,,60.000000,,1,1020.000000,2,,,,,,,waiting,4
	2,1020.000000,,,,,,,,,,,,,,,,,"t:0,2+2x2",would,
	2,1140.250000,60.000000,4,,,,given,60.000000,,0,1140.000000,0,,,,1140.000000,,"t:0,0+2x2",running,5
	3,1141.000000,60.000000,,"2x2",,,,60.000000,,1,1141.000000,3,,,,,,,waiting,6
	3,1141.000000,,,,,,,,,,,,,,,,,"t:0,2+2x2",would,
	3,1142.250000,60.000000,4,,,,given,60.000000,,0,1142.000000,0,,,,1142.000000,,"t:2,2+2x2",running,7
	4,1150.000000,60.000000,,"2x2",,,,60.000000,,1,1150.000000,4,,,,,,,waiting,8
	4,1152.250000,60.000000,4,,,,given,60.000000,,0,1152.000000,0,,,,1152.000000,,"t:0,2+2x2",running,9
	5,1160.000000,60.000000,,"1x1",,,,60.000000,,1,1160.000000,5,,,,,,,waiting,10
	5,1160.000000,,,,,,,,,,,,,,,,,"t:0,2+1x1",would,
	6,1170.250000,60.000000,4,,,,given,60.000000,,0,1170.000000,0,,,,1170.000000,,"t:2,0+1x1",running,11
	7,1180.000000,60.000000,,"1x1",,,,60.000000,,1,1180.000000,5,,,,,,,waiting,12
	7,1180.000000,60.000000,,"1x1",,,,60.000000,,1,1180.000000,5,1190.000000,,,,,,withdrawn,12
	8,1200.000000,60.000000,,"1x1",,,,60.000000,,1,1200.000000,6,,,,,,,waiting,13
	8,1200.000000,,,,,,,,,,,,,,,,,"t:0,2+1x1",would,
	8,1200.250000,60.000000,1,,,,given,60.000000,,0,1200.000000,0,,,,1200.000000,,"t:0,2+1x1",running,14
	8,1200.250000,10.000000,1,,,,given,60.000000,,0,1200.000000,0,,,,1200.000000,1210.000000,"t:0,2+1x1",completed,14
	8,1210.000000,60.000000,,"1x1",,,,60.000000,,1,1210.000000,6,,,,,,,waiting,15
	8,1210.000000,,,,,,,,,,,,,,,,,"t:0,2+1x1",would,
	8,1220.250000,60.000000,1,,,,given,60.000000,,0,1220.000000,0,,,,1220.000000,,"t:0,2+1x1",running,16
	9,1230.000000,60.000000,,"1x1",,,,60.000000,1240.000000,1,1230.000000,7,,,,,,,waiting,17
	9,1230.000000,,,,,,,,,,,,,,,,,,would,
	,1300.000000,,,,,,,,,,,,,,,,,,until,
	END
	(cd "$golden_tmp" && cp "$OLDPWD/torus.yaml" . && storus parity "$@" dry.csv)
}
golden dry dry --dry-run
golden dry-csv dry --dry-run --csv
golden dry-columns dry --dry-run --noheader -o job,verdict,other_region
dry_json()
{
	dry --dry-run --json --within 3 | sed 's/"\(version\|build\)": ".*"/"\1": ""/'
}
golden dry-json dry_json
golden dry-plain dry --torus torus.yaml
golden dry-torus dry --torus torus.yaml --dry-run
golden dry-none storus parity --dry-run torus.yaml
not_dry()
{
	sed '/,would,$/d; s/ dry_run"/"/' "$golden_tmp/dry.csv" >"$golden_tmp/live.csv"
	(cd "$golden_tmp" && storus parity --dry-run live.csv)
}
golden dry-not not_dry

# Jobs without a shape in a cluster that has three nodes more than the torus; job 12
# takes 13 to 19 nodes.
plain()
{
	cat >"$golden_tmp/journal.csv" <<-END
	id,submit,run,nodes,geometry,connection,rotate,placement,limit,deadline,priority,eligible,turn,left,start,end,region,state
	8,1000.000000,100.000000,18,,,,anywhere+3,100.000000,,1,1000.000000,1,,1000.000000,1100.000000,"t:{0-14},outside:{0-2}",completed
	9,1001.000000,10.000000,2,,,,anywhere+3,20.000000,,1,1001.000000,2,,1100.000000,1110.000000,"t:{0-1}",completed
	10,1002.000000,10.000000,,"2x2",,,,20.000000,,1,1002.000000,3,,1100.000000,1110.000000,"t:2,0+2x2",completed
	11,1003.000000,10.000000,20,,,,anywhere+3,20.000000,,1,1003.000000,4,,,,,rejected
	12,1004.000000,10.000000,,"19,16,13",,,anywhere+3,20.000000,,1,1004.000000,5,,1100.000000,1110.000000,"t:{4-5,8-15},outside:{0-2}",completed
	END
	storus parity --within 0 --check --torus torus.yaml "$golden_tmp/journal.csv"
	sed "s/anywhere+3/anywhere+x/" "$golden_tmp/journal.csv" |
		storus parity --torus torus.yaml - 2>&1 | cut -c1-100
}
golden plain plain

# Job 9 may use the half that job 8 has, job 10 the other one, job 11 first that
# one, too, then all, then the half of job 9, for which it waits.
some()
{
	cat >"$golden_tmp/journal.csv" <<-END
	id,submit,run,nodes,geometry,limit,turn,only,start,end,region,state
	8,1000.000000,100.000000,,"4x2",100.000000,1,"t:{0-7}",1000.000000,1100.000000,"t:0,0+4x2",completed
	9,1001.250000,10.000000,,"2x2",20.000000,2,"t:{0-7}",1100.000000,1110.000000,"t:0,0+2x2",completed
	10,1002.000000,10.000000,,"2x2",20.000000,3,"t:{8-15}",1100.000000,1110.000000,"t:0,2+2x2",completed
	11,1003.000000,10.000000,,"4x2",20.000000,4,"t:{8-15} 1010.500000=all 1011.000000=t:{0-7}",1110.000000,1120.000000,"t:0,0+4x2",completed
	END
	storus parity --within 0 --check --torus torus.yaml "$golden_tmp/journal.csv"
	sed "s/t:{8-15}/$1/" "$golden_tmp/journal.csv" >"$golden_tmp/other.csv"
	storus parity --torus torus.yaml "$golden_tmp/other.csv" 2>&1
}
golden some some all
some_csv()
{
	some all >/dev/null
	storus parity --torus torus.yaml "$golden_tmp/other.csv" --csv
	storus parity --torus torus.yaml "$golden_tmp/other.csv" -o '%i %l %r'
}
golden some-csv some_csv
golden nowhere some 't:{8-16}'

# While job 8 runs, two rows of nodes go out of service; job 9 waits for them, and
# job 10 for what somebody else has, known until 1210, then longer.
nodes()
{
	cat >"$golden_tmp/journal.csv" <<-END
	id,submit,run,nodes,geometry,limit,turn,start,end,region,state
	8,1000.250000,100.000000,,"4x2",100.000000,1,1000.250000,1100.250000,"t:0,0+2x4",completed
	,1010.000000,,,,,,,,"t:{0-7}",out
	9,1020.000000,10.000000,,"4x4",20.000000,2,1200.000000,1210.000000,"t:0,0+4x4",completed
	,1200.000000,,,,,,,,none,out
	,1205.000000,,,,5.000000,,,,"t:{3}",busy
	10,1206.000000,10.000000,,"4x4",20.000000,3,1220.000000,1230.000000,"t:0,0+4x4",completed
	,1210.000000,,,,4.000000,,,,"t:{3}",busy
	,1210.000000,,,,,,,,"t:{7,9}",busy
	,1220.000000,,,,,,,,none,busy
	END
	storus parity --within 0 --check --torus torus.yaml "$golden_tmp/journal.csv"
	grep -v "$1\$" "$golden_tmp/journal.csv" >"$golden_tmp/other.csv"
	storus parity --torus torus.yaml "$golden_tmp/other.csv"
}
golden out nodes out
golden busy nodes busy

# Nodes 0 to 7 are reserved from 1050 to 1100, then from 1060 on, then no longer: job
# 8 is inside; job 9 runs beside it, job 10 waits until it is released, and job 11
# behind that; job 12 comes too late for its own reservation.
reserved()
{
	cat >"$golden_tmp/journal.csv" <<-END
	# torus journal 3
	id,submit,run,nodes,geometry,limit,turn,only,start,end,region,state,stay
	,1000.000000,,,,,,,,,,begin,
	,1000.000000,,,,,,,,,"1 -1100.000000",outages,
	8,1000.000000,60.000000,,"4x2",60.000000,1,t:{0-7}!1,1000.000000,1060.000000,"t:0,0+4x2",completed,1
	,1000.000000,,,,,,,,,"2 - t:{0-7}=1050.000000-1100.000000",outages,
	9,1000.000000,70.000000,,"4x2",70.000000,2,all!2,1000.000000,1070.000000,"t:0,2+4x2",completed,2
	,1040.000000,,,,,,,,,"3 - t:{0-3\\",outages,
	,1040.000000,,,,,,,,,"}=1060.000000- t:{4-7}=-,2000.000000-3000.000000",outages,
	10,1010.000000,30.000000,,"4x4",30.000000,3,all!2 1040.000000=all!3 1090.000000=all,1090.000000,1120.000000,"t:0,0+4x4",completed,3
	11,1070.000000,20.000000,,"4x2",20.000000,4,all!2,1120.000000,1140.000000,"t:0,0+2x4",completed,4
	,1110.000000,,,,,,,,,"4 -1115.000000",outages,
	12,1110.000000,5.000000,,"1",5.000000,5,all!4,,,,waiting,5
	,1150.000000,,,,,,,,,,until,
	END
	storus parity --within 0 --check --torus torus.yaml "$golden_tmp/journal.csv"
	storus replay --torus torus.yaml --json "$golden_tmp/journal.csv" | grep completed
	sed "$1" "$golden_tmp/journal.csv" |
		storus parity --within 0 --torus torus.yaml - 2>&1
	echo "status $?"
}
golden reserved reserved /outages,/d
golden reserved-wrong reserved 's/=-,2000/=-,4000/'

# A journal that ends while job 8 runs and job 9 waits, or after a line that was
# not its cycle's last, or that lost lines; then another scheduler begins.
cut()
{
	cat >"$golden_tmp/journal.csv" <<-END
	id,submit,run,nodes,geometry,limit,turn,start,end,region,state,stay
	,1000.000000,,,,,,,,,begin,
	,1000.000000,,,,,,,,none,out,
	8,1000.000000,100.000000,,"4x4",100.000000,1,,,,waiting,1
	8,1000.000000,100.000000,,"4x4",100.000000,1,1000.000000,,"t:0,0+4x4",running,1
	9,1000.000000,50.000000,,"2x2",50.000000,2,,,,waiting,2
	,1000.000000,,,,,,,,,until,
	8,1000.000000,40.000000,,"4x4",100.000000,1,1000.000000,1040.000000,"t:0,0+4x4",completed,1
	9,1000.000000,50.000000,,"2x2",50.000000,2,1040.000000,,"t:0,0+2x2",running,2
	,1040.000000,,,,,,,,,until,
	10,1041.000000,50.000000,,"2x2",50.000000,3,,,,waiting,3
	10,1041.000000,50.000000,,"2x2",50.000000,3,1041.000000,,"t:2,0+2x2",running,3
	,1041.000000,,,,,,,,,until,
	,,,3,,,,,,,lost,
	,1043.000000,,,,,,,,,until,
	,1050.000000,,,,,,,,,begin,
	11,1050.000000,50.000000,,"2x2",50.000000,4,1050.000000,,"t:0,0+2x2",running,1
	,1050.000000,,,,,,,,,until,
	END
	for lines in 1 6 7 9 10 20; do
		echo "$lines:"
		head -n $lines "$golden_tmp/journal.csv" >"$golden_tmp/cut.csv"
		storus parity --within 0 --check --torus torus.yaml "$golden_tmp/cut.csv"
		echo "status $?"
	done
	sed 's/1040.000000,,"t:0,0/1042.000000,,"t:0,0/' "$golden_tmp/journal.csv" >"$golden_tmp/other.csv"
	storus parity --within 0 --torus torus.yaml "$golden_tmp/other.csv"
	echo "status $?"
	# rotated: the second file alone, and both
	{ head -n 1 "$golden_tmp/journal.csv"; sed 1,5d "$golden_tmp/journal.csv"; } >"$golden_tmp/new.csv"
	storus parity --within 0 --torus torus.yaml "$golden_tmp/new.csv"
	echo "status $?"
	head -n 5 "$golden_tmp/journal.csv" | cat - "$golden_tmp/new.csv" |
		storus parity --within 0 --torus torus.yaml -
	echo "status $?"
	storus replay --torus 4x4 --discipline fcfs "$golden_tmp/journal.csv" | grep -E "^(completed|skipped) "
}
golden cut cut

# A file after a rotation: jobs 5 (which runs on) and 6 had nodes when it begins, 7 and 8
# waited; 7 was promised the end of 6. A replay begins as the cluster's scheduler did,
# also with another strategy; on another machine it says what it could not.
later()
{
	cat >"$golden_tmp/later.csv" <<-END
	# torus journal 3
	id,submit,run,nodes,geometry,placement,limit,turn,start,end,region,state,stay
	,1000.000000,,,,,,,,,,begin,
	,1000.000000,,,,,,,,,"scheduler conservative order=arrival wait_limit=none backfill_places=1 mean_hold=0",state,
	,1000.000000,,,,,,,,,"pod t 4x4 submesh -",state,
	,1000.000000,,,,,,,,,"pod t 4x4 flat -",state,
	,1000.000000,,,,,,,,,"hold 5 900000000 1300000000 t submesh 8 2 2 0,1 t:0,0+4x2",state,
	,1000.000000,,,,,,,,,"hold 6 950000000 1050000000 t submesh 4 2 0 0,1 t:0,2+2x2",state,
	,1000.000000,,,,,,,,,none,out,
	5,1000.000000,400.000000,8,,given,400.000000,0,900.000000,,"t:0,0+4x2",running,1
	6,1000.000000,100.000000,4,,given,100.000000,0,950.000000,,"t:0,2+2x2",running,2
	7,1000.000000,10.000000,,"4x2",,10.000000,7,,,,waiting,3
	8,1000.000000,60.000000,,"2x2",,60.000000,8,,,,waiting,4
	,1000.000000,,,,,,,,,"promised 3 - 0 7 1050000000 1060000000 t submesh 8 2 1 0,1 t:0,2+4x2",state,
	,1000.000000,,,,,,,,,,until,
	6,1000.000000,70.000000,4,,given,100.000000,0,950.000000,1020.000000,"t:0,2+2x2",completed,2
	7,1000.000000,10.000000,,"4x2",,10.000000,7,1020.000000,1030.000000,"t:0,2+4x2",completed,3
	8,1000.000000,50.000000,,"2x2",,60.000000,8,1030.000000,1080.000000,"t:0,2+2x2",completed,4
	9,1085.000000,10.000000,3,,anywhere,10.000000,8,1085.000000,1095.000000,"t:{8-10}",completed,5
	,1110.000000,,,,,,,,,,until,
	END
	sed s/fcfs/conservative/ torus.yaml >"$golden_tmp/conservative.yaml"
	cd "$golden_tmp" || return
	storus parity --within 0 --check --torus conservative.yaml later.csv
	for how in '' '--strategy submesh-tbl --discipline easy' '--torus 8x8'; do
		echo "replay $how"
		# shellcheck disable=SC2086  # words
		storus replay --check --torus conservative.yaml $how --schedule - later.csv 2>&1
	done
	echo "without the state"
	grep -v ',state,$' later.csv |
		storus replay --torus conservative.yaml --schedule - - 2>&1
}
golden later later

# Job 3 overtakes job 2 under easy; the cluster's discipline becomes fcfs, and job 6 does not
# overtake job 5: each piece is as its own scheduler decides.
pieces()
{
	cat >"$golden_tmp/pieces.csv" <<-END
	# torus journal 3
	id,submit,run,nodes,geometry,placement,limit,turn,start,end,region,state,stay
	,1000.000000,,,,,,,,,,begin,
	,1000.000000,,,,,,,,,"scheduler easy order=arrival wait_limit=none backfill_places=1 mean_hold=0 preempt=true",state,
	,1000.000000,,,,,,,,,none,out,
	1,1000.000000,100.000000,,"4x2",,100.000000,1,1000.000000,1100.000000,"t:0,0+2x4",completed,1
	2,1001.000000,50.000000,,"4x4",,50.000000,2,1100.000000,1150.000000,"t:0,0+4x4",completed,2
	3,1002.000000,20.000000,,"2x2",,20.000000,3,1002.000000,1022.000000,"t:2,0+2x2",completed,3
	,1160.000000,,,,,,,,,,until,
	,2000.000000,,,,,,,,,,begin,
	,2000.000000,,,,,,,,,"scheduler fcfs order=arrival wait_limit=none backfill_places=1 mean_hold=0",state,
	,2000.000000,,,,,,,,,none,out,
	4,2000.000000,100.000000,,"4x2",,100.000000,1,2000.000000,2100.000000,"t:0,0+2x4",completed,1
	5,2001.000000,50.000000,,"4x4",,50.000000,2,2100.000000,2150.000000,"t:0,0+4x4",completed,2
	6,2002.000000,20.000000,,"2x2",,20.000000,3,2150.000000,2170.000000,"t:0,0+2x2",completed,3
	,2180.000000,,,,,,,,,,until,
	END
	sed "$1" "$golden_tmp/pieces.csv" >"$golden_tmp/changed.csv"
	shift
	(cp torus.yaml "$golden_tmp" && cd "$golden_tmp" && storus parity --within 0 --check --torus torus.yaml "$@" changed.csv)
}
golden pieces pieces 's/ preempt=true//'
golden pieces-swapped pieces 's/scheduler easy/scheduler x/; s/scheduler fcfs/scheduler easy/; s/scheduler x/scheduler fcfs/; s/ preempt=true//'
golden pieces-discipline pieces 's/ preempt=true//' --discipline easy
golden pieces-wrong pieces 's/ preempt=true//' --discipline easi
golden pieces-unknown pieces 's/scheduler fcfs/scheduler later/; s/ preempt=true//'
golden pieces-option pieces 's/preempt=true/cheese=1/'
pieces_json()
{
	pieces 's/ preempt=true//' --json | grep -e same -e pieces -e discipline
}
golden pieces-json pieces_json

wrong()
{
	sacct </dev/null
	echo "$?"
	echo '9|nonsense' | sacct
	echo "$?"
	sacct --torus none.yaml </dev/null
	echo "$?"
	storus parity --torus torus.yaml
	echo "$?"
}
golden wrong wrong
golden_done
