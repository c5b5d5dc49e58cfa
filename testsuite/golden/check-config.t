#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# storus check-config: the summary of good files, the letter of every message
# for bad ones. The inputs are check-config/NAME.yaml.
# shellcheck disable=SC2086 # $right is four words
. "$(dirname "$0")/lib-golden.sh"

config() # NAME [OPTION]...
{
	golden "$1" storus check-config "$1.yaml"
}

# good ones
config minimal
config full
config topology
golden full-json storus check-config full.yaml --json

# bad ones
config example
config everything
config yaml
config nodes
config regions
config scheduler

# against slurm.conf
golden slurm-conf storus check-config conf.yaml --slurm-conf slurm.conf
golden slurm-conf-wrong storus check-config conf.yaml --slurm-conf wrong.conf
golden slurm-conf-loop storus check-config conf.yaml --slurm-conf loop.conf
golden slurm-conf-none storus check-config conf.yaml --slurm-conf nowhere.conf
live_conf() # $SLURM_CONF, without the option
{
	sed /pod1/,$\d conf.yaml >"$golden_tmp/torus.yaml"
	cp -r slurm.conf conf.d "$golden_tmp"
	echo "SlurmUser=$(id -un)" >>"$golden_tmp/slurm.conf"
	SLURM_CONF=$golden_tmp/slurm.conf storus check-config |
		sed "s|$golden_tmp|DIRECTORY|"
	rm "$golden_tmp/slurm.conf"
}
golden slurm-conf-live live_conf

# files and usage
golden no-file storus check-config nowhere/torus.yaml
golden two-files storus check-config minimal.yaml full.yaml
golden option storus check-config --jsn
beside() # torus.yaml beside $SLURM_CONF
{
	cp "$golden_dir/minimal.yaml" "$golden_tmp/torus.yaml"
	SLURM_CONF=$golden_tmp/slurm.conf storus check-config |
		sed "s|$golden_tmp|DIRECTORY|"
}
golden beside beside

# what slurmctld finds: a site's own files, in a directory of their own
user=$(id -un)
site_files() # SELECT SUBMIT SCHEDULER PARAMETERS [LINE-OF-PLUGSTACK]...
{
	rm -rf "${golden_tmp:?}/etc"
	mkdir -p "$golden_tmp/etc/stack.d" "$golden_tmp/etc/spool" || return 1
	{
		printf 'SlurmUser=%s\nSelectType=%s\n' "$user" "$1"
		printf 'JobSubmitPlugins = "%s"\r\n' "$2"
		printf 'SchedulerType=%s\nNodeName=n[0-7]\nInclude more.conf\n' "$3"
	} >"$golden_tmp/etc/slurm.conf"
	echo "schedulerparameters=$4" >"$golden_tmp/etc/more.conf"
	cat >"$golden_tmp/etc/torus.yaml" <<-END
	toruses:
	  - {name: pod0, dims: [4, 2], nodes: "n[0-7]", links: links}
	scheduler:
	  plan_file: $golden_tmp/etc/spool/plan
	  journal: $golden_tmp/etc/spool/journal.csv
	END
	: >"$golden_tmp/etc/links"
	shift 4
	printf '%s\n' "$@" >"$golden_tmp/etc/plugstack.conf"
	chmod 644 "$golden_tmp/etc"/*.conf "$golden_tmp/etc/torus.yaml" "$golden_tmp/etc/links"
}
site_said()
{
	(SLURM_CONF=$golden_tmp/etc/slurm.conf storus check-config 2>&1; echo "status $?") |
		sed "s|$golden_tmp|DIRECTORY|g; s/-o $user /-o USER /"
}
site_plugins() { site_files "$@" && site_said; }
right='select/torus torus sched/torus sched_interval=-1,defer'

golden site site_plugins select/torus_cons_tres lua,job_submit/torus sched/torus bf_window=60,defer,sched_interval=-1 \
	'# comment' 'optional other.so' 'required /usr/lib/slurm/spank_torus.so # shapes'
golden site-backfill site_plugins select/torus torus sched/backfill bf_continue 'required spank_torus.so'
golden site-linear site_plugins select/linear torus sched/backfill defer 'required spank_torus.so'
golden site-no-select site_plugins select/cons_tres lua sched/torus sched_interval=-1,defer 'required spank_torus.so'
golden site-no-submit site_plugins select/torus torus2,lua sched/backfill defer 'required spank_torus.so'
golden site-parameters site_plugins select/torus torus sched/torus sched_interval=-10,defer_batch 'required spank_torus.so'
golden site-no-spank site_plugins $right 'required torus.so' '#required spank_torus.so' 'required my_spank_torus.so'
golden site-optional site_plugins $right '' 'optional spank_torus.so'
golden site-rollback site_plugins select/linear lua sched/backfill defer 'required spank_torus.so'
golden site-stock site_plugins select/linear lua sched/backfill defer 'required other.so'
included() # NAME LINE: plugstack.conf includes what is in stack.d
{
	site_files $right 'include stack.d/*.conf' 'include /nowhere/*'
	printf 'required other.so\n' >"$golden_tmp/etc/stack.d/a.conf"
	printf '%s\n' "$2" >"$golden_tmp/etc/stack.d/$1"
	site_said
}
golden site-include included b.conf 'required spank_torus.so'
golden site-include-other included b.off 'required spank_torus.so'
golden site-include-optional included b.conf 'optional	spank_torus.so verbose'
golden site-include-loop included b.conf 'include *.conf'
without() # FILE: a host that has no such file
{
	site_files $right 'required spank_torus.so'
	rm "$golden_tmp/etc/$1"
	site_said
}
golden site-no-plugstack without plugstack.conf
mode() # MODE FILE
{
	site_files $right 'required spank_torus.so'
	chmod "$1" "$golden_tmp/etc/$2"
	site_said
}
golden site-mode mode 664 torus.yaml
golden site-mode-other mode 646 torus.yaml
golden site-mode-links mode 666 links
owner() # files of somebody who is neither root nor SlurmUser, to everybody but root
{
	site_files $right 'required spank_torus.so'
	chown 1 "$golden_tmp/etc/torus.yaml" "$golden_tmp/etc/links" 2>/dev/null ||
		sed -i 's/^SlurmUser=.*/SlurmUser=daemon/' "$golden_tmp/etc/slurm.conf"
	site_said | sed -E 's/user [0-9]+:/user N:/; s/\([0-9]+\)/(SLURM)/' |
		grep -v " and has the mode"
}
golden site-owner owner
directory() # KEY PATH
{
	site_files $right 'required spank_torus.so'
	sed -i "s|$1: .*|$1: $2|" "$golden_tmp/etc/torus.yaml"
	site_said
}
golden site-no-directory directory plan_file /nowhere/at/all/plan
golden site-no-directory-journal directory journal "$golden_tmp/etc/run/journal.csv"
golden site-file-for-directory directory plan_file "$golden_tmp/etc/slurm.conf/plan"
golden site-journal-directory directory journal "$golden_tmp/etc/spool"
elsewhere() # a torus.yaml that slurmctld does not read: notices
{
	site_files $right 'required spank_torus.so'
	sed 's|spool|nospool|; s/, links: links//' "$golden_tmp/etc/torus.yaml" >"$golden_tmp/new.yaml"
	chmod 666 "$golden_tmp/new.yaml"
	(storus check-config "$golden_tmp/new.yaml" --slurm-conf "$golden_tmp/etc/slurm.conf"
	echo "status $?"
	SLURM_CONF=$golden_tmp/none storus check-config "$golden_tmp/new.yaml"; echo "status $?") 2>&1 |
		sed "s|$golden_tmp|DIRECTORY|g; s/-o $user /-o USER /"
}
golden site-elsewhere elsewhere

# the examples of torus.yaml(5)
manual() # NUMBER
{
	awk -v want="$1" '
		/^\.EX/ { inside = 1; getline; if (/^toruses:/) n++ }
		/^\.EE/ { inside = 0 }
		inside && n == want { gsub(/\\-/, "-"); print }
	' "${top_srcdir:-$golden_dir/../../..}/doc/torus.yaml.5" \
		>"$golden_tmp/torus.yaml"
	storus check-config "$golden_tmp/torus.yaml" |
		sed "s|$golden_tmp|DIRECTORY|"
}
golden manual-1 manual 1
golden manual-2 manual 2
golden_done
