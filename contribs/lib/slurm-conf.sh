# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# slurm-conf.sh - what a private cluster's slurm.conf and the files beside it
# hold.
#
# Needs say.sh, programs.sh, accounting.sh and the words of private-cluster.

# conf_line KEY VALUE: one line of slurm.conf, unless --set has that key.
conf_line() {
	local line
	for line in ${settings[@]+"${settings[@]}"}; do
		[[ ${line%%=*} != "$1" ]] || return 0
	done
	printf '%s=%s\n' "$1" "$2"
}

# write_conf: everything is short here (scheduling, killing, credentials: a job
# can be requeued only after its credential has expired), so that a test or a
# demonstration does not wait for what a production cluster tunes for load.
write_conf() {
	local user parameters line first=$((port_base + 1))
	user=$(id -un)
	parameters=bf_interval=1,bf_resolution=1,bf_continue,sched_interval=2
	parameters+=,sched_min_interval=0,batch_sched_delay=0
	[[ $sched_type != torus ]] || parameters=sched_interval=-1,defer
	shopt -s nocasematch
	{
		echo "# written by private-cluster; see its --help"
		conf_line ClusterName private
		conf_line SlurmctldHost "localhost(127.0.0.1)"
		conf_line SlurmctldPort "$port_base"
		conf_line AuthType auth/munge
		conf_line AuthInfo "socket=$munge_socket,cred_expire=10"
		conf_line SlurmUser "$user"
		conf_line SlurmdUser "$user"
		conf_line StateSaveLocation "$cluster_dir/state"
		conf_line SlurmdSpoolDir "$cluster_dir/spool/%n"
		conf_line TmpFS "$cluster_dir/spool/%n" # or the PMIx plugins of two nodes meet in /tmp
		conf_line SlurmctldPidFile "$cluster_dir/run/slurmctld.pid"
		conf_line SlurmdPidFile "$cluster_dir/run/slurmd-%n.pid"
		conf_line SlurmctldLogFile "$cluster_dir/log/slurmctld.log"
		conf_line SlurmdLogFile "$cluster_dir/log/slurmd-%n.log"
		conf_line SlurmctldDebug verbose
		conf_line SlurmdDebug info
		conf_line ProctrackType proctrack/linuxproc
		conf_line TaskPlugin task/none
		conf_line MpiDefault none
		conf_line JobAcctGatherType jobacct_gather/none
		if [[ -n $accounting ]]; then
			accounting_conf
		else
			conf_line AccountingStorageType accounting_storage/none
		fi
		conf_line MailProg /bin/true
		conf_line ReturnToService 2
		conf_line SlurmdParameters config_overrides
		conf_line KillWait 2
		conf_line UnkillableStepTimeout 20
		conf_line SlurmctldTimeout 300
		conf_line SlurmdTimeout 300
		conf_line InactiveLimit 0
		conf_line MinJobAge 600
		conf_line SelectType "select/$select_type"
		[[ $select_type != *cons_tres ]] || conf_line SelectTypeParameters CR_Core
		conf_line SchedulerType "sched/$sched_type"
		conf_line SchedulerParameters "$parameters"
		if uses_torus; then
			conf_line PluginDir "$plugin_dir:$stock_dir"
			conf_line JobSubmitPlugins torus
		fi
		conf_line PlugStackConfig "$cluster_dir/plugstack.conf"
		[[ -z $gres ]] || conf_line GresTypes "${gres%%:*}"
		for line in ${settings[@]+"${settings[@]}"}; do
			printf '%s\n' "$line"
		done
		printf 'NodeName=%s NodeHostname=localhost NodeAddr=127.0.0.1' "$node_range"
		if ((nodes == 1)); then
			printf ' Port=%d' "$first"
		else
			printf ' Port=[%d-%d]' "$first" $((port_base + nodes))
		fi
		printf ' CPUs=%d State=UNKNOWN%s' "$cpus" "${gres:+ Gres=$gres}"
		printf ' %s' ${node_words[@]+"${node_words[@]}"}
		printf '\nPartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n'
	} >"$conf" || die "cannot write $conf"
	shopt -u nocasematch

	: >"$cluster_dir/plugstack.conf"
	! uses_torus ||
		echo "required $plugin_dir/spank_torus.so" >"$cluster_dir/plugstack.conf"
	[[ -z $gres ]] || write_gres
	[[ -z $accounting ]] || write_dbd_conf
	[[ -z $torus_file ]] ||
		install -m 644 "$torus_file" "$cluster_dir/torus.yaml" ||
		die "cannot copy $torus_file"
	# Left to itself slurmd looks for cgroups and insists on them, or, with
	# cgroup/v2, rearranges those of the machine. Nothing here uses them:
	# cgroup/v1 then does nothing at all, and 24.05 and later can be told.
	if version_at_least 24.05; then
		echo "CgroupPlugin=disabled"
	else
		echo "CgroupPlugin=cgroup/v1"
	fi >"$cluster_dir/cgroup.conf"
}

# write_gres: any device file will do for a resource that is only counted.
write_gres() {
	local devices=(/dev/null /dev/zero /dev/full /dev/random /dev/urandom) i
	{
		echo "AutoDetect=off"
		for ((i = 0; i < ${gres#*:}; i++)); do
			echo "Name=${gres%%:*} File=${devices[i]}"
		done
	} >"$cluster_dir/gres.conf"
}
