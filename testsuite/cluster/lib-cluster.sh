# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# lib-cluster.sh - what the cluster tests share: a private Slurm cluster for the
# length of one .t file, and words to submit jobs and to look at what they got.
#
# A test sources it first, after setting test_description:
#
#     test_description='what it tests'
#     . "$(dirname "$0")/lib-cluster.sh"
#     skip_without_plugins torus
#     torus_yaml '4, 4, 4' >torus.yaml
#     cluster_start --nodes 64 --select torus --torus torus.yaml
#
# Each cluster lives in a directory of its own under ${TMPDIR:-/tmp} and takes
# the first free ports, so tests can run side by side. It ends with the test
# however the test ends: by test_done, by an error, by a signal; and should the
# test be killed outright, the cluster notices. Where a case has failed, the
# daemons' logs are kept in the test's trash directory.
#
# Environment, set by `make check`: top_srcdir, top_builddir, SHARNESS_SH.
# SLURM_TORUS_PLUGIN_DIR overrides where our plugins are; SLURM_PREFIX is where
# the Slurm to test with is installed, if not the machine's.

cluster_lib=$(cd "$(dirname "$0")" && pwd)
: "${top_srcdir:=$(cd "$cluster_lib/../.." && pwd)}"
: "${top_builddir:=$top_srcdir/build}"
: "${SLURM_TORUS_PLUGIN_DIR:=$top_builddir/plugins/.libs}"
: "${SHARNESS_SH:=/usr/share/sharness/sharness.sh}"
export SLURM_TORUS_PLUGIN_DIR

# torus.yaml and links files that a group can write are refused
umask 022

PATH=${SLURM_PREFIX:+$SLURM_PREFIX/bin:$SLURM_PREFIX/sbin:}$PATH:/usr/sbin:/sbin
# a caller inside a job must not lend its settings to our jobs
cluster_patience=${TORUS_PATIENCE:-1}
for cluster_name in $(env | sed -n 's/^\(\(SLURM\|SBATCH\|SALLOC\|SRUN\|SQUEUE\|SINFO\|TORUS\)_[A-Za-z0-9_]*\)=.*/\1/p'); do
	case $cluster_name in
	SLURM_TORUS_PLUGIN_DIR | SLURM_PREFIX | SLURM_CPPFLAGS | TORUS_TEST_LONG) ;;
	*) unset "$cluster_name" ;;
	esac
done

if [ ! -r "$SHARNESS_SH" ]; then
	echo "1..0 # SKIP sharness is not installed"
	exit 0
fi
HARNESS_ACTIVE=yes # no results file beside the source
SHARNESS_TEST_DIRECTORY=$top_builddir/testsuite/cluster
verbose= # sharness sets it
mkdir -p "$SHARNESS_TEST_DIRECTORY"
export HARNESS_ACTIVE SHARNESS_TEST_DIRECTORY
cluster_home=$HOME
# shellcheck source=/dev/null
. "$SHARNESS_SH"

# What the commands of a case say is kept, and shown if the case fails.
if [ -z "$verbose" ]; then
	cluster_said=$SHARNESS_TRASH_DIRECTORY/.said
	exec 3>>"$cluster_said" 4>&3
	# shellcheck disable=SC2154  # the counters are sharness's
	test_ok_() {
		test_success=$((test_success + 1))
		say_color "" "ok $test_count - $*"
		: >"$cluster_said"
	}
	test_failure_() {
		test_failure=$((test_failure + 1))
		say_color error "not ok $test_count - $1"
		tail -n 60 "$cluster_said" | sed 's/^/#     /'
		: >"$cluster_said"
	}
fi

# shellcheck source=contribs/lib/box.sh
. "$top_srcdir/contribs/lib/box.sh"

# skip_without_slurm, skip_without_plugins SELECT: ends the test, as skipped,
# where what it tests is not there.
skip_without_slurm() {
	for cluster_name in munged slurmctld slurmd sbatch; do
		command -v "$cluster_name" >/dev/null && continue
		# shellcheck disable=SC2034  # sharness reads it
		skip_all="$cluster_name is not installed"
		test_done
	done
}

skip_without_plugins() {
	skip_without_slurm
	[ -f "$SLURM_TORUS_PLUGIN_DIR/select_$1.so" ] && return
	# shellcheck disable=SC2034
	skip_all="there is no select_$1.so; built without Slurm"
	test_done
}

# skip_without_accounting: where private-cluster --accounting could not start.
skip_without_accounting() {
	for cluster_name in slurmdbd mariadbd mariadb-install-db my_print_defaults; do
		command -v "$cluster_name" >/dev/null && continue
		# shellcheck disable=SC2034
		skip_all="$cluster_name is not installed"
		test_done
	done
	[ -n "${SLURM_PREFIX-}" ] || return 0
	ls "$SLURM_PREFIX"/lib*/slurm*/accounting_storage_mysql.so "$SLURM_PREFIX"/lib/*/slurm*/accounting_storage_mysql.so \
		2>/dev/null | grep -q . && return
	# shellcheck disable=SC2034
	skip_all="the Slurm in $SLURM_PREFIX was built without MariaDB"
	test_done
}

# ------------------------------------------------------------------ the cluster

CLUSTER_DIR=
MACHINE=4x4x4

# cluster VERB [OPTION...]: private-cluster's commands, for this cluster.
cluster() {
	HOME=$cluster_home "$top_srcdir/contribs/private-cluster" "$@" \
		--dir "$CLUSTER_DIR"
}

# cluster_start [OPTION...]: boots it; the options are private-cluster's. Ends
# the test when that does not work.
cluster_start() {
	CLUSTER_DIR=$(mktemp -d "${TMPDIR:-/tmp}/slurm-torus-test.XXXXXX") || exit 1
	trap cluster_exit EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
	if ! cluster start --port-base auto --owner $$ "$@" >cluster.out 2>&1; then
		sed 's/^/# /' cluster.out
		echo "Bail out! the cluster does not start"
		cluster_keep_logs
		EXIT_OK=t
		exit 1
	fi
	SLURM_CONF=$CLUSTER_DIR/slurm.conf
	export SLURM_CONF
}

# cluster_exit: after sharness has had its say, or in place of it.
cluster_exit() {
	cluster_code=$?
	trap '' INT TERM HUP
	if [ -n "$CLUSTER_DIR" ]; then
		# shellcheck disable=SC2015,SC2154  # either fails
		[ -n "$EXIT_OK" ] && [ "$test_failure" = 0 ] || cluster_keep_logs
		cluster stop --now >/dev/null 2>&1
		rm -rf "$CLUSTER_DIR"
		CLUSTER_DIR=
	fi
	(exit "$cluster_code")
	die
}

cluster_keep_logs() {
	[ ! -d "$SHARNESS_TRASH_DIRECTORY" ] ||
		cp -r "$CLUSTER_DIR/log" "$CLUSTER_DIR/slurm.conf" \
			"$SHARNESS_TRASH_DIRECTORY/" 2>/dev/null
}

# torus_yaml DIMS [LINE...]: a torus.yaml of one pod, with our node names.
# torus_yaml '4, 2, 2' 'wrap: [true, true, false]'
torus_yaml() {
	torus_total=$(echo "$1" | awk -F, '{ n = 1; for (i = 1; i <= NF; i++) n *= $i; print n }')
	torus_last=$((torus_total - 1))
	torus_width=${#torus_last}
	[ "$torus_width" -ge 2 ] || torus_width=2
	printf 'toruses:\n  - name: pod0\n    dims: [%s]\n' "$1"
	printf "    nodes: node[%0${torus_width}d-%d]\n" 0 "$torus_last"
	shift
	for torus_line in "$@"; do
		printf '    %s\n' "$torus_line"
	done
}

# ------------------------------------------------------------------------ jobs

# submit OPTION...: sbatch a job that sleeps (until it is cancelled) and print
# its id. JOB_SCRIPT, where set, is what it runs instead.
submit() {
	sbatch --parsable --output=/dev/null --wrap "${JOB_SCRIPT:-exec sleep 300}" "$@"
}

# prereq_root: sets ROOT where a case can also ask as another user: we are root,
# and the plugins do not lie in a directory that is closed to others.
prereq_root() {
	[ "$(id -u)" -eq 0 ] &&
		setpriv --reuid=65534 --regid=65534 --clear-groups \
			test -x "$SLURM_TORUS_PLUGIN_DIR" && test_set_prereq ROOT
	return 0
}

# slurm_at_least X.Y: is the Slurm that is tested with that new?
slurm_at_least() {
	cluster_version=$(slurmctld -V)
	[ "$(printf '%s\n' "$1" "${cluster_version##* }" | sort -V | head -n 1)" = "$1" ]
}

# job_tres ID: what it was allocated (24.11 and later say what it asked for, too).
job_tres() {
	scontrol --oneliner show job "$1" | tr ' ' '\n' |
		sed -n 's/^\(Alloc\)\{0,1\}TRES=//p' | head -n 1
}

# tested OPTION...: the start that sbatch --test-only gives, in seconds since 1970
tested() {
	tested_at=$(sbatch --test-only "$@" --wrap true 2>&1 |
		sed -n 's/.* to start at \([^ ]*\) .*/\1/p') && [ "$tested_at" ] &&
		date -d "$tested_at" +%s
}

# forecast_known ID...: squeue --start has a time for each
forecast_known() {
	for forecast_id in "$@"; do
		[ "$(squeue -h --start -j "$forecast_id" -o %S)" != N/A ] || return 1
	done
}

# one_forecast ID...: squeue --start, explain, what-if and, under sched/torus, reservations
# give one time for each of these waiting jobs, and one place where they name it; the place
# that explain calls free first is not free later, and is this one where it is free then
one_forecast() {
	: >forecasts
	for forecast_id in "$@"; do
		forecast_s=$(date -d "$(squeue -h --start -j "$forecast_id" -o %S)" +%s) || return 1
		expand_nodes "$(squeue -h --start -j "$forecast_id" -o %Y)" |
			box_indices | paste -sd, - >forecast.nodes
		read -r forecast_nodes <forecast.nodes
		echo "$forecast_id squeue $forecast_s ${forecast_nodes:--}" >>forecasts
	done
	"$top_builddir/storus" explain "$@" --json >forecast.json &&
		jq -r '(.jobs // [.])[] | "\(.job) explain \(.start) \(.region // "-")"' forecast.json >>forecasts &&
		jq -r '(.jobs // [.])[] | select(.region) | .start as $at |
			([.alternatives[] | select(.answer == "not_now" and .start) | .start] | min) as $first |
			select($first and $first >= $at - 2) |
			"\(.job) first \(if $first > $at + 2 then $first else $at end) \(.free_first // "-")"' forecast.json >>forecasts &&
		"$top_builddir/storus" what-if --json |
		jq -r '.jobs[] | "\(.job) what-if \(.before.start) \(.before.region // "-")"' >>forecasts || return 1
	if scontrol show config | grep -q '^SchedulerType *= sched/torus'; then
		"$top_builddir/storus" reservations --json |
		jq -r '.plan[] | "\(.task // .job) reservations \(.start) \(.region // "-")"' >>forecasts || return 1
	fi
	while read -r forecast_id forecast_who forecast_at forecast_region; do
		case $forecast_region in
		*:*) forecast_region=$(box_region "$MACHINE" "$forecast_region" | paste -sd, -) ;;
		esac
		echo "$forecast_id $forecast_who ${forecast_at%.*} $forecast_region"
	done <forecasts >forecast.places
	awk -v ids="$*" '
	BEGIN { n = split(ids, id, " "); for (i = 1; i <= n; i++) want[id[i]] = 1 }
	!($1 in want) { next }
	{ said[$1]++; line[$1] = line[$1] "\n  " $0 }
	!($1 in at) { at[$1] = $3 }
	$3 != at[$1] { bad[$1] = 1 }
	$4 == "-" || $4 == "no" { next }
	!($1 in place) { place[$1] = $4 }
	$4 != place[$1] { bad[$1] = 1 }
	END {
		for (i in want) if (bad[i] || said[i] < 3) { print "job " i " has more than one forecast:" line[i]; wrong = 1 }
		exit wrong
	}' forecast.places
}

# suggestion_holds NOW LATER: of 8 nodes for 2 minutes storus suggest names the shape NOW first,
# and a job of it starts; one of LATER is expected when the suggestion says
suggestion_holds() {
	"$top_builddir/storus" suggest 8 -t 2 --json >suggested && cat suggested &&
		jq -e --arg now "$1" '.suggestions[0] | .geometry == $now and .start < now + 5' suggested &&
		suggest_s=$(jq --arg later "$2" '.suggestions[] | select(.geometry == $later) | .start | floor' suggested) &&
		suggest_later=$(submit --geometry="$2" -t 2) && suggest_now=$(submit --geometry="$1" -t 2) &&
		wait_state "$suggest_now" RUNNING && wait_for 90 forecast_known "$suggest_later" || return 1
	suggest_s=$((suggest_s - $(date -d "$(job_field "$suggest_later" StartTime)" +%s)))
	cancel "$suggest_later" "$suggest_now"
	echo "differs by $suggest_s s" && [ $((suggest_s * suggest_s)) -le 3600 ]
}

# job_field ID KEY: one field of scontrol show job.
job_field() {
	scontrol --oneliner show job "$1" | tr ' ' '\n' | sed -n "s/^$2=//p" | head -n 1
}

job_state() {
	job_field "$1" JobState
}

# Times in which something has to happen are those of a machine that does nothing else;
# contribs/check and check-versions, which run many tests at once, multiply them (TORUS_PATIENCE).

# wait_state ID STATE [SECONDS]: until the job is in that state; at most 20 s.
wait_state() {
	wait_end=$(($(date +%s) + ${3:-20} * $cluster_patience))
	while :; do
		wait_now=$(job_state "$1")
		[ "$wait_now" != "$2" ] || return 0
		[ "$(date +%s)" -lt "$wait_end" ] || break
		sleep 0.2
	done
	echo "job $1 is $wait_now, not $2:"
	scontrol show job "$1"
	return 1
}

# wait_for SECONDS COMMAND...: until the command succeeds.
wait_for() {
	wait_end=$(($(date +%s) + $1 * $cluster_patience))
	shift
	until "$@"; do
		if [ "$(date +%s)" -ge "$wait_end" ]; then
			echo "not within its time: $*"
			return 1
		fi
		sleep 0.2
	done
}

# stays_state ID STATE SECONDS: the job is in that state, and stays there.
stays_state() {
	wait_end=$(($(date +%s) + $3))
	while [ "$(date +%s)" -le "$wait_end" ]; do
		wait_now=$(job_state "$1")
		if [ "$wait_now" != "$2" ]; then
			echo "job $1 is $wait_now, not $2:"
			scontrol show job "$1"
			return 1
		fi
		sleep 0.5
	done
}

# cancel ID...: and wait until their nodes are free again.
cancel() {
	scancel "$@"
	for cancel_id in "$@"; do
		wait_for 20 job_is_over "$cancel_id" || return 1
	done
}

cancel_all() {
	# shellcheck disable=SC2046  # a list of numbers
	set -- $(squeue -h -o %A | sort -u)
	[ $# -eq 0 ] || cancel "$@"
}

job_is_over() {
	[ -z "$(squeue -h -j "$1" -o %i 2>/dev/null)" ]
}

# job_nodes ID: its nodes, a line each, sorted.
job_nodes() {
	expand_nodes "$(job_field "$1" NodeList)"
}

# expand_nodes LIST: node[00-02] is three lines.
expand_nodes() {
	case $1 in
	'' | '(null)' | None*) ;;
	*) scontrol show hostnames "$1" | sort ;;
	esac
}

# job_region ID: the region in its AdminComment, or nothing.
job_region() {
	scontrol --oneliner show job "$1" | sed -n 's/.* AdminComment=//p' | box_of_text
}

# coords_of NODE...: the coordinates of each, a line each.
coords_of() {
	printf '%s\n' "$@" | box_coords "$MACHINE" | sed 's/.* //'
}

# all_but NODE...: a node list of all others, for --exclude.
all_but() {
	sinfo -h -N -o %N | sort -u | grep -vxF "$(printf '%s\n' "$@")" | paste -sd, -
}

# ---------------------------------------------------------------------- claims

# assert_box ID SHAPE [exactly]: the job's nodes are a box of that shape, turned
# any way unless `exactly`, and the region in its AdminComment is that box.
assert_box() {
	assert_extent=$(job_nodes "$1" | box_extent "$MACHINE")
	if [ "${3-}" = exactly ]; then
		[ "$assert_extent" = "$2" ]
	else
		box_is_shape "$assert_extent" "$2"
	fi || {
		echo "job $1 has $assert_extent, not $2 ${3-}:"
		scontrol show job "$1"
		return 1
	}
	assert_region "$1"
}

# assert_volume ID N: the job's nodes are a box of exactly N nodes.
assert_volume() {
	assert_extent=$(job_nodes "$1" | box_extent "$MACHINE")
	case $assert_extent in
	[1-9]*) [ "$(box_volume "$assert_extent")" -eq "$2" ] ;;
	*) false ;;
	esac || {
		echo "job $1 has $assert_extent, not $2 nodes in a box:"
		scontrol show job "$1"
		return 1
	}
	assert_region "$1"
}

# assert_region ID: the region in AdminComment names the job's nodes.
assert_region() {
	job_nodes "$1" | box_indices >assert.nodes
	box_region "$MACHINE" "$(job_region "$1")" >assert.region
	cmp -s assert.nodes assert.region || {
		echo "job $1: its region does not name its nodes:"
		scontrol show job "$1"
		return 1
	}
}

# assert_disjoint ID...: no node belongs to two of these jobs.
assert_disjoint() {
	for assert_id in "$@"; do
		job_nodes "$assert_id"
	done | sort | uniq -d >assert.twice
	[ ! -s assert.twice ] || {
		echo "nodes of more than one of the jobs $*:"
		cat assert.twice
		return 1
	}
}

# assert_refused PATTERN COMMAND...: the command fails and says so in these words
# (an extended regular expression), and slurmctld is well afterwards.
assert_refused() {
	assert_pattern=$1
	shift
	if "$@" >assert.out 2>&1 </dev/null; then
		echo "not refused: $*"
		cat assert.out
		return 1
	fi
	grep -Eq -e "$assert_pattern" assert.out || {
		echo "refused, but not with /$assert_pattern/: $*"
		cat assert.out
		return 1
	}
	scontrol ping | grep -q ' is UP'
}
