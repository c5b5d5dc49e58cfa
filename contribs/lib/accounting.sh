# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# accounting.sh - what private-cluster --accounting adds: a MariaDB server and a
# slurmdbd of the cluster's own. The database lives in DIR/db, which only the
# caller can enter, and is reached through a socket there; it opens no port.
# slurmdbd listens on the loopback device, on the port behind the nodes'.
#
# Needs say.sh, process.sh and the words of private-cluster.

# accounting_check: is what it takes installed?
accounting_check() {
	local need program package
	for need in slurmdbd:slurmdbd mariadbd:mariadb-server-core \
		mariadb-install-db:mariadb-server-core \
		my_print_defaults:mariadb-client-core; do
		program=${need%%:*}
		package=${need#*:}
		command -v "$program" >/dev/null ||
			die "--accounting needs $program, which is not installed" \
			    "(Debian: apt-get install --no-install-recommends $package)"
	done
}

# accounting_conf: these lines of slurm.conf. On the way to slurmdbd Slurm takes
# munged's socket for the password.
accounting_conf() {
	conf_line AccountingStorageType accounting_storage/slurmdbd
	conf_line AccountingStorageHost localhost
	conf_line AccountingStoragePort "$dbd_port"
	conf_line AccountingStoragePass "$munge_socket"
	conf_line AccountingStorageEnforce associations,limits,qos
}

# write_dbd_conf: slurmdbd insists on the mode.
write_dbd_conf() {
	(
		umask 077
		cat >"$cluster_dir/slurmdbd.conf" <<-END
			# written by private-cluster; see its --help
			AuthType=auth/munge
			AuthInfo=socket=$munge_socket
			DbdHost=localhost
			DbdAddr=127.0.0.1
			DbdPort=$dbd_port
			SlurmUser=$(id -un)
			LogFile=$cluster_dir/log/slurmdbd.log
			PidFile=$cluster_dir/run/slurmdbd.pid
			DebugLevel=info
			StorageType=accounting_storage/mysql
			StorageHost=localhost
			StorageUser=root
			StorageLoc=slurm
			CommitDelay=1
		END
	) || die "cannot write $cluster_dir/slurmdbd.conf"
}

# database_options: small, and in no hurry to reach the disk.
database_options() {
	printf '%s\n' --no-defaults "--user=$(id -un)" "--datadir=$cluster_dir/db/data" \
		--innodb-buffer-pool-size=16M --innodb-log-file-size=4M \
		--innodb-flush-log-at-trx-commit=0 --skip-name-resolve
}

# start_database: makes it, starts its server, and waits until that listens.
# Slurm's database is there before slurmdbd, which would make it: after a refused
# connection the client library of MariaDB 11.8.9 takes no answer with columns.
start_database() {
	local end options begin=$cluster_dir/db/begin.sql
	echo "CREATE DATABASE IF NOT EXISTS slurm;" >"$begin" || return 1
	mapfile -t options < <(database_options)
	mariadb-install-db "${options[@]}" --skip-test-db \
		--auth-root-authentication-method=normal \
		>"$cluster_dir/log/mariadb-install-db.out" 2>&1 </dev/null || {
		show_log mariadb-install-db
		return 1
	}
	launch mariadbd "$(command -v mariadbd)" "${options[@]}" --skip-networking \
		"--init-file=$begin" "--socket=$database_socket" \
		"--pid-file=$cluster_dir/db/pid"
	end=$((SECONDS + timeout))
	while ((SECONDS < end)); do
		[[ ! -S $database_socket ]] || return 0
		process_alive "$launched_pid" || break
		sleep 0.1
	done
	say "mariadbd did not start"
	show_log mariadbd
	return 1
}

# start_dbd: and wait until it answers. Slurm gives its database's host no
# socket; the client library looks for one in the environment.
start_dbd() {
	local end=$((SECONDS + timeout))
	launch slurmdbd env "MYSQL_UNIX_PORT=$database_socket" \
		"$cluster_dir/bin/slurmdbd" -D
	while ((SECONDS < end)); do
		process_alive "$launched_pid" || break
		! timeout 5 sacctmgr -n show cluster >/dev/null 2>&1 || return 0
		sleep 0.1
	done
	say "slurmdbd did not start"
	show_log slurmdbd
	return 1
}

# register: the cluster, an account `main`, and in it the caller.
register() {
	local cluster user
	cluster=$(sed -n 's/^ClusterName=//p' "$conf")
	user=$(id -un)
	{
		sacctmgr -i add cluster "$cluster" &&
			sacctmgr -i add account main description=main organization=main &&
			sacctmgr -i add user "$user" account=main &&
			sacctmgr -i modify user "$user" set defaultaccount=main
	} >"$cluster_dir/log/register.out" 2>&1 </dev/null && return 0
	say "the cluster cannot be registered with slurmdbd"
	show_log register
	return 1
}

start_accounting() {
	start_dbd && register
}

process_database() {
	process_from "$cluster_dir/run/mariadbd.pid" mariadbd "--socket=$database_socket"
}

process_dbd() {
	process_from "$cluster_dir/run/slurmdbd.pid" slurmdbd "$cluster_dir/bin/slurmdbd"
}

# stop_accounting: first who writes.
stop_accounting() {
	local pid
	pid=$(process_dbd) && end_processes 10 "$pid"
	pid=$(process_database) && end_processes 20 "$pid"
	return 0
}
