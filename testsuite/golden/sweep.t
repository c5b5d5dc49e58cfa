#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# storus sweep: what it computes, that it goes on where it was interrupted, and
# what it says to bad campaigns. The inputs are in sweep/.
. "$(dirname "$0")/lib-golden.sh"
skip_if_short

db=$golden_tmp/r.db

sweep()
{
	storus sweep "$@" 2>&1 | sed "s#$golden_tmp/##"
}

# --- refused before anything runs, every mistake named

bad() # without the lists of the registries, which grow
{
	storus sweep bad.yaml 2>&1 | sed 's/; expected one of .*//'
}
golden bad bad
golden unsuited storus sweep unsuited.yaml
golden unknown-option storus sweep unknown-option.yaml
golden wrong-option storus sweep wrong-option.yaml
golden empty storus sweep empty.yaml
golden missing storus sweep nothere.yaml
golden no-campaign storus sweep
golden two storus sweep campaign.yaml site.yaml
golden no-results storus sweep --show campaign.yaml

# A model's seeds are cells of their own, a file's are not: 2 machines x 2
# disciplines x 2 loads x (1 + 3) = 32.
golden dry-run sweep campaign.yaml --output "$db" --dry-run

# The load of drawn jobs is that of a machine; without a stated one it is the
# model's or the log's own, whatever the campaign's machines are.
loads()
{
	printf '%s\n' id,submit,run,nodes,user 1,0,10,20,ann 2,86400,10,16,bob \
		>"$golden_tmp/users.csv"
	cat >"$golden_tmp/loads.yaml" <<-YAML
	traces:
	- {model: aida-uniform, jobs: 10, load: 0.7}
	- {model: aida-uniform, jobs: 10, nominal-load: 0.7, machine: flat:64}
	- {model: aida-uniform, jobs: 10}
	- {like: users.csv, by: users, load: 0.7}
	- {like: users.csv, by: users, load: 0.7, machine: flat:64}
	machines: [flat:256, 8x8x8]
	YAML
	sweep "$golden_tmp/loads.yaml" --dry-run | grep notice: |
		sed "s#$golden_tmp/##"
}
golden loads loads

# --- results

# fcfs has neither order nor bound: of its cells one is computed. A further value is
# computed as the first one then, which has a result already.
twins()
{
	printf '%s\n' id,submit,run,nodes,limit 1,0,100,8,120 2,1,50,4,60 3,2,10,2,20 4,3,10,6,20 \
		>"$golden_tmp/twins.csv"
	printf '%s\n' 'traces: [twins.csv]' 'machines: [flat:8]' 'disciplines: [fcfs, easy]' \
		'options: {queue_order: [fcfs, sjf], bound: [1h, 20h]}' >"$golden_tmp/twins.yaml"
	cd "$golden_tmp" || return
	storus sweep twins.yaml --dry-run
	storus sweep twins.yaml -o discipline,options,utilization,mean_wait_s
	sed -i 's/20h/20h, 30h/' twins.yaml
	storus sweep twins.yaml >/dev/null && storus sweep twins.yaml --dry-run
	sed -i 's/1h/40h, 1h/' twins.yaml # (a new first value: the others have results)
	storus sweep twins.yaml >/dev/null && storus sweep twins.yaml --dry-run
	for discipline in fcfs easy; do # a replay of one says the same
		storus replay --torus flat:8 --discipline $discipline --json twins.csv 2>/dev/null |
			jq -c "[\"$discipline\", .utilization, .mean_wait_s]"
	done
}
golden twins twins

golden table sweep campaign.yaml --output "$db" --workers 2
golden again sweep campaign.yaml --output "$db"
golden dimensions sweep dimensions.yaml --output "$golden_tmp/d.db"
golden dimensions-compare sweep dimensions.yaml --output "$golden_tmp/d.db" \
	--compare easy/limit_max=1h easy/limit_max=20
json() # but for what differs from run to run; GSL's quantiles differ from processor to processor
{
	storus sweep campaign.yaml --output "$db" --json |
		sed 's/"\(command\|version\|build\)": ".*"/"\1": ""/
			s/\("\(low\|high\)": -\{0,1\}[0-9]*\.[0-9]\{9\}\)[0-9]*/\1/'
}
golden json json

# Every option of storus replay is a key of options or a list of the campaign, but for
# those of the output: the key is known, and "?" is no value of it.
keys()
{
	cp jobs.csv "$golden_tmp"
	for option in $(storus replay --help | sed -n 's/^  --\([a-z0-9-]*\).*/\1/p' | tr - _); do
		case $option in
		json | schedule | per_user | help | option) continue ;;
		esac
		printf 'traces: [jobs.csv]\nmachines: [4x4x2]\ndisciplines: [dedf]\noptions: {%s: "?"}\n' \
			"$option" >"$golden_tmp/key.yaml"
		if said=$("$golden_top/storus" sweep --dry-run "$golden_tmp/key.yaml" 2>&1); then
			said=unknown
		fi
		case $said in
		*unknown*) echo "$option is no key: $said" ;;
		*) echo "$option" ;;
		esac
	done | fmt -w 78
}
golden keys keys

# A list of windows, sizes or arrivals is a dimension; names and limits are one value, and
# a list of lists a dimension. A cell is what storus replay says of the window.
windows()
{
	printf 'id,submit,run,nodes\n1,0,50,4\n2,10,50,4\n3,100,50,4\n4,110,70,4\n' \
		>"$golden_tmp/window.csv"
	for list in 'from: [0, 100]' 'from: [0, 100], to: [105, 1000]' 'from: [[0], [100]]' \
		'arrivals: [submit, eligible]' 'default_limit: [[1h], [2h]]' \
		'default_limit: [1h, 2h]' 'from: [0, soon]' 'outage: ["2030-01-01 +1h 0-4"]' \
		'partition: ["x=0-9"]'; do
		printf 'traces: [window.csv]\nmachines: ["flat:4"]\ndisciplines: [fcfs]\noptions: {%s}\n' \
			"$list" >"$golden_tmp/window.yaml"
		echo "-- $list"
		rm -f "$golden_tmp/w.db"
		sweep "$golden_tmp/window.yaml" --output "$golden_tmp/w.db"
	done
	storus replay --torus flat:4 --discipline fcfs --from 100 --json \
		"$golden_tmp/window.csv" 2>/dev/null | grep mean_wait_s
}
golden windows windows

# An outage that no replay of some cells meets is said, when results are shown again, too.
unmet()
{
	cat >"$golden_tmp/unmet.yaml" <<-YAML
	traces: [window.csv]
	machines: ["flat:4"]
	disciplines: [fcfs, easy]
	options: {outage: [["60 +10"], ["9000 +1h"], ["60 +10", "9000 +1h"]]}
	YAML
	sweep "$golden_tmp/unmet.yaml" --output "$golden_tmp/unmet.db" >/dev/null 2>&1
	sweep "$golden_tmp/unmet.yaml" --show --output "$golden_tmp/unmet.db" | grep notice
}
golden unmet unmet

# Options without an effect in any cell, and cells whose window holds no job, are said.
idle_options()
{
	for list in 'checkpoint: 1h' 'checkpoint: 1h, faults: "30d,4h"' \
		'checkpoint: [1h, 2h], deadline_share: 0.5' 'deadline_share: [0.5], laxity: 1' \
		'from: [0, 500]' 'node_power: "120W,400W"'; do
		printf 'traces: [window.csv]\nmachines: ["flat:4"]\ndisciplines: [fcfs]\noptions: {%s}\n' \
			"$list" >"$golden_tmp/idle.yaml"
		echo "-- $list"
		rm -f "$golden_tmp/idle.db"
		sweep "$golden_tmp/idle.yaml" --output "$golden_tmp/idle.db" | grep -v compute
	done
}
golden idle-options idle_options

# Each way in which cells read a trace is checked, not only the first; a value that is
# written twice is refused, and so are batches of which the trace has no two.
further_options()
{
	printf '%s\n' id,submit,run,nodes,partition,user 1,0,50,4,a,ann 2,7200,50,4,b,bob \
		>"$golden_tmp/further.csv"
	for list in 'partition: [[a], [z]]' 'partition: [[a], [a, z], [z], [z]]' \
		'partition: [[a], [z]], users: ["bob*2"], from: [0, 9000]' \
		'partition: [[y], [z]]' 'estimate: [run, run], scale: [1, 2, 1]' \
		'from: [0, 100], estimate: [run, requested]' \
		'batches: 1h' 'batches: [1h, 2h]'; do
		printf 'traces: [further.csv]\nmachines: ["flat:4"]\ndisciplines: [fcfs]\noptions: {%s}\n' \
			"$list" >"$golden_tmp/further.yaml"
		echo "-- $list"
		rm -f "$golden_tmp/further.db"
		sweep "$golden_tmp/further.yaml" --output "$golden_tmp/further.db" |
			grep -v compute
	done
	sed -i 's/^options.*/load_scales: [0.9, 0.90]/' "$golden_tmp/further.yaml"
	sweep "$golden_tmp/further.yaml" --output "$golden_tmp/further.db"
}
golden further-options further_options

# Two long lists that differ at their ends alone are two values.
long_options()
{
	list=$(seq -f '"p%027.0f", ' 1 45 | tr -d '\n')
	printf 'traces: [further.csv]\nmachines: ["flat:4"]\ndisciplines: [fcfs]\noptions: {partition: [[%sa], [%sb]]}\n' \
		"$list" "$list" >"$golden_tmp/lists.yaml"
	rm -f "$golden_tmp/lists.db"
	sweep "$golden_tmp/lists.yaml" --output "$golden_tmp/lists.db" | grep compute
}
golden long-options long_options

# The table's cell is what storus replay says of the same jobs.
same()
{
	sqlite3 "$db" "select summary ->> 'mean_wait_s', summary ->>
		'utilization' from cells where trace = 'jobs.csv' and machine =
		'flat:32' and discipline = 'easy' and scale = '1'" >"$golden_tmp/a"
	storus replay --torus flat:32 --discipline easy jobs.csv --json |
		jq -r '"\(.mean_wait_s)|\(.utilization)"' >"$golden_tmp/b"
	sed -i 's/\.0|/|/' "$golden_tmp/a" "$golden_tmp/b"
	diff "$golden_tmp/a" "$golden_tmp/b" && echo same
}
golden same same

# A cell's summary says which seed it is of.
seeds()
{
	sqlite3 "$db" "select distinct seed, summary ->> 'seed' from cells
		order by seed"
}
golden seeds seeds

# Jobs drawn from a log: others for each seed, the same for each policy.
drawn()
{
	storus generate lublin --jobs 2000 --bare --output "$golden_tmp/log.swf"
	cat >"$golden_tmp/drawn.yaml" <<-END
	traces:
	- {like: log.swf, by: days, load: 0.8, machine: 4x4x8, jobs: 300}
	machines: [4x4x8]
	disciplines: [fcfs, easy]
	seeds: 1-3
	END
	storus sweep "$golden_tmp/drawn.yaml" 2>/dev/null |
		sed "s#$golden_tmp#TMP#g"
	storus generate --like "$golden_tmp/log.swf" --by days --load 0.8 \
		--torus 4x4x8 --jobs 300 --seed 2 --output "$golden_tmp/2.csv" 2>/dev/null
	storus replay --torus 4x4x8 --discipline easy --json "$golden_tmp/2.csv" |
		jq .mean_wait_s
	sqlite3 "$golden_tmp/drawn.db" "select json_extract(summary, '\$.mean_wait_s')
		from cells where discipline = 'easy' and seed = 2"
	for line in '{like: none.swf}' '{like: log.swf, by: months}' \
		'{like: log.swf, load: much}' '{like: log.swf, rate: 3}' \
		'{like: log.swf, by: weeks}'; do
		printf 'traces:\n- %s\nmachines: [4x4x8]\n' "$line" \
			>"$golden_tmp/bad.yaml"
		storus sweep "$golden_tmp/bad.yaml" --dry-run 2>&1 |
			sed "s#$golden_tmp#TMP#g"
	done
}
golden drawn drawn

# Faults: other ones for each seed, the same for every policy of it (the first job runs
# until all others are over); a cell's are those of storus replay. Other rates are other
# cells.
faults()
{
	{
		echo id,submit,run,nodes
		echo first,0,300000,1
		awk -F, -v OFS=, 'NR > 1 && $4 <= 20 { print $1, $2, $3 * 2000, $4 }' jobs.csv
	} >"$golden_tmp/faulty.csv"
	cat >"$golden_tmp/faults.yaml" <<-END
	traces: [faulty.csv]
	machines: [4x4x2]
	disciplines: [fcfs, easy]
	seeds: 2-4
	options: {faults: ["5d,10m,links"]}
	END
	cd "$golden_tmp" && storus sweep faults.yaml >/dev/null 2>&1
	sqlite3 faults.db "select seed, group_concat(distinct
		json_extract(summary, '\$.faults.links')) from cells group by seed"
	sed -i 's/faults: .*/faults: ["20h,10m", "5d,10m,links"]}/' faults.yaml
	storus sweep faults.yaml 2>&1 | head -3
	storus replay --torus 4x4x2 --discipline easy --seed 3 --faults 20h,10m \
		--faults 5d,10m,links faulty.csv --json | jq -cS .faults
	sqlite3 faults.db "select json_extract(summary, '\$.faults') from cells
		where seed = 3 and discipline = 'easy' and options like '%20h%'" | jq -cS .
	for wrong in 20h '"20h,0s"' '["1d,1h", "2d,2h"]' '{a: b}'; do
		sed "s/faults: .*/faults: $wrong}/" faults.yaml >wrong.yaml
		storus sweep wrong.yaml
	done 2>&1
	sed 's/4x4x2/"flat:32"/' faults.yaml >wrong.yaml
	storus sweep wrong.yaml 2>&1
}
golden faults faults

golden compare storus sweep --compare easy fcfs campaign.yaml --output "$db"
golden compare-two storus sweep --compare flat:32/easy site.yaml/fcfs \
	campaign.yaml --output "$db"
golden compare-unknown storus sweep --compare esy fcfs campaign.yaml --output "$db"
golden compare-one storus sweep --compare easy campaign.yaml --output "$db"

# The rows as CSV, with chosen columns, of a comparison; what a file has, too.
rows()
{
	storus sweep --show campaign.yaml --output "$db" --csv="$golden_tmp/csv"
	cut -d , -f 1-16 "$golden_tmp/csv" | head -n 3
	head -n 1 "$golden_tmp/csv" | tr , '\n' | sed 's/\.\(half\|low\|high\)$//' | uniq
	storus sweep --show campaign.yaml --output "$db" -o machine,discipline,wait_s.p90 | head -n 3
	storus sweep --show campaign.yaml --output "$db" -o '%d,%n' --noheader | head -n 2
	storus sweep --compare easy fcfs campaign.yaml --output "$db" --csv | head -n 4
	storus sweep --compare easy fcfs campaign.yaml --output "$db" -o seeds
	storus sweep --show campaign.yaml --output "$db" -o wait
}
golden rows rows

# An added axis value computes what is new, and only that.
more()
{
	cp jobs.csv *.yaml "$golden_tmp"
	sed 's/fcfs, easy/fcfs, easy, sjf/' campaign.yaml >"$golden_tmp/more.yaml"
	storus sweep "$golden_tmp/more.yaml" --output "$db" 2>&1 >/dev/null |
		sed "s#$golden_tmp/##"
	sqlite3 "$db" 'select count(*), count(distinct key) from cells'
}
golden more more

# A file that was changed: its cells take the place of what they were, as a
# mean over both would be of neither.
changed()
{
	changed_db=$golden_tmp/changed.db
	for discipline in fcfs easy; do
		printf 'toruses: [{name: a, dims: [32]}]\nscheduler: %s\n' \
			"{discipline: $discipline}" >"$golden_tmp/machine.yaml"
		printf 'traces: [jobs.csv]\nmachines: [%s]\n' \
			"$golden_tmp/machine.yaml" >"$golden_tmp/changed.yaml"
		storus sweep "$golden_tmp/changed.yaml" --output "$changed_db" \
			>/dev/null 2>&1
		sqlite3 "$changed_db" 'select count(*), sum(mean_wait_s)
			from results'
		storus replay --torus "$golden_tmp/machine.yaml" jobs.csv --json |
			jq .mean_wait_s
	done | sed 's/\.0$//' # which versions of sqlite3 and jq write
}
golden changed changed

# --- trouble

not_ours()
{
	echo 'select 1;' >"$golden_tmp/text.db"
	storus sweep campaign.yaml --output "$golden_tmp/text.db" 2>&1 |
		sed "s#$golden_tmp/##g"
	sqlite3 "$golden_tmp/other.db" 'create table t (x)'
	storus sweep campaign.yaml --output "$golden_tmp/other.db" 2>&1 |
		sed "s#$golden_tmp/##g"
	sqlite3 "$golden_tmp/other.db" .schema
}
golden not-ours not_ours

# A campaign that takes seconds: one of its two workers is killed, a second
# sweep on the same file is refused, an interrupt keeps what is finished.
long()
{
	cat <<-YAML
	traces: [{model: aida-uniform, jobs: 500000, load: 0.7}]
	machines: [flat:256]
	seeds: 1-8
	YAML
}

children()
{
	ps -o pid= --ppid "$1" | head -n 1
}

killed()
{
	long >"$golden_tmp/long.yaml"
	"$golden_top/storus" sweep "$golden_tmp/long.yaml" --workers 2 \
		>"$golden_tmp/said" 2>&1 &
	sweep_pid=$!
	while kill -0 $sweep_pid && [ -z "$(children $sweep_pid)" ]; do sleep 0.05; done
	storus sweep "$golden_tmp/long.yaml" 2>&1 | sed "s#$golden_tmp/##g"
	# other names of the same file
	ln -s long.db "$golden_tmp/link.db"
	ln "$golden_tmp/long.db" "$golden_tmp/hard.db"
	for other in link.db hard.db; do
		storus sweep "$golden_tmp/long.yaml" \
			--output "$golden_tmp/$other" 2>&1 |
			sed "s#$golden_tmp/##g"
	done
	rm "$golden_tmp/link.db" "$golden_tmp/hard.db"
	kill -9 $(children $sweep_pid)
	wait $sweep_pid
	echo "status $?"
	grep -E 'failed|complete' "$golden_tmp/said" |
		sed "s/seed [1-8]:/seed N:/" # whichever ran then
	sqlite3 "$golden_tmp/long.db" 'select count(*) from cells'
	storus sweep "$golden_tmp/long.yaml" 2>&1 >/dev/null | sed "s#$golden_tmp/##g"
	sqlite3 "$golden_tmp/long.db" 'select count(*) from cells'
}
golden killed killed

interrupted()
{
	rm -f "$golden_tmp/long.db"
	"$golden_top/storus" sweep "$golden_tmp/long.yaml" --workers 2 \
		>"$golden_tmp/said" 2>&1 &
	sweep_pid=$!
	until ! kill -0 $sweep_pid || [ "$(sqlite3 "$golden_tmp/long.db" \
		'select count(*) from cells' 2>/dev/null || echo 0)" -ge 1 ]
	do sleep 0.05; done
	kill -TERM $sweep_pid
	wait $sweep_pid
	echo "status $?"
	grep -c interrupted "$golden_tmp/said"
	ls "$golden_tmp" | grep long
	before=$(sqlite3 "$golden_tmp/long.db" 'select count(*) from cells')
	storus sweep "$golden_tmp/long.yaml" >"$golden_tmp/said" 2>&1
	echo "status $?"
	grep -qx "storus sweep: $((8 - before)) of 8 cells to compute.*" \
		"$golden_tmp/said" && echo "went on"
}
golden interrupted interrupted

# No room for the results: said so, and what was there is still there.
full()
{
	cp "$golden_tmp/long.db" "$golden_tmp/small.db"
	sed 's/1-8/1-40/; s/500000/1000/' "$golden_tmp/long.yaml" \
		>"$golden_tmp/small.yaml"
	(
		trap '' XFSZ
		ulimit -f $(($(wc -c <"$golden_tmp/small.db") / 512 + 128))
		storus sweep "$golden_tmp/small.yaml" >"$golden_tmp/said" 2>&1
		echo "status $?"
	)
	grep -oE 'full|too large|I/O error' "$golden_tmp/said" | head -n 1
	grep -c 'the same command computes the other' "$golden_tmp/said"
	sqlite3 "$golden_tmp/small.db" 'pragma integrity_check'
	storus sweep "$golden_tmp/small.yaml" >/dev/null 2>&1
	echo "status $?"
	sqlite3 "$golden_tmp/small.db" 'select count(*) from cells'
}
golden full full

# A row that is not what was written is not shown.
damaged()
{
	row="trace = 'jobs.csv' and machine = 'flat:32' and
		discipline = 'easy' and scale = '1'"
	cp "$db" "$golden_tmp/damaged.db"
	sqlite3 "$golden_tmp/damaged.db" "update cells set summary =
		replace(summary, '\"completed\": ', '\"completed\": 1') where $row;
		select changes()"
	storus sweep campaign.yaml --output "$golden_tmp/damaged.db" --show 2>&1 |
		sed "s#$golden_tmp/##g; s/key [0-9A-Fa-f]*/key KEY/"
	sqlite3 "$golden_tmp/damaged.db" "delete from cells where $row"
	storus sweep campaign.yaml --output "$golden_tmp/damaged.db" 2>&1 |
		grep -o '[0-9]* of [0-9]* cells to compute'
}
golden damaged damaged

golden_done
