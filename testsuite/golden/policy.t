#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Policies of one's own: a command behind a pipe, a shared object; right ones decide as the
# built-in discipline of the same order, wrong ones end with one line.
. "$(dirname "$0")/lib-golden.sh"
examples=$(cd "$top_srcdir/contribs/examples/policies" && pwd)
headers=$(cd "$top_srcdir/include" && pwd)

cat >"$golden_tmp/jobs.csv" <<'X'
id,submit,run,limit,nodes,user,partition
a,0,100,200,6,u,p
b,10,50,60,8,v,p
c,20,30,40,2,u,p
7,30,200,200.5,2,,p
X

# run OPTION...: the schedule of the trace above
run()
{
	(cd "$golden_tmp" &&
		storus replay --torus flat:8 --schedule - "$@" jobs.csv)
}

# pipe SHELL: the same under a policy in shell, behind its first line
pipe()
{
	run --discipline "pipe:read -r m; $1"
}

# build NAME: a shared object of a source in the temporary directory
build()
{
	${CC:-cc} -shared -fPIC -I"$headers" -o "$golden_tmp/$1.so" "$golden_tmp/$1.c"
}

# same NAME OPTION... -- OPTION...: two replays of the long trace give one schedule
same()
{
	(cd "$golden_tmp" && storus generate lublin --jobs 2000 --seed 3 >long.swf &&
		storus replay --torus 8x4x4 --schedule one.csv $1 long.swf &&
		storus replay --torus 8x4x4 --schedule two.csv $2 long.swf &&
		cmp one.csv two.csv) >"$golden_tmp/same" 2>&1
	tap_result $? "$3" "$(cat "$golden_tmp/same")"
}

# a process in the background holds a pipe open until it has ended
background()
{
	(run --discipline "pipe:sleep 60 & exec $examples/small_first.sh" 2>&1 >/dev/null; echo "$?") |
		timeout 30 cat
}
golden the_example_in_shell_starts_the_smallest run --discipline "pipe:$examples/small_first.sh"
golden a_policy_reads_machine_queue_and_running_jobs \
	pipe 'echo "$m" >&2; while read -r l; do echo "$l" >&2; echo "{\"order\": []}"; done'
golden jobs_without_a_name_follow_by_arrival pipe 'while read -r l; do case $l in
	*queue*\"7\"*running*) echo "{\"order\":[7]}";; *) echo "{\"order\":[]}"; esac; done'
golden a_policy_is_woken_when_it_asks \
	pipe 'while read -r l; do case $l in *now_s\":5,*) echo "{\"start\":[\"a\"]}";;
	*now_s\":0,*) echo "{\"start\":[],\"wake_s\":5}";; *) echo "{\"order\":[]}"; esac; done'

golden an_unknown_id_is_refused pipe 'while read -r l; do echo "{\"order\":[\"zz\"]}"; done'
golden a_started_id_is_unknown pipe 'while read -r l; do echo "{\"start\":[\"a\"]}"; done'
golden an_id_is_named_once pipe 'while read -r l; do echo "{\"start\":[\"a\",\"a\"]}"; done'
golden half_a_line_is_refused pipe 'read -r l; printf "{\"ord"'
golden two_lines_are_refused pipe 'read -r l; printf "{\"order\":[]}\n{}\n"; read -r l; read -r l'
golden what_a_policy_leaves_in_the_background_is_ended background
golden text_is_refused pipe 'while read -r l; do echo yes; done'
golden an_unknown_key_is_refused pipe 'while read -r l; do echo "{\"order\":[],\"x\":1}"; done'
golden order_and_start_together_are_refused pipe 'while read -r l; do echo "{\"order\":[],\"start\":[]}"; done'
golden an_answer_needs_order_or_start pipe 'while read -r l; do echo "{}"; done'
golden a_time_in_the_past_is_refused pipe 'while read -r l; do echo "{\"order\":[],\"wake_s\":0}"; done'
golden a_policy_that_ends_is_refused pipe 'exit 7'
golden a_policy_that_is_killed_is_refused pipe 'kill -9 $$'
golden a_policy_that_reads_no_more_is_refused pipe 'read -r l; exec <&-; echo "{\"order\":[]}"; sleep 3'
golden a_policy_that_never_starts_a_job_hangs \
	pipe 'n=0; while read -r l; do n=$((n + 60)); echo "{\"start\":[],\"wake_s\":$n}"; done'
golden a_policy_that_starts_nothing_is_named \
	pipe 'while read -r l; do echo "{\"start\":[]}"; done'
golden a_command_is_needed run --discipline pipe:

if ${CC:-cc} --version >/dev/null 2>&1; then
	cp "$examples"/*.c "$golden_tmp"
	build least_limit && build first_nodes
	same "--discipline $golden_tmp/least_limit.so" \
		"--option queue_order=sjf --option backfill_order=sjf" \
		a_rank_of_a_file_decides_as_the_same_order_of_easy
	golden the_strategy_of_a_file_places_jobs run --strategy ./first_nodes.so
	sed 's/return job->limit_us;/return *(volatile int *)0;/' \
		"$golden_tmp/least_limit.c" >"$golden_tmp/crash.c"
	build crash
	golden a_policy_that_crashes_ends_with_a_line run --discipline ./crash.so
	sed 's/return job->limit_us;/extern void exit(int); exit(0);/' \
		"$golden_tmp/least_limit.c" >"$golden_tmp/ends.c"
	build ends
	golden a_policy_that_ends_the_process_fails run --discipline ./ends.so
	# ill NAME CODE [END]: an example with other code in rank(), and more behind it
	ill()
	{
		sed "s/return job->limit_us;/$2/" "$golden_tmp/least_limit.c" >"$golden_tmp/$1.c"
		echo "${3-}" >>"$golden_tmp/$1.c"
		build "$1"
	}
	ill blocks "extern int sigfillset(void *), sigprocmask(int, const void *, void *); \
		extern unsigned sleep(unsigned); char all[1024]; sigfillset(all); \
		for (;;) sigprocmask(0, all, 0), sleep(1);"
	run --discipline ./blocks.so >"$golden_tmp/blocks.out" 2>&1 &
	blocks=$!
	slow()
	{
		{ head -n 3 "$golden_tmp/jobs.csv"; sleep 11; tail -n 2 "$golden_tmp/jobs.csv"; } |
			storus replay --torus flat:8 --schedule - --discipline "$golden_tmp/least_limit.so" - 2>&1 |
			tail -n 2
	}
	slow >"$golden_tmp/slow.out" &
	slow=$!
	ignores()
	{
		(cd "$golden_tmp" && timeout -s KILL 60 bash -c "trap '' CHLD; exec \"\$@\"" x \
			"$golden_top/storus" replay --torus flat:8 --schedule - --discipline ./least_limit.so jobs.csv)
	}
	golden children_count_where_SIGCHLD_is_ignored ignores
	ill leaves 'extern void _exit(int); _exit(0);'
	golden a_policy_that_leaves_without_a_word_fails run --discipline ./leaves.so
	ill segfaults '*(int *)1 = 1;'
	# nothing is left of the outputs
	torn()
	{
		mkdir "$golden_tmp/torn" && cd "$golden_tmp/torn" || return
		for name in leaves segfaults; do
			storus replay --torus flat:8 --discipline "../$name.so" --schedule s.csv ../jobs.csv
			echo "$?"
		done
		ls -A
	}
	golden a_policy_that_fails_leaves_no_unfinished_files torn
	ill forks 'extern int fork(void); fork(); return job->limit_us;'
	golden a_policy_that_forks_fails run --discipline ./forks.so
	ill aborts 'extern void abort(void); abort();'
	ill loads 'return job->limit_us;' 'extern void _exit(int);
		__attribute__((constructor)) static void loads(void) { _exit(0); }'
	long=$(printf 'd%.0s' $(seq 200))
	mkdir -p "$golden_tmp/$long/$long"
	cp "$golden_tmp/loads.so" "$golden_tmp/$long/$long/long.so"
	golden a_policy_that_leaves_when_it_is_loaded_fails run --discipline "$long/$long/long.so"
	ill unloads 'return job->limit_us;' 'extern void _exit(int);
		__attribute__((destructor)) static void unloads(void) { _exit(7); }'
	golden a_policy_does_not_change_the_status run --discipline ./unloads.so
	# a campaign goes on behind such a cell
	ill_cells()
	{
		cat >"$golden_tmp/ill.yaml" <<-X
		traces: [jobs.csv]
		machines: [flat:8]
		disciplines: [easy, ./leaves.so, ./forks.so, ./aborts.so]
		X
		(cd "$golden_tmp" && storus sweep ill.yaml 2>&1 >/dev/null) |
			sed 's/@[0-9a-f]*/@HASH/' | LC_ALL=C sort
	}
	golden a_campaign_goes_on_behind_a_wrong_policy ill_cells
	wait "$blocks"
	blocks=$?
	blocks() { cat "$golden_tmp/blocks.out"; return "$blocks"; }
	golden a_policy_that_blocks_signals_and_hangs_fails blocks
	wait "$slow"
	golden a_slow_command_that_writes_the_trace_is_no_policy_that_hangs \
		cat "$golden_tmp/slow.out"
	sed 's/|= bit;/|= bit << 9;/' "$golden_tmp/first_nodes.c" >"$golden_tmp/wrong.c"
	build wrong
	golden a_place_that_is_not_free_is_refused run --strategy ./wrong.so
	sed 's/^TORUS_POLICY_D.*/struct torus_policy_module torus_policy = { .abi = 999 };/' \
		"$golden_tmp/least_limit.c" >"$golden_tmp/older.c"
	build older
	run --discipline ./older.so 2>&1 |
		grep -q '^storus replay: ./older.so: built for the policy interface 999 '
	tap_result $? the_number_of_the_interface_is_checked
	cat >"$golden_tmp/c.yaml" <<-X
	traces: [jobs.csv]
	machines: [flat:8]
	strategies: [flat, ./first_nodes.so]
	disciplines: [easy, ./least_limit.so, "pipe:$examples/small_first.sh"]
	X
	(cd "$golden_tmp" && storus sweep --output r c.yaml && storus sweep --output r c.yaml &&
		printf '\n' >>least_limit.so && storus sweep --output r c.yaml) >"$golden_tmp/out" 2>&1
	tap_result $? a_campaign_takes_policies_and_computes_changed_ones_again "$(cat "$golden_tmp/out")"
	# its first replay of the file changes it
	changing()
	{
		printf '#!/bin/sh\necho >>%s\nexec %s\n' "$golden_tmp/self.sh" \
			"$examples/small_first.sh" >"$golden_tmp/self.sh"
		chmod +x "$golden_tmp/self.sh"
		sed 's/^disciplines.*/disciplines: [easy, "pipe:self.sh"]/; s/, .*so]/]/' \
			"$golden_tmp/c.yaml" | sed "s|pipe:|pipe:$golden_tmp/|" >"$golden_tmp/self.yaml"
		(cd "$golden_tmp" && storus sweep self.yaml 2>&1 >/dev/null) |
			sed "s|$golden_tmp|TMP|g; s/@[0-9a-f]*/@HASH/g"
	}
	printf 'NodeName=n[0-7]\nPartitionName=p Nodes=ALL Default=YES\n' >"$golden_tmp/a.conf"
	conf_changing() # a policy before it changes slurm.conf
	{
		printf '#!/bin/sh\necho Epilog=/x >>%s\nexec %s\n' "$golden_tmp/a.conf" \
			"$examples/small_first.sh" >"$golden_tmp/other.sh"
		chmod +x "$golden_tmp/other.sh"
		cat >"$golden_tmp/conf.yaml" <<-X
		traces: [jobs.csv]
		machines: [flat:8]
		disciplines: ["pipe:$golden_tmp/other.sh", slurm-backfill]
		options: {slurm_conf: a.conf}
		X
		(cd "$golden_tmp" && storus sweep --workers 1 conf.yaml 2>&1 >/dev/null) |
			sed "s|$golden_tmp|TMP|g; s/@[0-9a-f]*/@HASH/g"
	}
	# a policy before it changes a file that the others read
	files_changing()
	{
		printf 'Account|User|Share\nroot||1\n' >"$golden_tmp/shares.txt"
		printf 'pod0:0 0 down\n' >"$golden_tmp/links.txt"
		cp "$golden_tmp/links.txt" "$golden_tmp/own.txt"
		printf 'toruses: [{name: pod0, dims: [8], links: own.txt}]\n' >"$golden_tmp/m.yaml"
		for file in jobs.csv m.yaml own.txt links.txt shares.txt; do
			cp "$golden_tmp/$file" "$golden_tmp/kept"
			printf '#!/bin/sh\necho >>%s\nexec %s\n' "$golden_tmp/$file" \
				"$examples/small_first.sh" >"$golden_tmp/other.sh"
			chmod +x "$golden_tmp/other.sh"
			cat >"$golden_tmp/files.yaml" <<-X
			traces: [jobs.csv]
			machines: [m.yaml]
			disciplines: ["pipe:$golden_tmp/other.sh", slurm-backfill]
			options: {slurm_conf: b.conf, max_jobs: [100, 99]}
			X
			[ $file != links.txt ] || sed -i 's/{/{link_file: links.txt, /' "$golden_tmp/files.yaml"
			[ $file != shares.txt ] || sed -i 's/{/{shares: shares.txt, /' "$golden_tmp/files.yaml"
			rm -f "$golden_tmp/files.db"
			(cd "$golden_tmp" && storus sweep --workers 1 files.yaml 2>&1 >/dev/null) |
				sed "s|$golden_tmp|TMP|g; s/@[0-9a-f]*/@HASH/g"
			cp "$golden_tmp/kept" "$golden_tmp/$file"
		done
	}
	printf 'NodeName=n[0-7]\nPartitionName=p Nodes=ALL Default=YES\n' >"$golden_tmp/b.conf"
	golden files_that_change_during_a_campaign_leave_no_result files_changing
	golden a_slurm_conf_that_changes_during_a_campaign_has_no_result conf_changing
	golden a_file_that_changes_during_a_campaign_has_no_result changing
	echo 'int x;' >"$golden_tmp/empty.c"
	build empty
	golden a_file_without_a_policy_is_refused run --discipline ./empty.so
	golden a_discipline_is_no_strategy run --strategy ./least_limit.so

	# what slurmctld does not load, check-config refuses in the same words
	sed 's/return job->limit_us;/extern void exit(int); exit(1);/' \
		"$golden_tmp/least_limit.c" >"$golden_tmp/exits.c"
	build exits
	sed 's/^static const struct torus_strategy/static int all(const struct torus_strategy *s, const struct torus *t, struct torus_error *e) { return 0; }\n&/
		s/\.scatters = true/.scatters = true, .supports = all/' \
		"$golden_tmp/first_nodes.c" >"$golden_tmp/more.c"
	build more
	checked() # SCHEDULER STRATEGY
	{
		cat >"$golden_tmp/torus.yaml" <<-X
		toruses:
		- {name: pod0, dims: [8], nodes: "n[0-7]", strategy: $2}
		scheduler: {discipline: $1}
		X
		(cd "$golden_tmp" && storus check-config torus.yaml ${3:+--slurm-conf "$3"} 2>&1
			echo "exit $?") | sed "s|$golden_tmp|TMP|g"
	}
	golden check_config_refuses_a_policy_that_exits checked ./exits.so flat
	golden check_config_refuses_a_strategy_with_more checked easy ./more.so
	printf 'NodeName=n[0-7]\nPluginDir=/usr/lib\n' >"$golden_tmp/slurm.conf"
	golden check_config_refuses_a_policy_of_another_directory \
		checked ./least_limit.so flat slurm.conf
fi
(cd "$golden_tmp" && storus replay --torus flat:8 --discipline ./absent.so jobs.csv) \
	>"$golden_tmp/out" 2>&1
test $? = 2 && grep -q '^storus replay: ./absent.so: cannot open' "$golden_tmp/out"
tap_result $? a_file_that_is_absent_is_refused "$(cat "$golden_tmp/out")"
if command -v python3 >/dev/null; then
	same "--discipline pipe:$examples/least_area.py" \
		"--option queue_order=saf --option backfill_order=saf --option bound=20h" \
		the_example_in_python_decides_as_saf_with_a_bound
fi

mkfifo "$golden_tmp/pipe.so"
golden a_pipe_is_no_shared_object run --discipline ./pipe.so

# storus tune: on a trace that has something to gain, on one that has not
tune()
{
	(cd "$golden_tmp" && storus tune "$@")
}
(cd "$golden_tmp" && storus generate lublin --jobs 3000 --seed 3 >tuned.swf)
golden tune_prints_the_gain_and_the_block tune --torus flat:128 tuned.swf
if command -v script >/dev/null; then
	script -qec "'$golden_top/storus' tune --torus flat:128 '$golden_tmp/tuned.swf'" /dev/null \
		</dev/null >"$golden_tmp/out"
	grep -q '=>.* replays ' "$golden_tmp/out"
	tap_result $? tune_shows_its_progress_on_a_terminal "$(cat "$golden_tmp/out")"
fi
golden tune_finds_nothing_for_idle_nodes tune --torus flat:1024 tuned.swf
tune_small()
{
	tune --torus flat:32 tuned.swf | grep -A 1 '^rejected'
}
golden tune_says_which_jobs_the_machine_cannot_hold tune_small
tune --torus flat:128 --json tuned.swf |
	sed -n 's/^ \{0,6\}"\(schema\|chosen\|discipline\|options\|train\|test\|easy\|gain\|mean_wait_s\|mean_bounded_slowdown\|value\|low\|high\|max_wait_ratio\)":.*/\1/p' |
	sort -u | paste -s -d ' ' - >"$golden_tmp/keys"
test "$(cat "$golden_tmp/keys")" = "chosen discipline easy gain high low max_wait_ratio mean_bounded_slowdown mean_wait_s options schema test train value"
tap_result $? the_answer_as_json_has_its_keys "$(cat "$golden_tmp/keys")"
one_week()
{
	storus tune --torus flat:128 --max-jobs 900 --json "$golden_tmp/tuned.swf" | jq -c .gain.mean_wait_s
}
golden tune_has_no_range_of_one_week one_week
golden tune_needs_two_halves tune --torus flat:8 --max-jobs 3 jobs.csv
golden_done
