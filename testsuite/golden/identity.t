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
	printf 'include Makefile\nlist:\n\t@echo $(decide_sources)\n' |
		make -s -C "$top" -f - list | tr ' ' '\n' | sort -u >list
	(cd "$source" && find include/torus src/geometry src/placement \
		src/planning src/discipline src/request src/config src/replay \
		src/trace -name '*.[ch]' | sort) >all
	[ -z "$(comm -13 list all)" ] || return 1
	# shellcheck disable=SC2046 # a list of words
	hash=$(cd "$source" && cat $(printf 'include Makefile\nlist:\n\t@echo $(decide_sources)\n' |
		make -s -C "$top" -f - list) | sha256sum | cut -c 1-16)
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
	check "report: two summaries of others are both named" both
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
check "sweep: says what the reader says, once" messages
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
tap_done
