# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Completion of sbatch, salloc and srun in bash: what Slurm's own completion offers, and the
# options of slurm-torus, which `storus --words sbatch` knows. bash-completion reads
# this file at the start of the shell; Slurm's own is loaded when it is first needed.

declare -A _slurm_torus_own

_slurm_torus() {
	local name=${1##*/} current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	local words command

	if [[ -z ${_slurm_torus_own[$name]+set} ]]; then
		complete -r sbatch salloc srun
		_completion_loader "$name" 2>/dev/null
		for command in sbatch salloc srun; do
			words=$(complete -p "$command" 2>/dev/null)
			[[ $words == *" -F "* ]] && words=${words#* -F } || words=
			_slurm_torus_own[$command]=${words%% *}
		done
		complete -o filenames -F _slurm_torus sbatch salloc srun
	fi
	# bash takes --conn-type=x apart into --conn-type, = and x
	if [[ $current == "=" ]]; then
		current=
	elif [[ $previous == "=" ]]; then
		previous=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	COMPREPLY=()
	if [[ $previous == --* ]] && words=$(storus --words "$name" "$previous" 2>/dev/null); then
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
		return
	fi
	[[ -z ${_slurm_torus_own[$name]} ]] || "${_slurm_torus_own[$name]}" "$@"
	[[ $current == --* ]] || return 0
	mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(
		compgen -W "$(storus --words "$name" 2>/dev/null)" -- "$current"
	)
} &&
	complete -o filenames -F _slurm_torus sbatch salloc srun
