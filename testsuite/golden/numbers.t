#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every option that takes a number, a time or a duration reads it to its last character: a
# wrong value ends the command with status 2 and a sentence that names it.
. "$(dirname "$0")/lib-golden.sh"
TZ=UTC
export TZ

tab=$(printf '\t')
cr=$(printf '\r')
cat >"$golden_tmp/jobs.csv" <<'X'
id,submit,run,nodes
1,0,10,4
X
snap=$(dirname "$golden_dir")/questions/cluster.snap

# Values that are wrong everywhere; then those that are wrong for whole numbers, for
# seconds, for factors.
everywhere="x 1x 1_ +1 -1 1,0 0x10 nan inf -inf 1e999 1e 1. 1.2.3 99999999999999999999-1 ١ 1;"
whole="$everywhere 1.5 1e3 .5 18446744073709551617 99999999999999999999"
seconds="$everywhere 1e3 .5 1.0000001 1000000000001 99999999999999999999"
factor="$everywhere"

refused() # VALUE COMMAND WORD...: @ is the value
{
	value=$1
	shift
	for word; do
		shift
		case $word in
		*@*) set -- "$@" "${word%@*}$value${word#*@}" ;;
		*) set -- "$@" "$word" ;;
		esac
	done
	storus "$@" </dev/null >"$golden_tmp/out" 2>&1
	[ $? -eq 2 ] && grep -q -e "\".*\".*expected" "$golden_tmp/out" || {
		printf '"%s": %s\n' "$value" "$*"
		head -1 "$golden_tmp/out"
	}
}

each() # "VALUE..." COMMAND WORD...
{
	values=$1
	shift
	wrong=$({
		set -f
		for v in $values; do
			refused "$v" "$@"
		done
		for v in "" " " "1 " " 1" "1$tab" "1$cr"; do
			refused "$v" "$@"
		done
	})
	[ -z "$wrong" ]
	tap_result $? "$*" "$wrong"
}

some() # TITLE WRONG
{
	[ -z "$2" ]
	tap_result $? "$1" "$2"
}

trace="--torus 4x4 $golden_tmp/jobs.csv"
# shellcheck disable=SC2086
{
	for option in arrival-queue max-jobs seed; do
		each "$whole" replay $trace --$option=@
	done
	for option in wait-limit mean-hold preempt-overhead; do
		each "$seconds" replay $trace --$option=@
	done
	for option in scale run-scale load-scale laxity; do
		each "$factor" replay $trace --$option=@
	done
	each "$(echo "$everywhere" | sed s/1,0//)" replay $trace --trim=@
	each "$everywhere" replay $trace --pass-budget=@
	each "$seconds" replay $trace --limit-max=@
	each "$seconds" replay $trace --faults=10,10 --checkpoint=@
	each "$factor 1.5" replay $trace --laxity=1 --deadline-share=@
	each "$(echo "$everywhere" | sed s/1,0//) 1,2,3 4,2kg" replay $trace --node-power=@
	each "$everywhere * a* a*x a*-1 a*1e9 a*2,a*3 a*2, *2" replay $trace --users=@
	each "$everywhere 0 a= a=x =1h 1h,2h a=1h,a=2h a=1h," replay $trace --default-limit=@
	some 'replay --partition=a=@' "$(for nodes in "" x 3-1 0-15x 0--1 16777216 4294967296 \
		"0-3,a=5" "0-3," "0-3,b=1,b=2" "0-3,,b"; do
		refused "$nodes" replay $trace --partition=a=@
	done)"
	some 'replay --outage=@' "$(for outage in x "first Tue 25:00 +8h" "first Tue 08:00 8h" \
		"sixth Tue 08:00 +8h" "every day 02:60 +1h" "2024-02-31T08:00:00 +8h" \
		"2024-01-02T08:00:00 +0h" "every day 02:00 +1h 0-15x" \
		"2024-01-02T08:00:00 +99999999999999999d"; do
		refused "$outage" replay $trace --outage=@
	done)"
	each "$whole" tune $trace --max-jobs=@
	each "$factor" tune $trace --scale=@
	each "$seconds" validate $trace --wait-limit=@
	each "$whole" validate $trace --max-jobs=@
	each "$seconds" replay $trace --faults=@,10
	each "$seconds" replay $trace --faults=10,@
}
each "$whole" sweep --workers=@ none.yaml
each "$whole" sweep --tasks=@ none.yaml
each "$factor" sweep --common=@ none.yaml
each "$seconds" weekly --until=@ none.csv
each "$everywhere +24:01 +25:00 +02:60 -2:00 Mars/Base ../UTC" weekly --torus none.yaml \
	--output none.html --tz=@ none.csv
each "$factor" suggest 4 --torus 4x4 --max-aspect=@
for option in min-bisection ntasks; do
	each "$whole" suggest 4 --torus 4x4 --$option=@
done
for option in seed jobs replication; do
	each "$whole" generate bani-uniform --$option=@
done
for option in rate mean-run; do
	each "$factor" generate bani-uniform --$option=@
done
each "$factor" generate mohapatra-geometric --laxity=@
each "$factor" generate lublin --estimate-error=factor:@
for question in "place --geometry 2x2" "slots 2x2" "defrag 2x2" map snapshot metrics \
	"what-if" "explain 1" "ranks --geometry 2x2" "reserve 2x2 --duration 5"; do
	# shellcheck disable=SC2086
	each "$seconds" $question --torus 4x4 --schedule "$golden_tmp/jobs.csv" --at=@
done
each "$whole" ranks --torus 4x4 --geometry 2x2 --per-node=@
each "$whole" map --torus 4x4 --block=@
each "$seconds" map --torus 4x4 --watch=@
each "$whole" plan cnp --torus 4x4 --jobs none.csv --decimals=@
each "$seconds" parity --torus 4x4 --within=@ none.csv
each "$seconds" what-if --snapshot "$snap" --compute=@
each "$whole" experiment --workers=@ bani
each "$whole" reservations -- @

# Slurm's words
times="$everywhere 2027-02-31 2027-02-29 2027-13-01 2027-01-31T 2027-01-31T12:00:00Z 2027-01-31T12:00:00garbage
 2027-01-31T25:00 01/31/2027 now+ now+1h now+1hourx now+99999999999999999999 13:00PM 1e3 tomorrowx"
each "$(echo "$times" | sed s/1e3//) now-1x now-99999999999999999999" jobs --since=@ none.sacct
each "$times" reserve 2x2 --snapshot "$snap" --dry-run --duration=5 --start=@
durations="$everywhere 1- -5 1: 1:2:3:4 1-2-3 1.5 1h 0 99999999999999999 4294967297 2147483648-0 1-x UNLIMITEDx"
each "$durations" reserve 2x2 --snapshot "$snap" --dry-run --duration=@

submit() # OPTION "VALUE..."
{
	wrong=$(
		set -f
		for v in $2; do
			storus what-if --snapshot "$snap" --submit "--geometry=2x2 $1=$v" \
				>"$golden_tmp/out" 2>&1
			[ $? -eq 2 ] && grep -qF -e "$1" "$golden_tmp/out" &&
				grep -qF -e "got \"$v" "$golden_tmp/out" || {
				echo "$1=$v"
				head -1 "$golden_tmp/out"
			}
		done
	)
	[ -z "$wrong" ]
	tap_result $? "what-if --submit $1" "$wrong"
}
submit --time "x 1x +1 -5 1,0 0x10 nan inf 1.5 1- 1:2:3:4 99999999999999999-1 4294967297 1h"
submit --nodes "x 1x 4abc +1 -4 0 4- 0-2 4-2 0x10 nan inf 1.5 1e3 2kk 4294967297 18446744073709551617"
submit --priority "x 1x +1 -5 0x10 nan inf 1e3 4294967296 99999999999999999999"

for nodes in 3 5-8 1-3; do
	storus what-if --snapshot "$snap" --submit "--geometry=2x2 -N $nodes" >"$golden_tmp/out" 2>&1
	[ $? -eq 2 ] && grep -q "(-N) contradicts --geometry=2x2, which is 4 nodes" "$golden_tmp/out"
	tap_result $? "what-if --submit refuses -N $nodes for 2x2, as sbatch does" "$(head -1 "$golden_tmp/out")"
done
storus what-if --snapshot "$snap" --submit "--geometry=2x2 -N 2-4" >"$golden_tmp/out" 2>&1
tap_result $? "what-if --submit takes -N 2-4 for 2x2" "$(head -1 "$golden_tmp/out")"

# What is right is taken as Slurm takes it.
took() # OPTION... EXPECTED
{
	eval "expected=\${$#}"
	got=$(storus reserve 2x2 --snapshot "$snap" --dry-run "$1" "$2" | head -1)
	case $got in
	*"$expected"*) tap_result 0 "reserve $1 $2" ;;
	*) tap_result 1 "reserve $1 $2" "$got" ;;
	esac
}
# the snapshot is of 2025-11-24T16:00:00
took --duration=1-2 --start=now+1hour "StartTime=2025-11-24T17:00:00 Duration=1560"
took --duration=90 --start=tomorrow "StartTime=2025-11-25T00:00:00 Duration=90"
took --duration=0:30 --start=teatime "StartTime=2025-11-25T16:00:00 Duration=1"
took --duration=1-12:30 --start=01/31-12:00 "StartTime=2026-01-31T12:00:00 Duration=2190"
took --duration=UNLIMITED --start=2027-01-31 "StartTime=2027-01-31T00:00:00 Duration=525600"
golden_done
