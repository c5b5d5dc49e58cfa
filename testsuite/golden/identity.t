#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Results identify themselves: a summary says by which policy and build it was
# made and of which schedule it is, and readers refuse what does not belong
# together instead of showing it.

# shellcheck source=testsuite/lib-tap.sh
. "$(dirname "$0")/../lib-tap.sh"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
top=$(cd "${top_builddir:-.}" && pwd)
source=$(cd "$top_srcdir" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/torus-identity-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
unset SLURM_CONF
skip_without jq sqlite3 make
cd "$work" || exit 1
touch said page.html

storus()
{
	"$top/storus" "$@" 2>said
}

# refused STATUS COMMAND...: that status, and a reason
refused()
{
	wanted=$1
	shift
	storus "$@" >answer
	[ $? -eq "$wanted" ] && [ -s said ]
}

# says TEXT...: the latest command did, on its standard error
says()
{
	for text; do
		grep -qF -- "$text" said || return 1
	done
}

# --- the build

# Every source that decides is in the list, and the hash is that of the list.
sources()
{
	# shellcheck disable=SC2016 # make expands it
	printf 'include Makefile\nprint:\n\t@echo $(decide_sources)\n' >print.mk
	# shellcheck disable=SC2046 # a list of words
	set -- $(make -s -C "$top" -f "$work/print.mk" print)
	printf '%s\n' "$@" | sort -u >list
	(cd "$source" && find include/torus src/geometry src/placement \
		src/planning src/discipline src/request src/config src/replay \
		src/trace -name '*.[ch]' | sort) >all
	[ -z "$(comm -13 list all)" ] || return 1
	hash=$(cd "$source" && cat "$@" | sha256sum | cut -c 1-16)
	[ "$(storus --version | sed 's/.*(build \(.*\))$/\1/')" = "$hash" ]
}
check "--version has a hash of the sources that decide" sources

printf 'id,submit,run,nodes\n' >a.csv
for i in $(seq 0 399); do
	echo "$i,$((i * 7)),$((20 + i * 13 % 97)),$((1 + i % 5))"
done >>a.csv
for d in fcfs easy; do
	storus replay --torus flat:8 --discipline $d --estimate run a.csv \
		--schedule $d.csv --json=$d.json >/dev/null
done
policy()
{
	jq -e --arg build "$(storus --version | sed 's/.*(build \(.*\))$/\1/')" \
		'.discipline == "fcfs" and .strategy == "flat" and
		.options == {estimate: "run"} and .build == $build' fcfs.json
}
check "a summary has the policy and the build" policy
site()
{
	cat >site.yaml <<-END
	toruses: [{name: a, dims: [4, 4], strategy: submesh}]
	scheduler: {discipline: fpfs, wait_limit: 1h, order: priority}
	END
	storus replay --torus site.yaml --load-scale 2 --max-jobs 50 a.csv --json \
		>site.json &&
		jq -e '.options == {load_scale: 2, max_jobs: 50,
			wait_limit: 3600, order: "priority"}' site.json
}
check "options of the machine's file and of the command" site

# --- percentiles: those of the rows, by nearest rank

percentiles()
{
	for p in 50 90 99; do
		awk -F , 'NR > 1 && $5 == "completed" { print $(NF - 2) }' fcfs.csv |
			sort -g | awk -v p=$p '{ v[NR] = $1 }
			END { k = p * NR / 100; if (k > int(k)) k = int(k) + 1
				printf "%.6f\n", v[k] }'
	done >rows
	jq -r '.wait_s | .p50, .p90, .p99' fcfs.json |
		paste rows - | awk '{ d = $1 - $2; if (d < 0) d = -d
			if (d > 0.002 * $1) exit 1; n++ } END { exit n != 3 }' &&
		jq -e '.response_s.p50 >= .wait_s.p50 and
			.bounded_slowdown.p50 >= 1' fcfs.json
}
check "percentiles are those of the rows" percentiles

# --- a schedule and its summary

named()
{
	[ "$(jq -r .schedule_sha256 easy.json)" = \
		"$(sha256sum easy.csv | cut -d ' ' -f 1)" ] &&
		storus replay --torus flat:8 --discipline easy --estimate run \
			a.csv --schedule z.csv.gz >/dev/null &&
		[ "$(jq -r .schedule_sha256 z.csv.gz.json)" = \
			"$(sha256sum easy.csv | cut -d ' ' -f 1)" ]
}
check "a summary names its schedule, compressed or not" named

if [ -r /usr/share/javascript/chart.js/chart.min.js ]; then
	# a.json is of another run than a.csv and a.csv.json
	cp easy.csv s.csv
	cp easy.csv.json s.csv.json
	cp fcfs.json s.json
	stale()
	{
		storus report s.csv --output page.html &&
			says s.json s.csv.json another &&
			grep -qF "$(jq .mean_wait_s easy.json)" page.html &&
			! grep -qF "$(jq .mean_wait_s fcfs.json)" page.html
	}
	check "report: a stale summary is named and not used" stale
	cut()
	{
		head -n 101 easy.csv >c.csv
		cp easy.csv.json c.csv.json
		refused 2 report c.csv --output c.html && says c.csv.json &&
			[ ! -e c.html ]
	}
	check "report: a schedule that was cut is refused" cut
	both()
	{
		cp fcfs.json c.json
		refused 2 report c.csv --output c.html && says c.csv.json c.json
	}
	check "report: two summaries of other machines are both named" both
	later()
	{
		cp easy.csv g.csv && cp easy.csv.json g.csv.json && gzip g.csv &&
			storus report g.csv.gz --output page.html && [ ! -s said ]
	}
	check "report: a schedule that was compressed later is the same" later
	old()
	{
		cp easy.csv o.csv
		jq 'del(.schedule_sha256)' easy.json >o.json
		storus report o.csv --output page.html && says o.json checksum
	}
	check "report: a summary without a checksum is used with a notice" old

	sed 's/,7,/,8,/' a.csv >b.csv
	storus replay --torus flat:8 b.csv --schedule b-easy.csv >/dev/null
	traces()
	{
		storus report easy.csv b-easy.csv --output page.html &&
			says b-easy.csv trace_sha256
	}
	check "report: schedules of different traces are not compared" traces
	same()
	{
		storus report fcfs.csv easy.csv --output page.html && [ ! -s said ]
	}
	check "report: schedules of one trace are, without a word" same
	unnamed()
	{
		cp easy.csv bare.csv
		storus report fcfs.csv bare.csv --output page.html &&
			says bare.csv.json "no summary"
	}
	check "report: a schedule without a summary is named" unnamed
	nowhere()
	{
		refused 2 report fcfs.csv nowhere.csv --output n.html &&
			says "nowhere.csv: No such file" && ! says summary
	}
	check "report: a schedule that is not there is only said to be so" nowhere
	elsewhere()
	{
		refused 2 report easy.csv --torus flat:16 --output e.html &&
			says "computed on flat:8" && [ ! -e e.html ] &&
			head -n 1 easy.csv >h.csv &&
			refused 2 report h.csv --output h.html && says "no job"
	}
	check "report: another machine and no rows are refused" elsewhere
	changed_machine()
	{
		printf 'toruses: [{name: a, dims: [8]}]\n' >ch.yaml
		storus replay --torus ch.yaml a.csv --schedule ch.csv >/dev/null
		printf 'toruses: [{name: a, dims: [9]}]\n' >ch.yaml
		storus report ch.csv --output page.html &&
			says "ch.yaml has changed" "on 8," "not on 9" &&
			grep -qF '"pods":[],' page.html
	}
	check "report: a machine's file that changed draws nothing" changed_machine
fi

# --- nothing to replay

nothing()
{
	: >none.swf
	echo 'id,submit,run,nodes' >none.csv
	printf 'x\ny\nz\n' >bad.swf
	for f in none.swf none.csv bad.swf; do
		refused 2 replay --torus flat:8 $f || return 1
		says "$f" || return 1
		refused 2 generate --from $f --output none.out || return 1
		[ ! -e none.out ] || return 1
	done
}
check "a trace of which no job can be used is refused" nothing

none_completed()
{
	printf 'id,submit,run,nodes\n1,0,5,99\n' >big.csv
	storus replay --torus flat:8 big.csv >/dev/null &&
		says "no job completed: 1 rejected"
}
check "replay: that no job completed is said" none_completed
full_disk()
{
	refused 3 replay --torus flat:8 a.csv --schedule /dev/full &&
		says "/dev/full: cannot be written: No space left"
}
check "replay: a schedule's full disk is named with the file" full_disk
like_bad()
{
	awk 'NR == 1 { print $0 ",user"; next }
		NR == 3 { sub(/[0-9]+$/, "x") }
		{ print $0 ",u" NR % 3 }' a.csv >like.csv
	storus generate --like like.csv --by users >/dev/null &&
		says like.csv:3 "1 line cannot be read" || return 1
	refused 2 generate --like like.csv --by weeks && says like.csv:3
}
check "generate --like: prints the notices of the reader, drawn or not" like_bad

# --- campaigns

cat >c.yaml <<END
traces: [half.csv]
machines: [flat:8]
disciplines: [fcfs, easy]
END
awk 'NR > 1 && NR % 2 { sub(/[0-9]+$/, "x") } { print }' a.csv >half.csv
messages()
{
	storus sweep c.yaml >/dev/null && says half.csv:3 "200 lines"
}
check "sweep: prints each notice of the reader once" messages
once()
{
	[ "$(grep -c 'lines cannot be read' said)" = 1 ]
}
check "sweep: once for all cells" once
unusable()
{
	sed 's/half.csv/bad.swf/' c.yaml >u.yaml
	refused 2 sweep u.yaml && says bad.swf
}
check "sweep: a trace of which no job can be used is refused" unusable
built()
{
	sqlite3 c.db "select count(*) from cells where
		length(summary ->> 'build') = 16" | grep -qx 2
}
check "sweep: every cell has its build" built

# stale COMMAND...: the results that are shown are not those of the files
stale()
{
	storus sweep k.yaml "$@" >/dev/null && says "2 of the campaign's 2 cells"
}
older()
{
	cp half.csv k.csv && sed 's/half/k/' c.yaml >k.yaml &&
		storus sweep k.yaml >/dev/null && storus sweep k.yaml --show \
		>/dev/null && [ ! -s said ] && sed -i 's/,7,/,8,/' k.csv &&
		stale --show && stale --compare easy fcfs
}
check "sweep --show, --compare: results of an older file" older
# the row of the cell, as another build would have written it
other_build()
{
	cp c.db o.db && sqlite3 o.db "update cells set summary = json_set(summary,
		'\$.build', '0123456789abcdef')" && for key in $(sqlite3 o.db \
		"select key from cells"); do reseal_key o.db "$key"; done
	storus sweep o.db --show >/dev/null &&
		says "another build" 0123456789abcdef
}
# reseal_key FILE.db KEY: gives the changed row the checksum that its texts have
reseal_key()
{
	sqlite3 "$1" "select writefile('row', cast(key || char(0) ||
		trace || char(0) || machine || char(0) || strategy ||
		char(0) || discipline || char(0) || scale || char(0) ||
		seed || char(0) || options || char(0) || version ||
		char(0) || summary || char(0) as blob))
		from cells where key = '$2'" >written
	sum=$(sha256sum row)
	sqlite3 "$1" "update cells set checksum = '${sum%% *}' where key = '$2'"
}
check "sweep --show: results of another build" other_build
# Beside two small jobs the full ring waits for a link that is down.
linked()
{
	printf 'toruses: [{name: pod0, dims: [4, 4], links: links.txt}]\n' >k.yaml
	printf 'traces: [ring.csv]\nmachines: [k.yaml]\ndisciplines: [%s]\n' \
		"easy, fcfs" >kc.yaml
	printf '%s\n' id,submit,run,geometry,connection 1,0,9,4x4,torus \
		2,1,9,2x2, 3,2,9,2x2, >ring.csv
	echo 'pod0:0,0 0 down' >links.txt
	COLUMNS=200 storus sweep kc.yaml >table &&
		grep -Eq 'completed +rejected +missed +unfinished ' table &&
		grep -Eq '^easy +1 +2 +0 +0 +1 ' table &&
		storus sweep kc.yaml --compare easy fcfs >table &&
		grep -Eq 'unfinished +1 +3 +jobs' table && : >links.txt &&
		storus sweep kc.yaml >table && ! grep -q unfinished table
}
check "sweep: unfinished jobs; a changed links file computes again" linked

# --- jobs that a policy rejects

cat >r.yaml <<END
traces: [{model: bani-uniform, jobs: 60}]
machines: ["8x8x8"]
strategies: [subtorus, submesh]
disciplines: [fcfs]
seeds: 1-6
END
rejected()
{
	storus sweep r.yaml >table || return 1
	grep -q 'completed *rejected *missed' table &&
		storus sweep r.yaml --show --json=r.json &&
		jq -e '[.rows[] | select(.strategy == "subtorus")][0] |
			.rejected > 0 and .completed + .rejected == .kept' r.json
}
check "sweep: the table has the rejected jobs" rejected
refuses()
{
	storus sweep r.yaml --compare subtorus submesh >text &&
		grep -q 'are not compared' text && ! grep -q '^ *wait s' text &&
		grep -q 'rejected .* 0 .*jobs' text
}
check "sweep --compare: too few jobs in common, no waits" refuses
# the same jobs by hand: those that completed in both, seed by seed
common()
{
	for seed in 1 2 3 4 5 6; do
		storus generate bani-uniform --jobs 60 --seed $seed \
			--output r.csv || return 1
		for s in subtorus submesh; do
			storus replay --torus 8x8x8 --strategy $s \
				--discipline fcfs r.csv --schedule - |
				awk -F , '/,completed,/ { print $1, $(NF - 2) }' |
				sort >$s.waits
		done
		join subtorus.waits submesh.waits
	done >both
	storus sweep r.yaml --compare subtorus submesh --common 1 --json=r.json
	[ "$(jq '.groups[0].completed_in_both' r.json)" = "$(wc -l <both)" ]
}
check "sweep --compare: the jobs that completed in both" common
results_only()
{
	refused 2 sweep r.db --compare subtorus submesh --common 1 &&
		says CAMPAIGN.yaml
}
check "sweep --compare: needs the campaign to replay them" results_only
damaged()
{
	sqlite3 r.db "update cells set summary = json_set(summary,
		'\$.mean_wait_s', 99) where seed = 1" &&
		refused 3 sweep r.yaml --compare subtorus submesh --common 1 &&
		says "does not match its checksum"
}
check "sweep --compare: a damaged row" damaged

changed()
{
	for key in $(sqlite3 r.db "select key from cells where seed = 1"); do
		reseal_key r.db "$key"
	done
	refused 2 sweep r.yaml --compare subtorus submesh --common 1 &&
		says "a different result"
}
check "sweep --compare: results that are not the campaign's" changed
three()
{
	storus sweep c.yaml --compare easy fcfs --json=c.json &&
		jq -e '.groups[0].mean_wait_s | .p == null and .half == null and
			.low == null and .differ == false' c.json
}
check "sweep --compare: one pair decides nothing" three

# --- the load of generated jobs

# load FILE.csv NODES: work over the time between the first and the last submit
load()
{
	awk -F , -v nodes="$2" '/^[0-9]/ { if (!n++) first = $2; last = $2
		work += $3 * $4 } END { print work / (last - first) / nodes }' "$1"
}
realised()
{
	for seed in 1 2 3; do
		for model in lublin aida-uniform; do
			storus generate $model --torus flat:64 --jobs 300 \
				--seed $seed --load 0.75 --format csv \
				--bare --output l.csv &&
				load l.csv 64 |
				awk '{ exit !($1 > 0.7499 && $1 < 0.7501) }' ||
				return 1
		done
	done
}
check "generate --load: is the load of the very jobs" realised
both_loads()
{
	storus generate lublin --jobs 1000 --load 0.75 --format csv >l.csv &&
		grep -q '^# load: 0.75 of these jobs, .* in the mean' l.csv &&
		storus generate lublin --jobs 1000 --nominal-load 0.75 \
			--format csv >n.csv &&
		grep -q '^# load: .* of these jobs, 0.75 in the mean' n.csv &&
		grep "^# load" n.csv | grep -qF "$(load n.csv 128 |
			cut -c 1-5)" && ! cmp -s l.csv n.csv
}
check "generate: prints the load of the jobs and of the model" both_loads
one_job()
{
	refused 2 generate lublin --jobs 1 --load 0.75 && says "two or more"
}
check "generate --load: one job has none" one_job

# --- notices with the range

ids()
{
	printf '%s\n' id,submit,run,nodes,priority 1,10,5,1,3 2,20,5,1,900 \
		1,30,4,1,3 2,40,4,1,5 >d.csv
	storus replay --torus flat:8 d.csv --schedule ds.csv >/dev/null &&
		says "2 jobs have" "lines 4 to 5" 'first "1"' \
			"from 3 to 900"
}
check "replay: repeated ids and unused priorities" ids
used()
{
	printf 'toruses: [{name: a, dims: [8]}]\nscheduler: {order: priority}\n' \
		>p.yaml
	storus replay --torus p.yaml d.csv >/dev/null && ! says priorities
}
check "replay: priorities that are used" used
missed()
{
	storus replay --torus p.yaml a.csv >/dev/null &&
		says "no job of a.csv has a priority" p.yaml
}
check "replay: priorities that are missing" missed
outside()
{
	storus map --torus flat:8 --schedule ds.csv --at 5 >/dev/null &&
		says "10 to 44 s" &&
		storus map --torus flat:8 --schedule ds.csv --at 10 >/dev/null &&
		[ ! -s said ]
}
check "map: a time outside of the schedule" outside
map_cut()
{
	sed '$d' ds.csv >dc.csv
	cp ds.csv.json dc.csv.json
	refused 2 map --torus flat:8 --schedule dc.csv --at 10 &&
		says dc.csv.json schedule_sha256 &&
		refused 2 slots 1 --torus flat:8 --schedule dc.csv --at 10
}
check "map, slots: a schedule that was cut is refused" map_cut
no_rows()
{
	head -n 1 ds.csv >dh.csv
	refused 2 map --torus flat:8 --schedule dh.csv --at 10 && says "no job"
}
check "map: a schedule without a row is refused" no_rows
other_machine()
{
	refused 2 map --torus flat:16 --schedule ds.csv --at 10 &&
		says "computed on flat:8" "not on flat:16"
}
check "map: a schedule of another machine is refused" other_machine

# --- what was meant

meant()
{
	refused 2 replay --torus flat:8 a.csv --json out.json &&
		says --json=out.json &&
		refused 2 place --torus 8x8 --geometry 2x2 --json out.json &&
		says --json=out.json &&
		storus replay --torus flat:8 --json a.csv >/dev/null &&
		refused 2 replay --torus flat:99999999999 a.csv &&
		says "at most 16777216 nodes"
}
check "words with two meanings are explained" meant
blocks()
{
	storus map --torus 2x2x2x4x4x8 --busy 0,0,0,0,0,0+2x2x1x4x4x4 \
		--busy 0,0,1,0,0,0+2x1x1x4x4x8 >map.txt
	sed '/jobs;/,$d; 1d' map.txt >cells
	grep -q A cells && grep -q B cells
}
check "map: every job of the legend has a cell" blocks
tap_done
