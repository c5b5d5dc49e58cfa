#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# HACKING.md's recipes, followed in a copy of the tree: a strategy, a discipline, a
# trace format, a drawer and a subcommand are their file, a line in the registry and a
# line in Makefile.inc. Without another edit they pass the property tests and appear in
# `storus list`, the manual page, a replay, the help and the completion. A word of a
# request is a row, and in request.c what it means: it appears in sbatch, storus, traces,
# journals, snapshots and AdminComment.
. "$(dirname "$0")/../lib-tap.sh"
skip_if_short highest.c lcfs.c brief.c map_csv.c word.c
skip_without autoreconf libtoolize make tar
source_dir=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/torus-recipes-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

copy()
{
	tar -C "$source_dir" --exclude='./build*' --exclude=./.git \
		--exclude=./autom4te.cache -cf - . | tar -C "$work" -xf - &&
		chmod -R u+w "$work"
}

# after_line FILE PATTERN LINE: adds LINE behind the one line that matches
after_line()
{
	[ "$(grep -c "$2" "$1")" = 1 ] && sed -i "/$2/a\\
$3" "$1"
}

strategy()
{
	cp "$work/testsuite/recipes/highest.c" "$work/src/placement/" &&
		after_line "$work/src/placement/strategies.h" 'X(flat)' \
			'	X(highest) \\' &&
		after_line "$work/src/placement/Makefile.inc" \
			'src\/placement\/flat.c' '	src/placement/highest.c \\'
}

discipline()
{
	cp "$work/testsuite/recipes/lcfs.c" "$work/src/discipline/" &&
		after_line "$work/src/discipline/disciplines.h" 'X(fcfs)' \
			'	X(lcfs) \\' &&
		after_line "$work/src/discipline/Makefile.inc" \
			'src\/discipline\/fcfs.c' '	src/discipline/lcfs.c \\'
}

format()
{
	cp "$work/testsuite/recipes/brief.c" "$work/src/trace/" &&
		after_line "$work/src/trace/formats.h" 'X(swf)' \
			'	X(brief) \\' &&
		after_line "$work/src/trace/Makefile.inc" \
			'src\/trace\/formats\/swf.c' '	src/trace/brief.c \\'
}

drawer()
{
	cp "$work/testsuite/recipes/map_csv.c" "$work/src/report/" &&
		after_line "$work/src/report/map.h" 'X(png)' \
			'	X(csv) \\' &&
		after_line "$work/src/report/Makefile.inc" \
			'src\/report\/map_terminal.c' '	src/report/map_csv.c \\'
}

subcommand()
{
	cp "$work/testsuite/recipes/hello.c" "$work/src/storus/" &&
		after_line "$work/src/storus/storus.h" 'X(link)' \
			'	X(hello) \\' &&
		after_line "$work/src/storus/Makefile.inc" \
			'src\/storus\/operate\/link.c' '	src/storus/hello.c \\' &&
		echo 'The greeting is short.' >"$work/doc/commands/storus-hello.1.in" &&
		after_line "$work/doc/Makefile.inc" \
			'doc\/commands\/storus-link.1' '	doc/commands/storus-hello.1 \\'
}

# before_line FILE PATTERN LINE: adds LINE before the one line that matches
before_line()
{
	[ "$(grep -c "$2" "$1")" = 1 ] && sed -i "/$2/i\\
$3" "$1"
}

word() # --tagged: a row; a member of the question; its value, and its column
{
	before_line "$work/include/torus/request_words.h" 'X(links, TEXT' \
		'	X(tagged, FLAG, "tagged", TAGGED, tagged, NULL, NULL, "a word of the recipes") \\' &&
		after_line "$work/include/torus/ask.h" 'bool weak;' \
			'	bool tagged;' &&
		after_line "$work/src/request/request.c" 'ask.weak = weak;' \
			'		r.alternative[i].ask.tagged = words->tagged;' &&
		before_line "$work/src/request/request.c" '^#define REQUEST_ROW' \
			'static int request_write_tagged(const struct torus_job_request *request, char *buffer, size_t size)\
{ return snprintf(buffer, size, "%s", request->alternative[0].ask.tagged ? "yes" : ""); }'
}

# The source of Slurm that this build was configured with, or nothing: no plugins.
slurm_src=$(sed -n "s/^ *[$] .*--with-slurm-src=\([^ ']*\).*/\1/p" "${top_builddir:-.}/config.log" 2>/dev/null)
[ -d "$slurm_src/src" ] || slurm_src=

build()
{
	cd "$work" && autoreconf -fi &&
		./configure "--with${slurm_src:+-slurm-src=}${slurm_src:-out-slurm}" --disable-dependency-tracking CFLAGS=-O0 &&
		make -j2 ${slurm_src:+plugins/spank_torus.la} storus doc/slurm-torus-lists.7 doc/commands/storus-hello.1 \
			testsuite/property/prop_state \
			testsuite/property/prop_schedule
}

property() # NAME: the property test, with its short settings
{
	cd "$work" && TORUS_TEST_SHORT=1 TORUS_STRATEGY=highest ./testsuite/property/"$1"
}

listed() # OPTION NAME
{
	"$work/storus" list | grep -q "^  $2 " &&
		grep -q "^.fB$2.fR" "$work/doc/slurm-torus-lists.7" &&
		"$work/storus" --words replay "--$1" | grep -qx "$2"
}

replayed()
{
	printf 'id,submit,run,nodes\n1,0,10,4\n2,1,10,4\n3,2,10,4\n' |
		"$work/storus" replay --torus flat:4 --strategy highest \
			--discipline lcfs --schedule - - |
		grep -q '^3,2,10,20,completed,'
}

# Job 2 has waited 19 s and job 3 9 s when the first nodes are free at 10 s and 20 s.
patient() # an option and the time decide the order, in a replay and in a campaign
{
	printf 'id,submit,run,nodes\n1,0,10,4\n2,1,10,4\n3,2,10,4\n4,15,10,4\n' >"$work/jobs.csv" &&
		"$work/storus" replay --torus flat:4 --discipline lcfs \
			--schedule - "$work/jobs.csv" | cut -d, -f1,3 >"$work/lcfs.csv" &&
		printf 'id,start\n1,0\n3,10\n4,20\n2,30\n' | diff - "$work/lcfs.csv" &&
		"$work/storus" replay --torus flat:4 --discipline lcfs \
			--option patience=15s --schedule - "$work/jobs.csv" |
		cut -d, -f1,3 >"$work/patient.csv" &&
		printf 'id,start\n1,0\n3,10\n2,20\n4,30\n' | diff - "$work/patient.csv" &&
		printf 'traces: [jobs.csv]\nmachines: [flat:4]\ndisciplines: [lcfs, fcfs]\noptions: {patience: 15s}\n' >"$work/campaign.yaml" &&
		"$work/storus" sweep "$work/campaign.yaml" --output "$work/results.db" >/dev/null
}

# refused WORD..: exit 2 after a line with the options that the discipline has
refused()
{
	"$work/storus" replay --torus flat:4 --discipline lcfs --option "$1" \
		"$work/jobs.csv" 2>"$work/refused"
	[ $? = 2 ] && grep -q "$2" "$work/refused"
}

recognized() # the format by its first line; a wrong line is named
{
	printf 'job 0 10 4\njob 1 10 4\n' | "$work/storus" replay --torus flat:4 \
		--discipline fcfs --schedule - - |
		grep -q '^2,1,10,20,completed,' &&
		printf 'job 0 10 4\njob 1 ten 4\n' |
		"$work/storus" replay --torus flat:4 --strict - 2>&1 |
			grep -q ':2: expected job SUBMIT RUN NODES'
}

drawn() # by the file's ending, which a message about another one names
{
	cd "$work" && ./storus map --torus 4x4 --busy 0,1+1x2 --output map.csv &&
		printf 'node,job\n4,1\n8,1\n' >map.expected &&
		diff map.expected map.csv &&
		./storus map --torus 4x4 --output map.xyz 2>&1 |
			grep -qF '.csv (a line per busy node)'
}

greets()
{
	[ "$("$work/storus" hello --name torus)" = "hello torus" ] &&
		"$work/storus" --help | grep -q '^  hello ' &&
		"$work/storus" --words | grep -qx hello &&
		"$work/storus" examples hello | grep -q 'storus hello' &&
		grep -q 'greeting is short' "$work/doc/commands/storus-hello.1" &&
		grep -q 'name.fR .fINAME.fR' "$work/doc/commands/storus-hello.1"
}

helper() # the program word.c, with the copy's library
{
	cd "$work" && cc -D_GNU_SOURCE -rdynamic -Iinclude -Isrc -I. -o word testsuite/recipes/word.c \
		.libs/libtorus.a -lyaml -lpthread -lm -ldl
}

registered() # in sbatch, salloc and srun
{
	"$work/word" options "$work/plugins/.libs/spank_torus.so" |
		grep -qx -e '--tagged  a word of the recipes'
}

helped() # in the help and the completion of the commands that take a request
{
	for command in update place slots defrag ranks map; do
		"$work/storus" "$command" --help | grep -q -e '--tagged .*a word of the recipes' &&
			"$work/storus" --words "$command" | grep -qx -e --tagged || return
	done
}

traced() # the column is read and written; a wrong value is named
{
	cd "$work" && printf 'id,submit,run,geometry,tagged\n1,0,10,2x2,yes\n2,0,10,2x2,no\n' >tagged.csv &&
		./storus generate --from tagged.csv --jobs 2 >again.csv &&
		grep -q '^id,.*,rotate,tagged,links,' again.csv &&
		[ "$(grep -c ',2x2,,,yes,,' again.csv)" = 1 ] &&
		sed 's/,no/,maybe/' tagged.csv | ./storus replay --torus 4x4 --strict - 2>&1 |
		grep -q 'tagged: got "maybe", expected yes or no'
}

journaled() # with its column, which is read again
{
	cd "$work" && ./word journal 'geometry=2x2;tagged' &&
		grep -q '^id,.*,placement,tagged,links,' word.journal &&
		grep -q '^7,.*,"2x2",,,,yes,,,60' word.journal
}

snapped() # a snapshot's key is read, and written again
{
	cd "$work" && printf 'torus-snapshot 1\nmachine 4x4\npending id=1 priority=0 geometry=2x2 tagged=1\n' >in.snap &&
		./storus snapshot --snapshot in.snap | grep -q '"tagged": *true' &&
		./storus what-if --snapshot in.snap --submit '--geometry=2x2 --tagged -t 1' &&
		! sed 's/tagged=1/tagged=2/' in.snap | ./storus snapshot --snapshot - >/dev/null 2>why &&
		grep -q 'tagged: got "2", expected 1' why
}

commented() # AdminComment and job updates
{
	[ "$("$work/word" comment 'geometry=2x2;tagged;links=weak')" = 'torus:ask=2x2;tagged;links=weak' ] &&
		! "$work/word" comment 'geometry=2x2;tagged=1'
}

check 'the tree is copied' copy
check 'a strategy is its file and two lines' strategy
check 'a discipline is its file and two lines' discipline
check 'a trace format is its file and two lines' format
check 'a drawer is its file and two lines' drawer
check 'a subcommand is its file, its page and three lines' subcommand
check 'a word of a request is a row, and what it means' word
check 'the copy builds' build
check 'prop_state holds for the new strategy' property prop_state
check 'prop_schedule holds for the new discipline' property prop_schedule
check 'the strategy is listed, in the manual and completed' listed strategy highest
check 'the discipline is listed, in the manual and completed' listed discipline lcfs
check 'a replay uses both' replayed
check 'an option and the time decide the order of the queue' patient
check 'another option is refused with those there are' refused hurry=15s 'lcfs has patience'
check 'a wrong value is refused with those there are' refused patience=15y 'none|DURATION'
check 'the trace format is listed, in the manual and completed' listed format brief
check 'a replay reads the trace format, and names a wrong line' recognized
check 'the drawer draws, and a wrong ending names it' drawn
check 'the subcommand runs, and the help and the completion know it' greets
check 'the program that uses the library builds' helper
if [ -n "$slurm_src" ]; then
	check 'sbatch has the word as an option' registered
else
	tap_skip 'sbatch has the word as an option' 'built without Slurm'
fi
check 'the help and the completion have the word' helped
check 'traces have the word as a column' traced
check 'journals have the word as a column' journaled
check 'snapshots have the word' snapped
check 'AdminComment and job updates have the word' commented
tap_done
