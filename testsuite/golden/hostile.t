#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Input that is no text, or text that would act on a terminal; files joined by cat; signals
# and full disks while files are written; damaged results.
# shellcheck source=testsuite/lib-tap.sh
. "$(dirname "$0")/../lib-tap.sh"
here=$(cd "$(dirname "$0")" && pwd)
storus=$(cd "${top_builddir:-.}" && pwd)/storus
tmp=$(mktemp -d "${TMPDIR:-/tmp}/torus-hostile-XXXXXX") || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
unset SLURM_CONF
esc=$(printf '\033')

printf 'toruses:\n- {name: a, dims: [4, 4], nodes: "n[0-15]"}\n' >good.yaml
printf 'id,submit,run,nodes\n1,0,10,4\n2,5,10,16\n' >good.csv
printf 'id,cost\n1,5\n' >costs
printf 'NodeName=n[0-15]\n' >slurm.conf
printf 'torus-plan 1\ntime 5\nqueued 0\n' >plan
printf 'JobID|Submit|Start|End|NNodes|State\n1|1|2|9|4|COMPLETED\n' >good.sacct
printf '; a comment\n1 0 -1 10 4 -1 -1 4 10 -1 1 1 1 -1 1 -1 -1 -1\n' >good.swf
printf 'd,t\n1,2\n' >jobs
cp "$here"/import/galaxy.textproto .
printf 'traces: [good.csv]\nmachines: [4x4]\n' >campaign.yaml
printf 'a:0,0 0 down\n' >links
"$storus" snapshot --torus good.yaml --busy a:0,0+2x2 >snap 2>/dev/null

# read_as KIND FILE: have it read; its messages
read_as()
{
	case $1 in
	torus) "$storus" check-config "$2" ;;
	conf) "$storus" check-config good.yaml --slurm-conf "$2" ;;
	links) "$storus" map --torus good.yaml --busy a:0,0+1x1 --link-file "$2" ;;
	snap) "$storus" map --snapshot "$2" ;;
	costs) "$storus" defrag --snapshot snap 4x4 --costs "$2" ;;
	plan) "$storus" reservations --file "$2" ;;
	trace) "$storus" replay --torus good.yaml --strict "$2" ;;
	jobs) "$storus" plan preemptive --torus 8 --jobs "$2" ;;
	campaign) "$storus" sweep --dry-run "$2" ;;
	mgd) "$storus" import mgd "$2" ;;
	esac
}

# each kind with a file of its own
kinds='torus:good.yaml conf:slurm.conf links:links snap:snap costs:costs plan:plan
	trace:good.csv trace:good.sacct trace:good.swf campaign:campaign.yaml
	jobs:jobs mgd:galaxy.textproto'

refused_nul()
{
	lines=$(grep -c '' "$2")
	{ cat "$2" && printf 'x\0y\n'; } >"bad-$2"
	said=$(read_as "$1" "bad-$2" 2>&1)
	[ $? = 2 ] && printf '%s\n' "$said" | grep -q "bad-$2:$((lines + 1)): " ||
		{ echo "$said"; return 1; }
}

# the first line, a NUL in it
refused_first()
{
	{ printf '\0' && cat "$2"; } >"first-$2"
	said=$(read_as "$1" "first-$2" 2>&1)
	[ $? = 2 ] || { echo "$said"; return 1; }
}

refused_utf16()
{
	for code in UTF-16 UTF-16LE UTF-16BE; do
		iconv -f UTF-8 -t $code "$2" >"wide-$2"
		said=$(read_as "$1" "wide-$2" 2>&1)
		[ $? = 2 ] && printf '%s\n' "$said" | grep -q UTF-16 ||
			{ echo "$code: $said"; return 1; }
	done
}

skipped_mark()
{
	read_as "$1" "$2" >want 2>&1 || { cat want; return 1; }
	mkdir -p marked
	{ printf '\357\273\277' && cat "$2"; } >"marked/$2"
	mv "$2" kept && cp "marked/$2" "$2"
	read_as "$1" "$2" >got 2>&1
	status=$?
	mv kept "$2"
	sed -i '/time\|memory\|per second/d' want got
	diff want got && [ $status = 0 ]
}

for k in $kinds; do
	kind=${k%:*} file=${k#*:}
	check "a NUL byte in $file is refused with its line" refused_nul "$kind" "$file"
	check "a NUL byte at the beginning of $file is refused" refused_first "$kind" "$file"
	[ "$kind" = plan ] && continue
	check "$file in UTF-16 is named" refused_utf16 "$kind" "$file"
	check "a byte order mark before $file is skipped" skipped_mark "$kind" "$file"
done

endless()
{
	(ulimit -v 400000 && read_as "$1" /dev/zero) >said 2>&1
	[ $? = 2 ] && grep -q '/dev/zero:1: there is a NUL byte' said || { cat said; return 1; }
}
for kind in torus conf links snap costs campaign; do
	check "/dev/zero as $kind is refused at once" endless $kind
done
too_large()
{
	yes 'torus-snapshot 1' | "$storus" map --snapshot - >said 2>&1
	[ $? = 2 ] && grep -q 'File too large' said || { cat said; return 1; }
}
check "an endless text is refused" too_large

many_nodes()
{
	echo 'NodeName=x[0-16777215]' >many.conf
	(ulimit -v 200000 && exec "$storus" check-config good.yaml --slurm-conf many.conf) >said 2>&1
	[ $? = 2 ] && grep -q 'many.conf:1: NodeName: .*at most 1048576 nodes' said || { cat said; return 1; }
}
check "more nodes than Slurm can have are refused" many_nodes

# Control characters

# plain STATUS COMMAND...: it says something, without a control character
plain()
{
	want=$1
	shift
	"$@" >said 2>&1
	status=$?
	[ -s said ] || [ "$want" = 0 ] || { echo "nothing said"; return 1; }
	# as a terminal sees them: C0, DEL, C1 in UTF-8 and alone
	if tr -d '\n' <said | LC_ALL=C grep -qa "[[:cntrl:]$(printf '\200')-$(printf '\237')]"; then
		cat -v said
		return 1
	fi
	[ "$status" = "$want" ] || { cat said; return 1; }
}
odd=$(printf 'x\033]0;t\007\033[2J\nstorus: ok\302\233m')
cp good.yaml "$odd.yaml"
cp good.csv "$odd.csv"
cp slurm.conf "$odd.conf"
check "a command's name" plain 2 "$storus" "$odd"
check "an option's name" plain 2 "$storus" map "--$odd"
check "an option's value" plain 2 "$storus" replay --torus good.yaml --discipline "$odd" good.csv
check "an operand" plain 2 "$storus" place --torus good.yaml "$odd"
check "the name of a missing file" plain 2 "$storus" check-config "no$odd"
check "the name of a configuration" plain 0 "$storus" check-config "$odd.yaml" --slurm-conf "$odd.conf"
check "the name of a trace" plain 0 "$storus" replay --torus "$odd.yaml" "$odd.csv"
check "parity names them" plain 3 "$storus" parity --torus "$odd.yaml" "no$odd.csv"
check "a snapshot names its machine" plain 0 "$storus" snapshot --torus "$odd.yaml"
printf 'torus-plan 1\ntime 5\nqueued 1\nconfig_error %s\njob 7 5 9 a:0,0 1 because\033[2J of\302\233\n' \
	"$(printf 'a\033[31m')" >odd.plan
check "the fields of a plan file" plain 0 "$storus" reservations --file odd.plan
sed '/"jobs"/a {"state": "pending", "id": "9\\u001b[m", "user": "u\\u001b\\u0007", "partition": "p\\u007f\\u009b", "geometry": "2x2", "reason": "r\\n"},' snap >odd.snap
check "the jobs of a snapshot" plain 0 "$storus" snapshot --snapshot odd.snap
check "the table of waiting jobs" plain 0 "$storus" explain --snapshot odd.snap '9?[m'
printf 'id,submit,run,nodes,user\n1,0,10,4,u\302\233m\n' >odd.csv
check "the users of a trace" plain 0 "$storus" replay --torus good.yaml odd.csv --schedule -
for command in "help @" "@" "map --@" "map --torus @" "explain @ --snapshot snap" "tune --torus 4x4 @" \
	"jobs --since @" "suggest @ --torus 4x4" "experiment @" "validate --torus 4x4 --discipline @ good.csv"; do
	# shellcheck disable=SC2016 # of the inner shell
	check "a word of 100,000 bytes is shortened: $command" sh -c '
		long=$(head -c 100000 /dev/zero | tr "\0" 7)
		for word; do
			shift
			[ "$word" = @ ] && word=$long
			[ "$word" = --@ ] && word=--$long
			set -- "$@" "$word"
		done
		"$@" >said 2>&1
		[ $? -ge 1 ] && [ "$(wc -c <said)" -lt 3000 ] && grep -q 777 said || {
			head -c 300 said; exit 1; }' sh "$storus" $command
done
check "letters of other languages stay" sh -c \
	"'$storus' check-config größe-日本.yaml 2>&1 | grep -q größe-日本.yaml"

# Files joined by cat

printf '# a comment\nrun,nodes,submit,id\n10,4,7,3\n' >other.csv
joined()
{
	cat good.csv other.csv good.csv | "$storus" replay --torus good.yaml --strict --schedule s.csv - &&
		cut -d, -f1-2 s.csv >got || return 1
	printf 'id,submit\n1,0.000000\n1,0.000000\n2,5.000000\n2,5.000000\n3,7.000000\n' >want
	sed -i 's/^\([0-9]*,[0-9]*\)$/\1.000000/' got
	sort got >a && sort want >b && diff a b
}
check "each of several CSV files has its own columns" joined
printf 'run,nodes,submit,ident\n10,4,7,3\n' >wrong.csv
said=$(cat good.csv wrong.csv | "$storus" replay --torus good.yaml - 2>&1)
[ $? = 2 ] && printf '%s\n' "$said" | grep -q 'input:4: no such column "ident"'
tap_result $? "a second header that is wrong is refused" "$said"
printf 'NNodes|End|Start|Submit|State|JobID\n4|19|12|11|COMPLETED|2\n' >other.sacct
said=$(cat good.sacct other.sacct | "$storus" replay --torus good.yaml --strict - 2>&1)
printf '%s\n' "$said" | grep -q '^kept  *2$'
tap_result $? "each of several outputs of sacct has its own columns" "$said"
versions()
{
	for order in 'first second' 'second first'; do
		set -- $order
		"$storus" replay --torus "$here/older/torus.yaml" "$here/older/$1/journal.csv" >a 2>&1
		"$storus" replay --torus "$here/older/torus.yaml" "$here/older/$2/journal.csv" >b 2>&1
		cat "$here/older/$1/journal.csv" "$here/older/$2/journal.csv" |
			"$storus" replay --torus "$here/older/torus.yaml" - >both 2>&1
		if grep 'cannot be read' both; then
			return 1
		fi
		[ "$(awk '/^kept/ { n += $2 } END { print n }' a b)" = "$(awk '/^kept/ { print $2 }' both)" ] ||
			{ cat both; return 1; }
	done
}
check "journals of two versions are read, each by its own header" versions

# Jobs of no node (-N0-2), which slurmctld started before it refused them
none()
{
	cat >none.csv <<'EOF'
id,submit,run,nodes,geometry,connection,rotate,placement,limit,deadline,priority,eligible,turn,left,limits,only,start,end,region,state,stay
,100.000000,,,,,,,,,,,,,,,,,,begin,
,100.000000,,,,,,,,,,,,,,,,,"none",busy,
,100.000000,,,,,,,,,,,,,,,,,"none",out,
1,101.000000,10.000000,,"2,1,0",,,anywhere,60.000000,,1,101.000000,1,,,,101.000000,111.000000,"a:{0-1}",completed,1
2,102.000000,10.000000,,"2,1,0",,,anywhere,60.000000,,1,102.000000,2,,,,102.000000,112.000000,,completed,2
3,103.000000,10.000000,0,,,,anywhere,60.000000,,1,103.000000,3,,,,103.000000,113.000000,"",completed,3
4,104.000000,10.000000,16,,,,anywhere,60.000000,,1,104.000000,4,,,,111.000000,121.000000,"a:{0-15}",completed,4
,130.000000,,,,,,,,,,,,,,,,,,until,
EOF
	"$storus" replay --torus good.yaml --strict none.csv >said 2>&1 || { cat said; return 1; }
	grep -q '^kept  *2$' said && grep -q '2 without processors' said || { cat said; return 1; }
	"$storus" parity --torus good.yaml none.csv >said 2>&1
	[ $? -le 1 ] && grep -q '^2 jobs compared' said || { cat said; return 1; }
}
check "a journal with jobs of no node is read" none

# Signals, limits and full disks

# ended SIGNAL: while a schedule is written; its file goes, and it is said
ended()
{
	rm -rf ended && mkdir ended
	mkfifo ended/in
	(
		trap - INT QUIT
		exec env --default-signal "$storus" replay --torus good.yaml \
			--schedule ended/out.csv ended/in >ended/said 2>&1
	) &
	pid=$!
	exec 9<>ended/in
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		ls ended/out.csv.* >/dev/null 2>&1 && break
		cat good.csv >&9
		sleep 0.2
	done
	kill -s "$1" $pid
	wait $pid
	status=$?
	exec 9>&-
	[ $status -gt 128 ] || { echo "status $status"; return 1; }
	[ "$(cd ended && echo *)" = "in said" ] || { ls ended; return 1; }
	grep -q "SIG$1: .*ended/out.csv is not written" ended/said || { cat ended/said; return 1; }
}
for signal in TERM HUP INT QUIT ALRM XCPU PIPE USR1; do
	check "SIG$signal leaves no temporary file, and says it" ended $signal
done
limit()
{
	rm -rf ended && mkdir ended
	"$storus" generate lublin --torus 8x8 --jobs 5000 --seed 1 >many.csv 2>/dev/null ||
		"$storus" generate --help | head -3
	(ulimit -f 4 && exec "$storus" replay --torus 8x8 --schedule ended/out.csv many.csv) >said 2>&1
	[ $? = 3 ] && grep -q 'File too large' said && [ -z "$(ls ended)" ] ||
		{ cat said; ls ended; return 1; }
}
check "a file beyond the limit of its size is trouble, and no file stays" limit

full()
{
	"$@" >/dev/full 2>said
	[ $? = 3 ] && [ "$(grep -vc "notice:" said)" = 1 ] || { cat said; return 1; }
}
[ -w /dev/full ] && for words in 'map --torus good.yaml' 'map --torus good.yaml --json' \
	'snapshot --torus good.yaml' 'replay --torus good.yaml --schedule - good.csv' \
	'replay --torus good.yaml --json good.csv' 'list' 'metrics --snapshot snap' \
	'ranks --torus good.yaml --geometry 2x2' 'check-config good.yaml' 'place --torus good.yaml --geometry 2x2' \
	'--help' 'generate lublin --torus 8x8 --jobs 9 --seed 1'; do
	# shellcheck disable=SC2086 # words
	check "a full disk is said once: $words" full "$storus" $words
done

# weekly_ended SIGNAL
weekly_ended()
{
	rm -rf ended && mkdir ended
	printf '%s\n' '#!/bin/sh' >ended/chart
	(
		exec env --default-signal TMPDIR="$tmp/ended" "$storus" weekly --torus 8x8 \
			--chart ended/chart --output ended/week.html week.csv >said 2>&1
	) &
	pid=$!
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
		ls ended/storus-*/*.csv.?????? >/dev/null 2>&1 && break
		sleep 0.05
	done
	kill -s "$1" $pid
	wait $pid
	status=$?
	[ $status -gt 128 ] && [ "$(cd ended && echo *)" = chart ] &&
		[ -z "$(pgrep -f "$tmp/ended")" ] && grep -q "SIG$1: .*week.html is not written" said ||
		{ echo "status $status"; cat said; ls -R ended; pgrep -af "$tmp/ended"; return 1; }
}
awk 'BEGIN { print "id,submit,run,nodes,start"
	for (i = 1; i < 60000; i++) printf "%d,%d,3000,%d,%d\n", i, i * 30, 1 + i % 7, i * 30 }' >week.csv
for signal in TERM HUP INT QUIT; do
	check "weekly ended by SIG$signal leaves no file and no child" weekly_ended $signal
done

tune_ended()
{
	(exec env --default-signal "$storus" tune --torus flat:64 --json="$tmp/tuned" week.csv >said 2>&1) &
	pid=$!
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
		pgrep -P $pid >/dev/null && break
		sleep 0.1
	done
	kill -s "$1" $pid
	wait $pid
	[ $? -gt 128 ] && for _ in 1 2 3 4 5 6 7 8 9 10; do
		pgrep -f "json=$tmp/tuned" >/dev/null || break
		sleep 0.1
	done
	[ ! -e tuned ] && [ -z "$(pgrep -f "json=$tmp/tuned")" ] ||
		{ cat said; pgrep -af "json=$tmp/tuned"; return 1; }
}
for signal in TERM HUP; do
	check "tune ended by SIG$signal leaves no child" tune_ended $signal
done

# Damaged results

damaged()
{
	"$storus" replay --torus good.yaml --schedule d.csv good.csv >/dev/null 2>&1
	printf '%s' "$1" >d.csv.json
	"$storus" report --torus good.yaml --output d.html d.csv >said 2>&1
	[ $? = 2 ] && grep -q 'd.csv.json is damaged' said && [ ! -e d.html ] ||
		{ cat said; return 1; }
}
check "an empty summary is called damaged" damaged ''
check "a torn summary is called damaged" damaged '{"schema": 1, "mean_wait_s": 4.'
check "a summary of other things is called damaged" damaged '[]'


# a changed byte, wherever the trace's name stands: in rows and in indices
index()
{
	"$storus" sweep campaign.yaml >/dev/null 2>said || { cat said; return 1; }
	"$storus" sweep campaign.yaml --show >want 2>&1
	cp campaign.db whole.db
	found=0
	for at in $(LC_ALL=C grep -aob good.csv whole.db | cut -d: -f1); do
		for now in X '\\001' '\\377'; do
			cp whole.db campaign.db
			# shellcheck disable=SC2059 # an escape
			printf "$now" | dd of=campaign.db bs=1 seek="$at" conv=notrunc 2>/dev/null
			"$storus" sweep campaign.yaml --show >got 2>&1
			status=$?
			[ $status = 3 ] && grep -q 'damaged' got ||
				{ echo "byte $at: status $status"; cat got; return 1; }
		done
		found=$((found + 1))
	done
	echo "$found places"
	[ $found -gt 1 ]
}
printf 'traces: [good.csv]\nmachines: [4x4]\ndisciplines: [fcfs, easy, conservative]\n' >campaign.yaml
check "a changed byte in a row or an index of the results is damage" index
tap_done
