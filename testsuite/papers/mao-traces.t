#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Mao, Chen, Watson (2005), section 4, on two logs: sizes scaled to the machine
# and rounded up to powers of two, run times scaled by c, estimates as run times.
# Asserted are the orders that the paper states:
#
#   - FCFS, saturated (c = 2): utilization EP < NEP < flat, by 0.02 each
#   - FCFS: mean bounded slowdown of NEP at most that of EP, at every c
#   - EASY: utilization of NEP within 0.015 of that of a flat machine

# shellcheck source=testsuite/papers/lib-traces.sh
. "$(dirname "$0")/lib-traces.sh"
nasa=NASA-iPSC-1993-3.1
sdsc=SDSC-SP2-1998-4.2
need_trace $nasa
need_trace $sdsc

# judge WHAT RESULT: RESULT is what awk said, and starts with "ok" if it is
judge()
{
	case $2 in
	ok*) tap_result 0 "$1:${2#ok}" ;;
	*) tap_result 1 "$1: $2" ;;
	esac
}

# measure LOG SCALE MACHINE STRATEGY DISCIPLINE C: utilization, slowdown and
# the number of rejected jobs
measure()
{
	"$storus" replay --torus "$3" --strategy "$4" --discipline "$5" \
		--scale "$2" --round-up-pow2 --run-scale "$6" --estimate run \
		--json "$traces/$1-cln.swf.gz" | awk -F '[:,]' '
		/"utilization_granted"/ { u = $2 }
		/"mean_bounded_slowdown"/ { s = $2 }
		/"rejected"/ { r = $2 }
		END { print u, s, r }'
}

# saturation NAME LOG SCALE MACHINE NODES: FCFS at c = 2
saturation()
{
	ep=$(measure "$2" "$3" "$4" semitorus-ep fcfs 2)
	nep=$(measure "$2" "$3" "$4" semitorus-nep fcfs 2)
	flat=$(measure "$2" "$3" "flat:$5" flat fcfs 2)
	judge "$1: EP < NEP < flat by 0.02" "$(echo "$ep $nep $flat" | awk '{
		good = NF == 9 && $4 - $1 >= 0.02 && $7 - $4 >= 0.02 &&
			$3 + $6 + $9 == 0
		printf "%s %.4f %.4f %.4f", good ? "ok" : "got", $1, $4, $7
	}')"
}

# slowdowns NAME LOG SCALE MACHINE: FCFS at every c
slowdowns()
{
	judge "$1: slowdown of NEP at most that of EP" "$(
		for c in 0.2 0.4 0.6 0.8 1.0 1.2 1.4 1.6 1.8 2.0; do
			echo "$c $(measure "$2" "$3" "$4" semitorus-ep fcfs $c) $(
				measure "$2" "$3" "$4" semitorus-nep fcfs $c)"
		done | awk '
			NF != 7 || $6 > $3 { printf "c = %s: EP %s, NEP %s; ", $1, $3, $6 }
			{ n++ }
			END { if (n == 10) printf "ok at 10 values of c" }' |
			sed "s/^\(c = .*\)ok.*/\1/"
	)"
}

# easy NAME LOG SCALE MACHINE NODES C
easy()
{
	nep=$(measure "$2" "$3" "$4" semitorus-nep easy "$6")
	flat=$(measure "$2" "$3" "flat:$5" flat easy "$6")
	judge "$1, c = $6: EASY/NEP within 0.015 of EASY/flat" \
		"$(echo "$nep $flat" | awk '{
			d = $1 - $4
			good = NF == 6 && d > -0.015 && d < 0.015
			printf "%s %.4f %.4f", good ? "ok" : "got", $1, $4
		}')"
}

saturation 'QCDOC, NASA' $nasa 8 2x2x2x4x4x8 1024
saturation 'QCDOC, SDSC' $sdsc 8 2x2x2x4x4x8 1024
saturation 'JLAB, SDSC' $sdsc 2 2x2x2x6x8 384
slowdowns 'QCDOC, NASA' $nasa 8 2x2x2x4x4x8
slowdowns 'QCDOC, SDSC' $sdsc 8 2x2x2x4x4x8
slowdowns 'JLAB, SDSC' $sdsc 2 2x2x2x6x8
for c in 0.6 1.0 1.4; do
	easy 'QCDOC, NASA' $nasa 8 2x2x2x4x4x8 1024 $c
done
easy 'QCDOC, SDSC' $sdsc 8 2x2x2x4x4x8 1024 0.6
easy 'JLAB, SDSC' $sdsc 2 2x2x2x6x8 384 0.6
case ${TORUS_TEST_LONG:-0} in
0) ;;
*)
	easy 'QCDOC, NASA' $nasa 8 2x2x2x4x4x8 1024 2.0
	easy 'QCDOC, SDSC' $sdsc 8 2x2x2x4x4x8 1024 1.0
	easy 'JLAB, SDSC' $sdsc 2 2x2x2x6x8 384 1.0
	;;
esac
tap_done
