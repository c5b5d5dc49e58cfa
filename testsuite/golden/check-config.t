#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# storus check-config: the summary of good files, the letter of every message
# for bad ones. The inputs are check-config/NAME.yaml.
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
