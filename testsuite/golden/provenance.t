#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every kind of result file says where it comes from: the version, the whole
# command, the seed and the checksum of what it was made from, where there are
# such. The kinds are those of the table in doc/lab.md.

# shellcheck source=testsuite/lib-tap.sh
. "$(dirname "$0")/../lib-tap.sh"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
top=$(cd "${top_builddir:-.}" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/torus-provenance-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset SLURM_CONF
version=$("$top/storus" --version | sed 's/^storus //; s/ (build .*//')
touch said

storus()
{
	"$top/storus" "$@" 2>said
}

# has WHAT FILE TEXT...: every text is in the file
has()
{
	what=$1 file=$2 missing=
	shift 2
	for text; do
		grep -aqF -- "$text" "$file" 2>/dev/null ||
			missing="$missing [$text]"
	done
	[ -z "$missing" ] && [ -s "$file" ]
	tap_result $? "$what" "$file has no$missing
$(cat said)"
}

checksum()
{
	sha256sum "$1" | cut -d ' ' -f 1
}

# workloads
storus generate bani-uniform --jobs 60 --seed 7 --torus 4x4x4 --output a.csv
has "generate, CSV" a.csv "# storus: $version" "# seed: 7" \
	"# command: storus generate bani-uniform --jobs 60 --seed 7"
storus generate --from a.csv --torus 4x4x4 --output b.swf
has "generate, SWF" b.swf "; Note: storus: $version" \
	"; Note: trace_sha256: $(checksum a.csv)" \
	"; Note: command: storus generate --from a.csv"
storus generate bani-uniform --jobs 60 --torus 4x4x4 --output a.csv.gz
check "generate, gzip: to its end" gzip -t a.csv.gz
gzip -dc a.csv.gz >unpacked
has "generate, gzip" unpacked "# command: storus generate bani-uniform"

# schedules: the columns are fixed, the summary lies beside
storus replay --torus 4x4x4 a.csv --seed 3 --schedule s.csv >/dev/null
command="storus replay --torus 4x4x4 a.csv --seed 3 --schedule s.csv"
has "replay, schedule" s.csv.json "\"version\": \"$version\"" '"seed": 3' \
	"\"trace_sha256\": \"$(checksum a.csv)\"" "\"command\": \"$command\""
check "replay, schedule: the columns come first" \
	test "$(head -n 1 s.csv | cut -d , -f 1-4)" = id,submit,start,end
storus replay --torus 4x4x4 a.csv --json=j.json >/dev/null
has "replay, summary" j.json "\"version\": \"$version\"" '"seed": 1' \
	"\"trace_sha256\": \"$(checksum a.csv)\"" --json=j.json
storus replay --torus 4x4x4 a.csv --schedule t.csv --json=t.csv.json >/dev/null
has "replay, both" t.csv.json "--schedule t.csv --json=t.csv.json"
check "replay, both: no third file" test "$(echo t.*)" = "t.csv t.csv.json"
storus replay --torus 4x4x4 a.csv --schedule - >u.csv
check "replay, to the standard output: the same" cmp s.csv u.csv
check "replay, to the standard output: no summary file" \
	test ! -e ./-.json -a ! -e u.csv.json
mkdir w.csv.json
storus replay --torus 4x4x4 a.csv --schedule w.csv >/dev/null
check "replay, if it cannot be written: no schedule either" \
	test "$? $(echo w.csv*)" = "3 w.csv.json"
storus replay --torus 4x4x4 a.csv --schedule z.csv.gz >/dev/null
check "replay, gzip: to its end" gzip -t z.csv.gz
gzip -dc z.csv.gz >unpacked
check "replay, gzip: the same schedule" cmp s.csv unpacked
has "replay, gzip" z.csv.gz.json "--schedule z.csv.gz"
cp a.csv v.csv.json
storus replay --torus 4x4x4 v.csv.json --schedule v.csv >/dev/null
check "replay: the summary beside a schedule does not replace the trace" \
	cmp a.csv v.csv.json

# pictures and pages
for ending in svg png html txt; do
	storus map --torus 4x4x4 --schedule s.csv --at 100 --output m.$ending
	has "map, .$ending" m.$ending "$version" "$(checksum s.csv)" \
		"storus map --torus 4x4x4 --schedule s.csv --at 100 --output m.$ending"
done
! command -v xmllint >/dev/null ||
	check "map, .svg: is XML" xmllint --noout m.svg
! command -v pngcheck >/dev/null || check "map, .png: is sound" pngcheck -q m.png
storus map --torus 4x4x4 >m.terminal
check "map, on the terminal: nothing" test "$(grep -c command: m.terminal)" = 0
storus map --torus 4x4x4 --busy 0,0,0+2x2x2 --output '<"&>.svg'
has "map: what XML would take for its own" '<"&>.svg' \
	"--output '&lt;&quot;&amp;&gt;.svg'"
if [ -r /usr/share/javascript/chart.js/chart.min.js ]; then
	storus report s.csv --output r.html
	has "report" r.html "$version" "storus report s.csv --output r.html" \
		"\"sha256\":\"$(checksum s.csv)\"" \
		"\"trace_sha256\": \"$(checksum a.csv)\""
fi

# campaigns
cat >c.yaml <<END
traces: [a.csv]
machines: [4x4x4]
disciplines: [fcfs, easy]
END
storus sweep c.yaml >/dev/null
storus sweep c.yaml --show --json=c.json
storus sweep c.yaml --compare easy fcfs --json=d.json
has "sweep, table" c.json "\"version\": \"$version\"" \
	"storus sweep c.yaml --show --json=c.json"
has "sweep, comparison" d.json "\"version\": \"$version\"" \
	"storus sweep c.yaml --compare easy fcfs --json=d.json"
if command -v sqlite3 >/dev/null; then
	sqlite3 c.db "select summary from cells limit 1" >cell
	has "sweep, each cell" cell "\"version\": \"$version\"" '"seed": ' \
		"\"trace_sha256\": \"$(checksum a.csv)\"" \
		"storus sweep c.yaml"
fi

# live against replay
cat >e.txt <<END
JobID|Submit|Start|End|ElapsedRaw|NNodes|TimelimitRaw|State|AdminComment
8|1000|1000|1100|100|4|10|COMPLETED|torus:ask=2x2 torus:place=t:0,0+2x2;orientation=0,1;ring=TT
END
printf 'toruses:\n- {name: t, dims: [4, 4]}\n' >e.yaml
storus parity --torus e.yaml e.txt --json=e.json
has "parity" e.json "\"version\": \"$version\"" \
	"\"trace_sha256\": \"$(checksum e.txt)\"" \
	"storus parity --torus e.yaml e.txt --json=e.json"

# toruses whose strategies differ
printf 'toruses:\n- {name: a, dims: [4, 4], options: {look: "off"}}\n- {name: b, dims: [2, 2, 2], strategy: subcube-buddy}\n' \
	>two.yaml
storus replay --torus two.yaml a.csv --json=two.json >/dev/null 2>&1
has "replay, the strategy of each torus" two.json \
	'"strategy": "a: submesh, b: subcube-buddy"' '"look": "off"'
storus replay --torus two.yaml --strategy flat a.csv --json=two.json >/dev/null 2>&1
has "replay, one strategy" two.json '"strategy": "flat"'

# offline schedulers
printf 'd,t\n2,1\n4,3\n' >p.csv
for plan in cnp preemptive; do
	storus plan $plan --torus 8x8 --jobs p.csv --json=p.json >/dev/null
	has "plan $plan" p.json "\"version\": \"$version\"" \
		"\"trace_sha256\": \"$(checksum p.csv)\"" \
		"storus plan $plan --torus 8x8 --jobs p.csv"
done

# experiments
storus experiment gupta-example mohapatra-table1 bani-fig11 --quick \
	--output x >/dev/null
for file in gupta-example bani-fig11 mohapatra-table1 mohapatra-table1.jobs; do
	has "experiment, $file.csv" x/$file.csv "# storus $version" \
		"storus experiment gupta-example"
done
has "experiment, seeds" x/bani-fig11.csv "# seeds 1-"
has "experiment, claims" x/gupta-example.claims.csv "# storus $version"
has "experiment, page" x.md "storus experiment gupta-example" "$version"
has "experiment, campaign" x/bani-uniform-1.yaml "# storus experiment"
if command -v gnuplot >/dev/null; then
	has "experiment, script" x/bani-fig11.gp "# storus $version"
	for ending in svg png; do
		has "experiment, .$ending" x/bani-fig11.$ending "seeds: 1-" \
			"storus: $version" "command: storus experiment"
	done
fi
tap_done
