#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck disable=SC2015,SC2016,SC2034,SC2317,SC2329  # run and expanded by check()
#
# life.sh - the steps of contribs/check-life, inside the clean root, as root. The
# commands of an administrator are those of doc/guide-admin.md, in blocks of
# ```site NAME. A line of TAP per step.

set -u
export LC_ALL=C DEBIAN_FRONTEND=noninteractive
life=$(cd "$(dirname "$0")" && pwd)
conf=/etc/slurm/slurm.conf
state=/var/lib/slurm/slurmctld
nodes=32
PATH=$life/bin:$PATH
cd "$life/packages" || exit 1

steps=0 failed=0
# check TITLE COMMAND...
check() {
	local title=$1
	shift
	steps=$((steps + 1))
	if "$@" >"$life/said" 2>&1 </dev/null; then
		echo "ok $steps - $title"
		return
	fi
	failed=$((failed + 1))
	echo "not ok $steps - $title"
	tail -n 40 "$life/said" | sed 's/^/#   /'
	tail -n 15 /var/log/slurm/slurmctld.log 2>/dev/null | sed 's/^/#   slurmctld: /'
}

# ------------------------------------------------------------- the guide

# block NAME: what stands in it
block() {
	awk -v name="$1" '
		$0 == "```site " name { on = 1; next }
		/^```/ { on = 0 }
		on' "$life/guide-admin.md"
}

# guide NAME: its commands, each of which has to succeed
guide() {
	local commands
	commands=$(block "$1")
	[[ -n $commands ]] || {
		echo "the guide has no block $1"
		return 1
	}
	bash -e -x -c "$commands"
}

# guide_conf LINES: the first LINES of its lines of slurm.conf, in place of those
# with the same key; where the site has select/cons_tres, what the guide says for
# that. Two lines keep sched/backfill.
guide_conf() {
	local line wrapped=torus
	! grep -q '^SelectType=select/.*cons_tres' "$conf" || wrapped=torus_cons_tres
	while IFS= read -r line; do
		[[ $line != SelectType=select/torus ]] || line=SelectType=select/$wrapped
		sed -i "/^${line%%=*}=/d" "$conf"
		sed -i "/^NodeName=/i $line" "$conf"
	done < <(block slurm.conf | head -n "$1")
	grep SelectType "$conf"
}

# ---------------------------------------------------------- the machine

# systemctl: what systemd does with these units, for a machine without it. A unit
# of several slurmds is one per node; jobs outlive it (KillMode=process). A timer
# that runs is a file in run/; its service runs when it starts.
make_systemctl() {
	mkdir -p "$life/bin" "$life/run"
	cat >"$life/bin/systemctl" <<-'EOT'
	#!/bin/bash
	life=$(dirname "$(dirname "$0")")
	args=()
	for arg; do [[ $arg == -* ]] || args+=("$arg"); done
	unit=${args[1]%.*} file=/lib/systemd/system/$unit.service
	get() { sed -n "s/^$1=//p" "$file"; }
	# a process that has ended but that no parent has reaped counts as ended
	alive() { grep -q '^State:.[^Z]' "/proc/$1/status" 2>/dev/null; }
	stop() {
		local pid pids
		pids=$(cat "$life/run/$unit.pid" "$life/run/$unit"-*.pid 2>/dev/null)
		rm -f "$life/run/$unit.pid" "$life/run/$unit"-*.pid
		[ -z "$pids" ] || kill -TERM $pids 2>/dev/null
		for pid in $pids; do
			for _ in $(seq 600); do
				alive "$pid" || continue 2
				sleep 0.1
			done
			echo "$unit: $pid does not end" >&2
			exit 1
		done
	}
	start() { # NAME COMMAND...
		local name=$1 user
		user=$(get User)
		shift
		setsid setpriv ${user:+--reuid="$user" --regid="$user" --init-groups} \
			"$@" >>"$life/run/$name.log" 2>&1 </dev/null &
		echo $! >"$life/run/$name.pid"
	}
	start_all() {
		local command dir node
		command=$(get ExecStart | sed 's/ --systemd/ -D/; s/ -s\b//; s/\$[A-Z_]*//')
		dir=$(get RuntimeDirectory)
		[ -z "$dir" ] || install -d -o "${User:-root}" "/run/$dir"
		[ -z "$(get User)" ] || [ -z "$dir" ] || chown "$(get User)" "/run/$dir"
		if [ "$unit" != slurmd ]; then
			start "$unit" $command
		else
			for node in $(scontrol show hostnames "$(sed -n 's/^NodeName=\([^ ]*\).*/\1/p' /etc/slurm/slurm.conf)"); do
				start "slurmd-$node" $command -N "$node"
			done
		fi
		sleep 1
		for node in "$life/run/$unit.pid" "$life/run/$unit"-*.pid; do
			[ ! -f "$node" ] || alive "$(cat "$node")" || {
				echo "$unit does not run:" >&2
				tail -n 5 "${node%.pid}.log" >&2
				exit 1
			}
		done
	}
	timer() { # VERB
		local wanted=/etc/systemd/system/timers.target.wants/$unit.timer
		case $1 in
		enable)
			mkdir -p "${wanted%/*}" && ln -sf "/lib/systemd/system/$unit.timer" "$wanted" &&
				touch "$life/run/$unit.timer" && timer try-restart
			;;
		stop) rm -f "$life/run/$unit.timer" ;;
		try-restart)
			readarray -t settings < <(get Environment | sed 's/^"\(.*\)"$/\1/')
			[ ! -e "$life/run/$unit.timer" ] ||
				env "${settings[@]}" bash -c "$(get ExecStart)"
			;;
		*) exit 1 ;;
		esac
	}
	case ${args[*]} in
	daemon-reload) ;;
	*.timer*) timer "${args[0]}" ;;
	start\ *) start_all ;;
	stop\ *) stop ;;
	restart\ *) stop && start_all ;;
	*) exit 1 ;;
	esac
	EOT
	chmod 755 "$life/bin/systemctl"
	# packages act on units only where this is, no policy forbids it, and apt lets
	# them find systemctl
	mkdir -p /run/systemd/system
	rm -f /usr/sbin/policy-rc.d
	echo "DPkg::Path \"$life/bin:/usr/sbin:/usr/bin:/sbin:/bin\";" >/etc/apt/apt.conf.d/91life
}

# until SEC COMMAND...
until_true() {
	local left=$(($1 * 5))
	shift
	until "$@"; do
		((left-- > 0)) || return 1
		sleep 0.2
	done
}

as() { # USER COMMAND...
	local user=$1
	shift
	(cd / && setpriv --reuid="$user" --regid="$user" --init-groups "$@")
}

write_conf() {
	local select host=NodeHostname=clean-root
	# SchedMD's slurmctld is not built for several nodes of one host name
	! dpkg-query -W slurm-smd >/dev/null 2>&1 || host=
	select=select/linear
	[[ $(slurmctld -V) == *22.05* ]] || select=select/cons_tres
	install -d -o slurm -g slurm /etc/slurm /var/log/slurm /var/spool/slurmd "$state"
	for ((i = 0; i < nodes; i++)); do
		mkdir -p "$(printf /var/spool/slurmd/node%02d $i)"
	done
	cat >"$conf" <<-EOT
	ClusterName=life
	SlurmctldHost=clean-root
	SlurmUser=slurm
	AuthType=auth/munge
	StateSaveLocation=$state
	SlurmdSpoolDir=/var/spool/slurmd/%n
	SlurmctldLogFile=/var/log/slurm/slurmctld.log
	SlurmdLogFile=/var/log/slurm/slurmd-%n.log
	SlurmctldPidFile=/run/slurmctld/slurmctld.pid
	SlurmdPidFile=/run/slurmd-%n.pid
	SlurmctldDebug=verbose
	ProctrackType=proctrack/linuxproc
	TaskPlugin=task/none
	MpiDefault=none
	JobAcctGatherType=jobacct_gather/none
	AccountingStorageType=accounting_storage/slurmdbd
	AccountingStorageHost=clean-root
	AccountingStorageEnforce=associations,limits
	MailProg=/bin/true
	ReturnToService=2
	SlurmdParameters=config_overrides
	SchedulerType=sched/backfill
	SelectType=$select
	NodeName=node[00-31] $host NodeAddr=127.0.0.1 Port=[17000-17031] CPUs=1 State=UNKNOWN
	PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
	EOT
	[[ $select == select/linear ]] || sed -i '/^NodeName/i SelectTypeParameters=CR_Core' "$conf"
	if [[ $select == select/linear ]]; then
		echo "CgroupPlugin=cgroup/v1"
	else
		echo "CgroupPlugin=disabled"
	fi >/etc/slurm/cgroup.conf
	# (Debian's packages bring one; its lines come and go with the guide's commands)
	touch /etc/slurm/plugstack.conf
	cat >/etc/slurm/slurmdbd.conf <<-EOT
	AuthType=auth/munge
	DbdHost=clean-root
	SlurmUser=slurm
	LogFile=/var/log/slurm/slurmdbd.log
	PidFile=/run/slurmctld/slurmdbd.pid
	StorageType=accounting_storage/mysql
	StorageHost=localhost
	StorageUser=slurm
	StorageLoc=slurm_acct_db
	EOT
	chown slurm: /etc/slurm/slurmdbd.conf
	chmod 600 /etc/slurm/slurmdbd.conf
}

# services: munge, MariaDB and slurmdbd, which stay through it all
services() {
	install -d -o munge -g munge /run/munge
	install -d -o mysql -g mysql /run/mysqld
	install -d -o slurm -g slurm /run/slurmctld /run/slurmdbd
	setpriv --reuid=munge --regid=munge --init-groups munged || return 1
	setsid mariadbd --user=mysql --skip-networking >"$life/run/mariadb.log" 2>&1 </dev/null &
	until_true 30 mariadb -e "SELECT 1" || return 1
	mariadb -e "CREATE DATABASE slurm_acct_db; CREATE USER slurm@localhost IDENTIFIED VIA unix_socket;
		GRANT ALL ON slurm_acct_db.* TO slurm@localhost" || return 1
	systemctl start slurmdbd && until_true 30 sacctmgr -n show cluster || return 1
	sacctmgr -i add cluster life && sacctmgr -i add account main &&
		sacctmgr -i add user ada,bob account=main || return 1
}

idle_nodes() {
	[[ $(sinfo -h -t idle,alloc,mix -o %D | awk '{ n += $1 } END { print n + 0 }') == "$nodes" ]]
}

up() {
	until_true 60 idle_nodes || {
		sinfo
		return 1
	}
}

# ----------------------------------------------------------------- jobs

submit() { # USER OPTION...
	local user=$1
	shift
	as "$user" sbatch --parsable --output=/dev/null --wrap "exec sleep 7000" "$@"
}

is_state() { # ID STATE
	[[ $(squeue -h -j "$1" -o %T 2>/dev/null) == "$2" ]]
}

of_job() { # ID FIELD
	scontrol --oneliner show job "$1" | tr ' ' '\n' | sed -n "s/^$2=//p" | head -n 1
}

# first: those that have to survive; with what is to stay as it is
first_jobs() {
	old_ada=$(submit ada -N2 -t 600) && old_bob=$(submit bob -N1 -t 600) &&
		until_true 30 is_state "$old_ada" RUNNING &&
		until_true 30 is_state "$old_bob" RUNNING &&
		waiting=$(submit bob -N32 -t 600) && sleep 2 && is_state "$waiting" PENDING &&
		sleep 6 && remember >"$life/old" && cat "$life/old" &&
		[[ $(tail -n 1 "$life/old") =~ ^[0-9]+\ [0-9]+$ ]]
}

# processes USER: of jobs, by number
processes() {
	local process
	for process in /proc/[0-9]*; do
		[[ $(tr '\0' ' ' <"$process/cmdline") == "sleep 7000 " &&
			$(stat -c %U "$process") == "$1" ]] && echo "${process##*/}"
	done 2>/dev/null | sort -n
}

remember() {
	local id
	for id in "$old_ada" "$old_bob"; do
		echo "$id $(of_job "$id" JobState) $(of_job "$id" Restarts) $(of_job "$id" StartTime) $(of_job "$id" NodeList)"
	done
	echo "$(processes ada | head -n 1) $(processes bob | head -n 1)"
}

# survived: the first jobs have the same state, nodes, start time and processes
survived() {
	up && until_true 20 is_state "$waiting" PENDING && remember >"$life/now" &&
		diff "$life/old" "$life/now"
}

# shaped USER WORDS...: a shape of 2x2x1 runs on 4 nodes, and everybody sees it
shaped() {
	local id
	id=$(submit "$1" --geometry=2x2 -t 5) && until_true 30 is_state "$id" RUNNING &&
		scontrol show job "$id" | grep "torus:place=pod0:" &&
		[[ $(of_job "$id" NumNodes) == 4 ]] &&
		as bob squeue -h -j "$id" -o %u | grep -x "$1" &&
		as bob storus map --torus /etc/slurm/torus.yaml >"$life/map" && cat "$life/map" &&
		as "$1" scancel "$id" && until_true 30 no_job "$id"
}
no_job() {
	! is_state "$1" RUNNING && ! is_state "$1" COMPLETING
}

# dry_run: sched/backfill starts a shape; the journal has what sched/torus would
# have done.
dry_run() {
	local begun
	cp "$life/packages/torus.yaml" /etc/slurm/torus.yaml &&
		sed -i '/^scheduler:/,$d' /etc/slurm/torus.yaml &&
		block dry-run.yaml >>/etc/slurm/torus.yaml &&
		storus check-config /etc/slurm/torus.yaml && guide dry-run || return 1
	begun=$(submit ada --geometry=2x2 -t 5) && until_true 60 is_state "$begun" RUNNING &&
		until_true 30 grep "^$begun,.*,would,$" "$dry_journal" && sleep 2 &&
		scancel "$begun" && until_true 30 no_job "$begun" && dry_run_judged
}
dry_journal=/var/spool/slurm-torus/dry-run.csv
# dry_run_judged: the starts of the journal, whether or not they differ
dry_run_judged() {
	storus parity --dry-run "$dry_journal" >"$life/judged"
	cat "$life/judged"
	grep -E "^[1-9][0-9]* jobs? judged: sched/torus would have" "$life/judged"
}

# promised ID: the promised start, in seconds; false where there is none
promised() {
	local at
	at=$(storus reservations | awk -v id="$1" '$1 == id { print $2 }')
	[[ $at == *T* ]] && date -d "$at" +%s
}
same_promise() {
	local now
	now=$(promised "$1") && echo "$2 $now" && ((now - $2 < 60 && $2 - now < 60))
}

# plan_seen: users see the plan where the guide says that they may
plan_seen() {
	until_true 20 as ada storus reservations
}

# metrics: the timer's service has written its figures
metrics() {
	[[ -e $life/run/storus-metrics.timer ]] && grep '^torus_nodes{torus="pod0"' "$figures"
}
figures=/var/lib/prometheus/node-exporter/storus.prom

page() {
	storus generate bani-uniform | storus replay --torus 8x8x8 --max-jobs 100 --schedule - - |
		storus report --torus 8x8x8 - >"$life/page.html" && grep -o "Chart.js v[0-9.]*" "$life/page.html"
}

setting() { # KEY VALUE of the running slurmctld
	scontrol show config | grep -E "^$1 += $2\$"
}

stock_runs() {
	local id
	id=$(submit ada -N2 -t 5) && until_true 60 is_state "$id" RUNNING &&
		as ada scancel "$id" && until_true 30 no_job "$id"
}

# files: of the system, but for what daemons and packages write by themselves
files() {
	find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path "$life" -o -path /tmp \
		-o -path /var/log -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/cache \
		-o -path /var/lib/mysql -o -path /var/lib/ucf -o -path /run -o -path /var/spool/slurmd -o -path "$state" \) -prune \
		-o -print | sort
	find "$state" -name '*torus*'
}

nothing_left() {
	files >"$life/files.after"
	# libraries that came with storus are apt's to remove
	apt-get -q autoremove --purge >/dev/null
	files >"$life/files.after"
	diff "$life/files.before" "$life/files.after" &&
		! grep -ri torus /etc/slurm
}

restart_all() {
	systemctl restart slurmctld && systemctl restart slurmd
}

make_systemctl
useradd -m ada && useradd -m bob
mkdir -p "${figures%/*}"
check "Slurm as its packages ship it: slurmdbd, slurmctld, $nodes slurmds" \
	eval 'write_conf && services && systemctl start slurmctld && systemctl start slurmd && up'
check "two users: jobs run, one waits" first_jobs
files >"$life/files.before"
cp "$conf" "$life/slurm.conf.before"

check "install" guide install
check "installed, but not named: nothing has changed" eval 'restart_all && survived'
check "torus.yaml, plugstack.conf, slurm.conf with sched/backfill" \
	eval 'guide prepare && guide_conf 2'
check "restart" guide restart
check "the jobs of before survive it" survived
check "a dry run beside sched/backfill" dry_run
check "it has changed nothing" survived
check "torus.yaml and slurm.conf with sched/torus" \
	eval 'install -m 644 torus.yaml /etc/slurm/torus.yaml && guide_conf 4'
check "restart into sched/torus" guide restart
check "the jobs of before run on; the waiting one waits" survived
check "SelectType and SchedulerType are ours" \
	eval 'setting SelectType "select/torus.*" && setting SchedulerType sched/torus'
check "ada's shape runs, and bob sees it" shaped ada
check "users see the plan" plan_seen
check "a report's page has its charts" page

check "the timer of storus metrics" eval 'guide metrics && metrics'

shape=$(submit bob --geometry=4x2 -t 300)
check "a shape that runs from here on" until_true 30 is_state "$shape" RUNNING
place=$(scontrol show job "$shape" | grep -o 'torus:place=[^ ]*')
check "conservative, with the old version" guide change
shape_waits=$(submit ada --geometry=4x4x2 -t 5)
check "it promises a start to a shape that waits" until_true 30 promised "$shape_waits"
promise=$(promised "$shape_waits")
sleep 7
rm "$figures"
head -n 1 "$state"/torus_* "$dry_journal" | sed 's/^/# /'
rm -f ./*.deb && cp "$life"/next/*.deb .
check "upgrade" guide upgrade
check "the packages are the new ones" eval "dpkg-query -W slurm-torus-plugins storus >$life/versions &&
	[[ \$(wc -l <$life/versions) == 2 ]] && ! grep '~old' $life/versions"
check "jobs survive the upgrade" survived
check "the timer runs on" eval 'systemctl try-restart storus-metrics.timer && metrics'
check "so does the shape, in its place" \
	eval 'is_state "$shape" RUNNING && scontrol show job $shape | grep -F "$place"'
check "no state file of the old version is ignored" \
	eval '! grep -E "torus.*(ignored|cannot be taken over|new promises)" /var/log/slurm/slurmctld.log'
check "the waiting shape has the promise of before" \
	until_true 30 same_promise "$shape_waits" "$promise"
check "the old version's dry run can be judged" dry_run_judged
scancel "$shape_waits"
check "shapes run with the new version" shaped bob

check "another discipline" \
	eval 'sed -i "s/discipline: .*/discipline: easy/" /etc/slurm/torus.yaml && scontrol reconfigure && survived'
check "change of the discipline" guide change
check "jobs survive it" survived
check "the discipline is in force" \
	eval 'until_true 20 eval "as ada storus reservations -v | grep conservative"'
check "change of the strategy" \
	eval 'sed -i "s/^    nodes:.*/&\n    strategy: submesh-tff/" /etc/slurm/torus.yaml &&
	storus check-config /etc/slurm/torus.yaml && scontrol reconfigure && survived && shaped ada'
cp /etc/slurm/torus.yaml "$life/torus.yaml.changed"
check "back to sched/backfill, with shapes" \
	eval 'sed -i -e "s,^SchedulerType=.*,SchedulerType=sched/backfill," -e "/^SchedulerParameters=/d" $conf &&
	restart_all && survived && shaped bob'
check "a dry run of the new version" dry_run
check "jobs survive it" survived
check "and sched/torus again" \
	eval 'install -m 644 $life/torus.yaml.changed /etc/slurm/torus.yaml && guide_conf 4 &&
	restart_all && survived && shaped ada'

# refused COMMAND...: fails, and says that the plugins are in use
refused() {
	! "$@" >"$life/refused" 2>&1 && cat "$life/refused" &&
		grep "slurm-torus-plugins: .* uses them" "$life/refused"
}
check "no removal while slurm.conf names the plugins" refused apt-get purge slurm-torus-plugins
check "the refusal has changed nothing" eval 'dpkg -s slurm-torus-plugins | grep "^Status: .* ok installed" && shaped ada'
shape_waits=$(submit ada --geometry=4x4x2 -t 5)
check "back to Slurm alone" guide back
check "jobs survive it" survived
check "so does the shape, and one that waits" \
	eval 'is_state $shape RUNNING && is_state $shape_waits PENDING'
check "Slurm's own plugins are in force" \
	eval 'setting SelectType "select/(linear|cons_tres)" && setting SchedulerType sched/backfill && stock_runs'
scancel "$shape_waits"
check "remove" guide remove
check "the timer is stopped, its figures are gone" \
	eval '[[ ! -e $life/run/storus-metrics.timer && ! -e $figures ]]'
check "slurmctld starts without the packages" eval 'restart_all && survived'
check "the shape's job still runs" is_state "$shape" RUNNING
check "and jobs start" stock_runs
check "no file of ours is left" nothing_left
check "the jobs of the beginning can be cancelled, and the waiting one starts" \
	eval 'scancel $old_ada $old_bob $shape && until_true 60 is_state $waiting RUNNING'
echo "1..$steps"
[[ $failed -eq 0 ]]
