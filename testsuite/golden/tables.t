#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Rows in every form: as CSV, with chosen columns, within a width. The commands and the
# sources are those of questions.t and others.
. "$(dirname "$0")/lib-golden.sh"

# Each command that prints rows, as NAME COMMAND...
tables()
{
	snap="--snapshot ../questions/cluster.snap"
	cat <<-END
	slots slots 2x2 4x4 $snap
	defrag defrag 4x4 $snap
	what-if what-if $snap
	explain explain 22 $snap
	explain-running explain 11 $snap
	place place --geometry 2x2 $snap --all
	place-no place --geometry 9x9 $snap
	ranks ranks --geometry 2x2 $snap
	reserve reserve 2x2 --duration 5 --dry-run $snap
	node node west:1,0,0 --torus ../node/two.yaml
	link link list --torus ../link/torus.yaml
	reservations reservations --file ../monitoring/plan
	list list formats
	check-config check-config ../check-config/full.yaml
	plan-cnp plan cnp --torus 8x8 --jobs ../plan/cnp.csv
	plan-preemptive plan preemptive --torus 16 --jobs ../plan/preemptive.csv
	import import tpu v5e --nodes tpu[00-63]
	END
}

# The columns of a command as completion lists them, in one line.
keys() # COMMAND
{
	storus --words "$1" -o | paste -s -d , -
}

# Each with the same options.
each() # OPTION...
{
	tables | while read -r each_name each_words; do
		echo "\$ $each_name"
		# shellcheck disable=SC2086
		storus $each_words "$@"
		echo "status $?"
	done
}
golden csv each --csv
golden csv-rows-alone each --csv --noheader
width()
{
	(export COLUMNS=60 && each)
}
golden width width
# So do sentences, but for words that are longer.
sentences()
{
	tables | while read -r each_name each_words; do
		# shellcheck disable=SC2086
		COLUMNS=40 storus $each_words 2>/dev/null | grep -v ^scontrol |
			awk -v of="$each_name" 'length > 40 && NF > 1 { print of ": " $0 }'
	done
}
golden sentences_fit_a_width sentences
# A name in UTF-8 takes its columns, not its bytes: an accent of its own none, an ideograph two.
utf8()
{
	for name in "$(printf 'A\314\212d\303\244')" "$(printf 'm\345\261\261')"; do
		sed "s/ada/$name/g" ../questions/cluster.snap >"$golden_tmp/utf8.snap"
		for command in 'defrag 4x4' what-if 'explain 11' 'what-if -o %.2u|%.9i' \
			'defrag 4x4 -o %2u|%5i'; do
			for columns in 40 80; do
				export COLUMNS=$columns
				# shellcheck disable=SC2086
				storus $command --snapshot "$golden_tmp/utf8.snap" |
					grep -v 'old\.$' >"$golden_tmp/got"
				# shellcheck disable=SC2086
				storus $command --snapshot ../questions/cluster.snap |
					grep -v 'old\.$' >"$golden_tmp/ascii"
				case $command in
				*-o*) cat "$golden_tmp/got" ;;
				*) sed "s/$name/ada/g" "$golden_tmp/got" | diff "$golden_tmp/ascii" - ;;
				esac
			done
		done
	done
}
golden a_name_in_utf8_takes_its_columns utf8
# What everybody looks at fits a terminal of 80 columns.
wide()
{
	(unset COLUMNS
		storus --help
		storus examples
		storus list
		storus experiment --list
		storus tune ../../../doc/lab/site.sacct --torus 4x4x4
		storus validate ../../../doc/lab/site.sacct --torus 4x4x4) 2>/dev/null |
		awk 'length > 80 { print } END { print (NR > 100) }'
}
golden nothing_is_wider_than_80_columns wide

# The last two of its columns and the first, by their keys, in a table and in CSV.
chosen()
{
	tables | while read -r chosen_name chosen_words; do
		chosen_keys=$(storus --words "${chosen_words%% *}" -o |
			awk '{ k[NR] = $1 } END { print k[NR - 1] "," k[NR] "," k[1] }')
		for chosen_form in --noheader --csv; do
			echo "\$ $chosen_name $chosen_form -o $chosen_keys"
			# shellcheck disable=SC2086
			storus $chosen_words $chosen_form -o "$chosen_keys"
		done
	done
}
golden chosen chosen

# CSV has the columns that completion and --help list, in that order; -o takes them all.
columns()
{
	tables | while read -r columns_name columns_words; do
		columns_keys=$(keys "${columns_words%% *}")
		# shellcheck disable=SC2086
		{
			storus $columns_words --csv >"$golden_tmp/rows"
			storus $columns_words --csv -o "$columns_keys" >"$golden_tmp/all"
		}
		case $columns_name in
		node|plan-*|ranks) ;; # they have those of what was asked
		*) [ "$(head -n 1 "$golden_tmp/rows")" = "$columns_keys" ] ||
			echo "$columns_name: other columns"
			cmp "$golden_tmp/rows" "$golden_tmp/all" ;;
		esac
		storus "${columns_words%% *}" --help |
			sed -n '/^Columns:/,/^$/ { s/ (%[^)]*)//g; p; }' | sed 1d |
			tr -d ' \n' | grep -qx "$columns_keys" || echo "$columns_name: other help"
	done
}
golden columns columns

# A file appears whole; CSV and JSON exclude each other; mistakes name what is known.
wrong()
{
	snap="--snapshot ../questions/cluster.snap"
	for wrong_words in "--csv --json" "--json --csv=x" "-o shape,place" "-o shape," \
		"-o SHAPE" "--csv=$golden_tmp/no/such.csv" "--csv $golden_tmp/slots.csv"; do
		# shellcheck disable=SC2086
		storus slots 2x2 $snap $wrong_words 2>&1 | sed "s#$golden_tmp/##g"
	done
	# shellcheck disable=SC2086
	storus slots 2x2 9x9*2x $snap --csv="$golden_tmp/half.csv"
	ls "$golden_tmp" | grep csv
	# shellcheck disable=SC2086
	storus slots 2x2 $snap --csv="$golden_tmp/slots.csv" && cat "$golden_tmp/slots.csv"
	for wrong_command in "map --fit 2x2 $snap" "metrics $snap" "snapshot --torus 4x4"; do
		# shellcheck disable=SC2086
		storus $wrong_command --csv
	done
}
golden wrong wrong

# Quotes as in RFC 4180, which another program reads.
quotes()
{
	sed 's/ada/a"d,a/' ../questions/cluster.snap >"$golden_tmp/quotes.snap"
	storus defrag 4x4 --snapshot "$golden_tmp/quotes.snap" --csv | python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    print(row["job"], row["user"], row["region"])'
}
golden quotes quotes

golden_done
