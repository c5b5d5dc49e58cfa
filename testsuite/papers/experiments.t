#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# storus experiment --quick: no claim has a worse verdict than the recorded one, and
# none a better one; files are there and say where they come from; a second run
# computes nothing; page, data and pictures are of one build.
# TORUS_TEST_LONG: with the logs as well.

# shellcheck source=testsuite/papers/lib-traces.sh
. "$(dirname "$0")/lib-traces.sh"
skip_if_short experiments.campaigns
top=$(cd "${top_builddir:-.}" && pwd)
expected=$(cd "$(dirname "$0")" && pwd)/experiments.campaigns
doc=$(cd "$(dirname "$0")/../../doc" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/torus-experiments-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

ok() # STATUS WHAT
{
	tap_result "$1" "$2" "$(cat log)"
}

set -- all --quick
[ "${TORUS_TEST_LONG:-0}" = 0 ] || [ ! -d "$traces" ] ||
	set -- "$@" --traces "$traces"
if emulated >/dev/null; then
	# QEMU translates each program differently: what is compared by measured times
	# is computed below, and not judged
	"$top/storus" experiment --list |
		sed -n '/^[a-z]*-complexity /d; /^bani-fig[78] /d; /^mao-fig[3-7] /d; s/^\([a-z][^ ]*\) .*/\1/p' |
		xargs "$top/storus" experiment --quick --output out >log 2>&1
	ok $? "no claim has a worse verdict than the recorded one, measured times aside"
	"$top/storus" experiment "$@" --output out >log 2>&1
else
	"$top/storus" experiment "$@" --output out >log 2>&1
	ok $? "no claim has a worse verdict than the recorded one"
fi
sed 's/^/# /' log

grep -q "^aida-fig2 *9 reproduced, " log
ok $? "Aida et al., Fig. 2: all but what is slight or almost the same"
grep -q "^gupta-example *13 reproduced, 0 undecided, 4 not$" log
ok $? "Gupta and Srimani, the example: all but the paper's own slips"

# verdicts FILE...: "experiment|says|verdict" of each claim
verdicts()
{
	for name in "$@"; do
		grep -v '^#' "$name" >rows.csv
		sqlite3 :memory: ".mode csv" ".import rows.csv claims" \
			".mode list" \
			"select experiment, says, verdict from claims"
	done
}

# differences PAGE DIRECTORY: what is not of the page's run
differences()
{
	build=$(sed -n 's/.*storus [0-9.]*, build \([0-9a-f]\{16\}\), wrote it, .*/\1/p' "$1")
	[ ${#build} = 16 ] || echo "$1: no build"
	for name in "$2"/*.csv "$2"/*.svg; do
		case $name in *.jobs.csv) continue ;; esac
		head -n 30 "$name" | grep -q "build:* $build" || echo "$name"
		grep -q "  $(basename "$name")\$" "$2/SHA256SUMS" || echo "$name: no sum"
	done
	(cd "$2" && sha256sum --quiet --ignore-missing --check SHA256SUMS 2>&1)
	for name in "$2"/*.claims.csv; do
		experiment=$(basename "$name" .claims.csv)
		for verdict in reproduced undecided "not reproduced"; do
			in_csv=$(verdicts "$name" | grep -c "|$verdict$")
			on_page=$(awk -v name="$experiment" -v verdict="$verdict" '
				/^<!-- build/ { n = 0 }
				$0 ~ "^[|].*[|] " verdict "(: .*)? [|]$" { n++ }
				index($0, "`storus experiment " name " ") ||
				index($0, "`storus experiment " name "`") { print n }' "$1")
			[ "$in_csv" = "$on_page" ] ||
				echo "$experiment, $verdict: $in_csv, page $on_page"
		done
	done
}
differences out.md out >log 2>&1
[ ! -s log ]
ok $? "the page, the data and the pictures are of one build"
differences "$doc/experiments.md" "$doc/experiments" >log 2>&1
[ ! -s log ]
ok $? "so are those in doc"
# README has the last row of the page's summary.
sums=$(sed -n 's/^| all |.*| \([0-9]*\) | \([0-9]*\) | \([0-9]*\) |$/\1 reproduced, \2 undecided, \3 not/p' \
	"$doc/experiments.md")
grep "of five papers: " "$doc/../README.md" >log
[ -n "$sums" ] && grep -q "of five papers: $sums " log
ok $? "README says the same: $sums"

# A claim about a point that is not there is undecided, and so no failure.
! grep -h "was not computed" out/*.claims.csv >>log
ok $? "no claim is about what was not computed"

# A row says by which test it could fail, and what was computed.
sqlite3 :memory: >log 2>&1 <<END
.mode csv
$(for name in out/*.claims.csv; do
	grep -v '^#' "$name" >"$name.rows"
	echo ".import $name.rows claims"
done)
select * from claims where experiment <> 'experiment' and
	(says = '' or test = '' or got = '');
select 'too few: ' || count(*) from claims having count(*) < 200;
END
[ ! -s log ]
ok $? "every claim says by which test it could fail, and what was computed"

# What is computed: papers' parameters, the parts of a quick run.
# TORUS_REGENERATE=1 rewrites the file: look at the difference.
(
	export LC_ALL=C
	head -n 100 out/aida-*.yaml out/bani-*.yaml out/mohapatra-*.yaml
) | sed 's#out/##' >campaigns
[ "${TORUS_REGENERATE:-0}" = 0 ] || cp campaigns "$expected"
diff "$expected" campaigns >log 2>&1
ok $? "the campaigns"

for name in aida-fig2 bani-fig9 gupta-fig5; do
	grep -q '^# storus .*--quick' out/$name.csv &&
		grep -q '^# storus .*--quick' out/$name.claims.csv
	ok $? "$name: data and claims say how they were made"
	grep -q "storus experiment $name" out.md
	ok $? "$name: on the page"
	if command -v gnuplot >/dev/null; then
		[ -s out/$name.svg ] && [ -s out/$name.png ]
		ok $? "$name: pictures"
	fi
done
grep -q '^# seeds 1-5; ' out/aida-fig2.csv
ok $? "aida-fig2: its seeds"

# Studies share jobs and a result file: no point may hold another's runs.
for data in out/*.csv; do
	awk -F, -v name="$data" '
		/^# seeds/ { split($0, part, /[-;]/); seeds = part[2] + 0 }
		/^#/ { next }
		/,runs$/ { judged = 1; next }
		judged && seeds && $NF > seeds { print name ": " $0; bad = 1 }
		END { exit bad }' "$data" || echo bad >mixed
done >log 2>&1
[ ! -e mixed ]
ok $? "no mean is over more runs than there are seeds"
for name in mohapatra-fig6 mohapatra-fig11; do
	grep -q '^# seeds 1-5; ' out/$name.csv
	ok $? "$name: its seeds"
done
grep -q '^"DEDF, no ATW",' out/mohapatra-fig6.csv
ok $? "names with a comma are quoted"

# Mao et al. with logs that have only their names: what is replayed is theirs.
mkdir logs
for name in NASA-iPSC-1993-3.1-cln SDSC-SP2-1998-4.2-cln; do
	"$top/storus" generate lublin --jobs 300 --output "logs/$name.swf.gz"
done >log 2>&1
"$top/storus" experiment mao --quick --traces logs --output mao >>log 2>&1
[ $? -le 1 ] && grep -q "^mao-fig7 " log
ok $? "mao: from logs"
for setting in nasa-qcdoc-1:2x2x2x4x4x8:8 nasa-jlab-1:2x2x2x6x8:2 \
	sdsc-qcdoc-1:2x2x2x4x4x8:8 sdsc-jlab-1:2x2x2x6x8:2 \
	nasa-qcdoc-2:flat:1024:8 sdsc-jlab-2:flat:384:2; do
	file=mao/mao-${setting%%:*}.yaml machine=${setting#*:}
	grep -q "^machines: \[\"${machine%:*}\"\]" "$file" &&
		grep -q "scale: ${setting##*:}, round_up_pow2: true, estimate: run, run_scale: 0.20" \
			"$file"
	ok $? "mao: $setting"
done
awk -F, '/^EASY.flat,0.2,/ { load = $5 / 0.2 }
	/^(FCFS|EASY)/ { n++; key[n] = $2; x[n] = $3 }
	END { for (i = 1; i <= n; i++)
		bad += x[i] < key[i] * load * 0.999999 ||
		       x[i] > key[i] * load * 1.000001
	      exit bad || n < 25 }' mao/mao-fig7.csv
ok $? "mao-fig7: utilization over the system load"

cp out/aida-fig2.csv first
cells() { sqlite3 out/results.db 'select count(*), max(finished) from cells'; }
before=$(cells)
sleep 1
"$top/storus" experiment aida-fig2 --quick --output out >log 2>&1 &&
	grep -v '^#' out/aida-fig2.csv >b && grep -v '^#' first | cmp -s - b &&
	[ "$(cells)" = "$before" ]
ok $? "again: the same numbers, and no cell is computed twice"
tap_done
