# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# programs.sh - which Slurm a private cluster runs: that of --prefix or the
# machine's, its own plugins, and ours.
#
# Needs say.sh and the words of private-cluster.

# use_prefix: Slurm's commands are those of --prefix.
use_prefix() {
	[[ -z $prefix ]] || PATH=$prefix/bin:$prefix/sbin:$PATH
}

check_prefix() {
	[[ -n $prefix ]] || return 0
	[[ -x $prefix/sbin/slurmctld ]] ||
		die "--prefix: there is no $prefix/sbin/slurmctld; Slurm is not installed there"
	prefix=$(cd "$prefix" && pwd)
}

# find_program NAME: prints the path of one of Slurm's daemons.
find_program() {
	if [[ -n $prefix ]]; then
		printf '%s\n' "$prefix/sbin/$1"
	else
		command -v "$1-wlm" || command -v "$1"
	fi
}

# link_programs: slurmctld and friends ask the program's own name what they are,
# Debian installs them as slurmctld-wlm and so on, and its slurmd-wlm would start
# the slurmstepd of the emulator package. So they run through links of our own.
link_programs() {
	local name real
	for name in slurmctld slurmd slurmstepd ${accounting:+slurmdbd}; do
		real=$(find_program "$name") || die "$name is not installed"
		ln -s "$real" "$cluster_dir/bin/$name" || exit 1
	done
	command -v munged >/dev/null || die "munged is not installed"
	if [[ -f $here/lib/loopback.so ]]; then # an image has it and no compiler
		ln -s "$here/lib/loopback.so" "$cluster_dir/bin/loopback.so" || exit 1
		return
	fi
	command -v cc >/dev/null || die "there is no C compiler (cc)"
	cc -shared -fPIC -O1 -o "$cluster_dir/bin/loopback.so" \
		"$here/lib/loopback.c" -ldl || die "cannot build lib/loopback.c"
}

# version_at_least X.Y: is the cluster's Slurm that new?
version_at_least() {
	local slurm_version
	slurm_version=$("$cluster_dir/bin/slurmctld" -V) || die "slurmctld does not run"
	slurm_version=${slurm_version##* }
	[[ $(printf '%s\n' "$1" "$slurm_version" | sort -V | head -n 1) == "$1" ]]
}

uses_torus() {
	[[ $select_type == torus* || $sched_type == torus ]]
}

# stock_plugin_dir: where Slurm's own plugins are. PluginDir replaces the
# compiled-in path, so ours has to name both.
stock_plugin_dir() {
	local dir dirs=(/usr/lib/*/slurm-wlm /usr/lib64/slurm /usr/lib/slurm
		/usr/local/lib/slurm)
	[[ -z $prefix ]] || dirs=("$prefix"/lib{,64}/slurm{,-wlm} "$prefix"/lib/*/slurm{,-wlm})
	for dir in "${dirs[@]}"; do
		if [[ -f $dir/select_linear.so || -f $dir/auth_munge.so ]]; then
			printf '%s\n' "$dir"
			return 0
		fi
	done
	die "Slurm's own plugins are nowhere to be found; use --prefix"
}

check_plugins() {
	local file
	if uses_torus; then
		plugin_dir=$(cd "$plugin_dir" 2>/dev/null && pwd) ||
			die "no such plugin directory; build the project, or use --plugin-dir"
		for file in "select_$select_type" job_submit_torus spank_torus; do
			[[ $file != select_torus* && $file == select_* ||
				-f $plugin_dir/$file.so ]] ||
				die "$plugin_dir has no $file.so"
		done
		[[ $sched_type != torus || -f $plugin_dir/sched_torus.so ]] ||
			die "$plugin_dir has no sched_torus.so"
		stock_dir=$(stock_plugin_dir) || exit 1
	fi
	[[ -z $torus_file || -r $torus_file ]] || die "cannot read $torus_file"
}
