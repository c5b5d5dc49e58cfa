#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# One model of each paper, written from the paper alone in another language
# (independent/), against storus: the same start of every job.

# shellcheck source=testsuite/papers/lib-traces.sh
. "$(dirname "$0")/lib-traces.sh"
python=$(command -v python3) || skip_all "no python3"
models=$(cd "$(dirname "$0")" && pwd)/independent
top=$(cd "${top_builddir:-.}" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/torus-independent-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# jobs SEED KIND: 300 jobs as CSV, whole seconds; KIND: nodes up to a number, or a
# side of boxes, or sub-cubes with deadlines
jobs()
{
	awk -v seed="$1" -v kind="$2" '
	function upto(n) { return int(rand() * n) + 1 }
	BEGIN {
		srand(seed)
		split(kind, k, ":")
		print "id,submit,run," (k[1] == "box" ? "geometry" : "nodes") \
			(k[1] == "cube" ? ",deadline" : "")
		for (i = 1; i <= 300; i++) {
			at += upto(30); run = upto(200)
			if (k[1] == "nodes")
				print i "," at "," run "," upto(k[2])
			else if (k[1] == "box")
				print i "," at "," run "," upto(k[2]) "x" upto(k[2]) "x" upto(k[2])
			else
				print i "," at "," run "," 2 ^ (upto(k[2]) - 1) "," at + run + upto(300)
		}
	}'
}

# same TITLE MODEL "ARGUMENTS" OPTION...: both start each job at the same time
same()
{
	title=$1 model=$2 arguments=$3
	shift 3
	# shellcheck disable=SC2086  # several words
	"$python" "$models/$model.py" $arguments <jobs.csv | sort >theirs &&
		"$top/storus" replay "$@" --schedule schedule.csv jobs.csv \
			>log 2>&1 &&
		awk -F, 'NR > 1 && !/^#/ {
			print $1 "," ($5 == "completed" ? $3 : "rejected")
		}' schedule.csv | sort >ours &&
		[ "$(wc -l <ours)" -eq 300 ] && diff theirs ours >log
	tap_result $? "$title" "$(head -n 20 log)"
}

printf 'd,t\n8,2\n4,2\n4,4\n4,4\n4,1\n2,4\n' >example.csv
awk 'BEGIN { srand(3); print "d,t"
	for (i = 0; i < 14; i++)
		print 2 ^ int(rand() * 4) "," int(rand() * 9) + 1 }' >random.csv
for name in example random; do
	"$python" "$models/gupta.py" 8 <$name.csv >theirs &&
		"$top/storus" plan cnp --torus 8x8 --jobs $name.csv --json |
		"$python" -c '
import json, sys
from fractions import Fraction
for j in json.load(sys.stdin)["jobs"]:
    print(j["id"], Fraction(j["start"]), Fraction(j["finish"]), *j["base"], sep=",")' \
			>ours && diff theirs ours >log 2>&1
	tap_result $? "Gupta and Srimani: CNP_Alloc, $name" "$(cat log)"
done

jobs 1 nodes:300 >jobs.csv
for scheme in ep nep; do
	same "Mao et al.: FCFS with $scheme on QCDOC" mao "$scheme 1024" \
		--torus 2x2x2x4x4x8 --strategy semitorus-$scheme \
		--discipline fcfs --round-up-pow2
done
jobs 2 nodes:150 >jobs.csv
same "Mao et al.: FCFS with nep on JLAB" mao "nep 256 128" \
	--torus 2x2x2x6x8 --strategy semitorus-nep --discipline fcfs \
	--round-up-pow2

jobs 3 nodes:64 >jobs.csv
for scheme in fcfs mpfs lpfs fpfs fpmpfs; do
	same "Aida et al.: $scheme, WaitLimit 300" aida "$scheme 64 300" \
		--torus flat:64 --discipline $scheme --wait-limit 300
done

jobs 4 box:4 >jobs.csv
same "Bani-Mohammad et al.: TFF" bani "tff 4" --torus 4x4x4:MMM \
	--strategy submesh-tff --discipline fcfs

jobs 5 cube:5 >jobs.csv
same "Mohapatra: Buddy/RT" mohapatra 5 --torus 2x2x2x2x2 \
	--strategy subcube-buddy --discipline buddy-rt
tap_done
