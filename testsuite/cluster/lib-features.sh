# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh disable=SC1010,SC2016,SC2030,SC2031,SC2034,SC2086,SC2102,SC2154,SC2283
#
# lib-features.sh - what t70-slurm-features.t is made of: the clusters, the words
# of slurm-features.cases, and what a job's outcome is written as. After
# lib-cluster.sh.
#
# slurm-features.cases holds records, separated by empty lines:
#
#     # HEADING            a table of its own
#     * FEATURE            the first column
#     means: TEXT          optional: what a torus makes of it, where its outcome
#                          is another than stock Slurm's but not wrong
#     when: PATTERN        of that outcome; needed with means:
#     COMMAND...           shell, with the words below; the second column

# The machine of every cluster: 4x2 nodes of 2 sockets with 2 cores, 2 GPUs.
features_ours='torus+backfill torus+torus torus_cons_tres+backfill
	torus_cons_tres+torus'
features_clusters="linear cons_tres $features_ours"

# features_split FILE: a directory for each record: heading, feature, means, when
# and commands.
features_split() {
	awk '
		/^# / { heading = substr($0, 3); next }
		/^\* / {
			dir = sprintf("cases/%03d", ++n)
			system("mkdir -p " dir)
			put("heading", heading)
			put("feature", substr($0, 3))
			next
		}
		/^$/ { dir = "" }
		dir == "" { next }
		/^means: / { put("means", substr($0, 8)); next }
		/^when: / { put("when", substr($0, 7)); next }
		{ put("commands", $0) }
		function put(name, text) {
			print text >>(dir "/" name)
			close(dir "/" name)
		}' "$1"
}

# features_thin: every third record is enough.
features_thin() {
	features_n=0
	for features_dir in cases/*; do
		features_n=$((features_n + 1))
		[ $((features_n % 3)) = 1 ] || rm -r "$features_dir"
	done
}

# ------------------------------------------------------- the words of a command

# job OPTION...: submits a job; the n-th of a case has the number $jn, 0 where it
# was refused.
job() {
	features_jobs=$((features_jobs + 1))
	features_id=$(sbatch --parsable --output=/dev/null --time=5 \
		--wrap 'exec sleep 300' "$@" 2>said) || {
		features_id=0
		features_said >"said.$features_jobs"
	}
	eval "j$features_jobs=$features_id"
}

# attempt COMMAND...: a command that ends by itself; its outcome is noted.
attempt() {
	if timeout 20 "$@" >/dev/null 2>said </dev/null; then
		echo "exit 0"
	else
		features_said
	fi
}

# see FIELD...: what is compared, too: fields of scontrol show job.
see() {
	features_see=$*
}

# note: the outcome now; and again at the end.
note() {
	features_outcome
}

# end: the outcome now; then there are no jobs any more.
end() {
	features_outcome
	features_clear
}
features_clear() {
	features_jobs=0
	scancel -u "$(id -un)" 2>/dev/null
	wait_for 30 squeue_is_empty >/dev/null
}
squeue_is_empty() {
	[ -z "$(squeue -h -o %i)" ]
}
features_idle() {
	[ "$(sinfo -h -N -p main -t idle -o %N | wc -l)" = 8 ]
}

# features_reset: reconfigures, which select/linear needs after --no-kill, and
# sets again what that has undone.
features_reset() {
	scontrol reconfigure
	features_settings
	wait_for 20 features_idle >/dev/null
}

# until_state JOB STATE: waits until then; so that the outcome is what follows.
until_state() {
	eval "features_id=\$j$1"
	[ "$features_id" = 0 ] || wait_state "$features_id" "$2" 25 >/dev/null
}

# ----------------------------------------------------------------- the outcome

# features_said: what a refused command has said, from file `said`.
features_said() {
	sed -n -e 's/^[a-z]*: error: //' -e 's/^[0-9]*: //' -e 's/\([jJ]ob\|JobId=\)\( *\)[0-9][0-9]*/\1\2N/g' -e '/./p' said | awk '
		/torus: / && !ours { ours = $0 }
		!/^(Batch|Job) (job )?submission failed/ { last = $0 }
		{ any = $0 }
		END { print "refused: " (ours ? ours : last ? last : any) }'
}

# features_reason TEXT: reasons that mean the same in the same words.
features_reason() {
	case $1 in
	Resources | Priority | ReqNodeNotAvail*) echo "waits for nodes" ;;
	*[!A-Za-z]*) echo "waits for nodes" ;; # in sched/torus's words
	*) echo "$1" ;;
	esac
}

# features_record: one line of scontrol --oneliner show job, as an outcome.
features_record() {
	features_line=$1
	features_state=$(features_key JobState)
	case $features_state in
	PENDING)
		features_text=$(printf '%s\n' "$features_line" |
			sed 's/.* Reason=\(.*\) Dependency=.*/\1/')
		printf 'PENDING (%s)' "$(features_reason "$features_text")"
		;;
	RUNNING)
		printf 'RUNNING nodes=%s cpus=%s' "$(features_key NumNodes)" \
			"$(features_key NumCPUs)"
		;;
	*) printf '%s' "$features_state" ;;
	esac
	for features_field in $features_see; do
		printf ' %s=%s' "$features_field" "$(features_key "$features_field")"
	done
	# the nodes of a shape are counted, not believed
	case $features_state$features_line in
	RUNNING*torus:place=*)
		printf ' [%s]' "$(expand_nodes "$(features_key NodeList)" |
			box_extent 4x2)"
		;;
	esac
	echo
}
features_key() {
	case $features_line in
	*" $1="*)
		features_value=${features_line#*" $1="}
		printf '%s' "${features_value%% *}"
		;;
	esac
}

# features_outcome: of all jobs of the case, once they have settled: a job that
# waits is believed after 3 seconds.
features_outcome() {
	features_end=$(($(date +%s) + 3))
	while squeue -h -t PD -o %i | grep -q . && [ "$(date +%s)" -le "$features_end" ]; do
		sleep 0.5
	done
	features_i=0
	while [ $features_i -lt "$features_jobs" ]; do
		features_i=$((features_i + 1))
		eval "features_id=\$j$features_i"
		if [ "$features_id" = 0 ]; then
			cat "said.$features_i"
			continue
		fi
		scontrol --oneliner show job "$features_id" >records 2>/dev/null
		while read -r features_line; do
			features_record "$features_line"
		done <records | sort | uniq -c |
			sed -e 's/^ *1 //' -e 's/^ *\([0-9]*\) /\1 x /' |
			paste -sd '|' - | sed 's/|/, /g'
	done
}

# features_case DIR: runs it, and prints its outcome, a line.
features_case() {
	features_jobs=0
	features_see=
	# shellcheck disable=SC1091
	{
		. "$1/commands"
		[ $features_jobs = 0 ] || features_outcome
	} </dev/null | awk '{ printf "%s%s", (NR > 1 ? " / " : ""), $0 } END { print "" }'
	features_clear
}

# ---------------------------------------------------------------- the clusters

# features_cluster NAME: boots it, runs every case, leaves the outcomes in
# NAME/outcome.NNN. In a shell of its own.
features_cluster() (
	mkdir "$1" && cd "$1" || exit 1
	EXIT_OK=t
	features_name=$1
	features_select=${1%+*}
	features_sched=backfill
	shape=-N4
	set --
	case $features_select in
	torus*)
		[ "${features_name##*+}" != torus ] || features_sched=torus
		shape=--geometry=2x2
		features_yaml >torus.yaml
		set -- --torus torus.yaml
		;;
	esac
	case $features_select in
	*cons_tres) set -- "$@" --set SelectTypeParameters=CR_Core_Memory ;;
	*) set -- "$@" --set SelectTypeParameters=CR_Memory ;;
	esac
	cluster_start --nodes 8 --cpus 4 --gres gpu:2 --node Sockets=2 \
		--node CoresPerSocket=2 --node RealMemory=4000 --node TmpDisk=1000 \
		--set DefMemPerCPU=100 --set Licenses=tape:2 \
		--select "$features_select" --sched "$features_sched" "$@"
	features_settings || exit 1
	features_run ../cases/*
	: >done
	while [ ! -e ../again ]; do sleep 0.2; done
	# shellcheck disable=SC2046  # a list of directories
	features_run $(cat ../again)
)

features_run() { # DIR...
	for features_dir; do
		features_case "$features_dir" >outcome 2>>errors
		mv outcome "outcome.${features_dir##*/}"
	done
}

features_yaml() {
	torus_yaml '4, 2'
	[ $features_sched != torus ] ||
		printf 'scheduler:\n  discipline: easy\n  order: priority\n'
}

# What slurm.conf would say of single nodes and of further partitions.
features_settings() {
	scontrol update nodename=node[00,04] features=fast &&
		scontrol update nodename=node[01,05] features=fast,big &&
		scontrol update nodename=node[02,06] features=slow,big &&
		scontrol update nodename=node[03,07] features=slow &&
		scontrol create partitionname=small nodes=node[00,01,04,05] \
			maxtime=10 state=up &&
		scontrol create partitionname=shared nodes=ALL state=up \
			oversubscribe=yes:4 &&
		scontrol create partitionname=forced nodes=ALL state=up \
			oversubscribe=force:2
}

# ------------------------------------------------------------------- the table

# features_table: doc/slurm-features.md, from the outcomes.
features_table() {
	cat "$cluster_lib/slurm-features.head"
	: >notes
	: >cells
	features_heading=
	for features_dir in cases/*; do
		if [ "$(cat "$features_dir/heading")" != "$features_heading" ]; then
			features_heading=$(cat "$features_dir/heading")
			printf '\n## %s\n\n| feature | jobs | %s |\n| --- | --- | --- | --- | --- | --- |\n' \
				"$features_heading" \
				"torus, backfill | torus, torus | cons, backfill | cons, torus"
		fi
		features_row "$features_dir"
	done
	printf '\n## Notes\n\n'
	sed = notes | sed 'N; s/\n/. /'
	printf '\n## How many\n\n| cell | number |\n| --- | --- |\n'
	sort cells | uniq -c | awk '{ n = $1; sub(/^ *[0-9]+ /, ""); print "| " $0 " | " n " |" }'
	echo # what release notes say stays, and what t35-node-table.t has found
	sed -n '/^## Since Slurm 22.05$/,$p' "$doc"
}

features_row() {
	printf '| %s | `%s` |' "$(cat "$1/feature")" \
		"$(features_words "$1/commands")"
	for features_name in $features_ours; do
		features_stock=linear
		[ "${features_name#*cons_tres}" = "$features_name" ] || features_stock=cons_tres
		features_cell "$features_name/outcome.${1##*/}" \
			"$features_stock/outcome.${1##*/}" "$1" >cell
		cut -f 1 cell >>cells
		features_note=$(cut -s -f 2- cell)
		if [ -n "$features_note" ]; then
			grep -Fxq -e "$features_note" notes ||
				printf '%s\n' "$features_note" >>notes
			printf ' %s [%s] |' "$(cut -f 1 cell)" \
				"$(grep -Fxn -e "$features_note" notes | cut -d : -f 1)"
		else
			printf ' %s |' "$(cat cell)"
		fi
	done
	echo
}

# features_words COMMANDS: the jobs, as the second column has them.
features_words() {
	sed -n -e 's/^job //p' -e 's/^attempt //p' -e 's/^scancel/&/p' "$1" |
		sed -e 's/\$shape/SHAPE/g' -e 's/|/\\|/g' -e 's/\$j\([0-9]\)/job\1/g' |
		paste -sd ';' - | sed 's/;/; /g'
}

# features_cell OURS STOCK CASE: the cell, and behind a tab what explains it.
features_cell() {
	features_got=$(sed 's/ \[[0-9x]*\]//g' "$1")
	features_want=$(cat "$2")
	if [ "$features_got" = "$features_want" ] ||
		[ "$(features_refusals "$features_got")" = "$(features_refusals "$features_want")" ]; then
		if grep -q ' \[' "$1"; then
			echo "as stock, a box"
		else
			echo "as stock"
		fi
	elif grep -q 'refused: torus: ' "$1"; then
		printf 'refused\t%s\n' "$(sed -e 's/.*refused: torus: //' -e 's| / .*||' "$1")"
	elif [ -s "$3/when" ] && grep -Eq -f "$3/when" "$1"; then
		printf 'torus\t%s\n' "$(cat "$3/means")"
	elif grep -q ' \[' "$1" && [ "$(printf '%s\n' "$features_got" | features_no_cpus)" = \
		"$(printf '%s\n' "$features_want" | features_no_cpus)" ]; then
		printf 'torus\t%s\n' "a box; all CPUs of its nodes are the job's"
	else
		printf '**differs**\there %s; stock %s\n' "$(cat "$1")" "$features_want"
	fi
}

# features_refusals OUTCOME: it, whatever words Slurm's refusals are in.
features_refusals() {
	printf '%s / \n' "$1" | sed 's| / |\n|g' |
		sed '/^refused: torus: /!s/^refused: .*/refused/'
}
features_no_cpus() {
	sed 's/ cpus=[0-9]*//g'
}

# features_other DOC: the cases whose rows are not in it, whatever the numbers of
# their notes; where it is to be made, those that differ.
features_other() {
	: >notes
	sed 's/ \[[0-9]*\]//g' "$1" >rows.doc
	for features_dir in cases/*; do
		features_row "$features_dir" | sed 's/ \[[0-9]*\]//g' >row
		if [ "$regenerate" = 1 ]; then
			grep -Fq '**differs**' row
		else
			! grep -Fxq -f row rows.doc
		fi && echo "../$features_dir"
	done
	true
}
