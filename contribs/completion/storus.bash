# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# Completion of storus in bash: commands, options, names and files. All words
# come from the storus that is completed (storus --words), so this needs no
# change when storus learns something. Works with or without the package
# bash-completion; without it, source this file.

_storus() {
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
	local command=${COMP_WORDS[1]} words
	COMPREPLY=()

	# bash takes --json=x apart into --json, = and x
	if [[ $current == "=" ]]; then
		current=
		previous+="="
	elif [[ $previous == "=" ]]; then
		previous="${COMP_WORDS[COMP_CWORD - 2]}="
	fi

	if ((COMP_CWORD == 1)); then
		words="$("${COMP_WORDS[0]}" --words 2>/dev/null) help --help --version"
	elif [[ $previous == --* ]] &&
		words=$("${COMP_WORDS[0]}" --words "$command" "$previous" 2>/dev/null); then
		: # it takes a value
	elif [[ $current == -* ]]; then
		words=$("${COMP_WORDS[0]}" --words "$command" 2>/dev/null)
	else
		words=$("${COMP_WORDS[0]}" --words "$command" - 2>/dev/null)
	fi

	case $words in
	FILE)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
		;;
	DIRECTORY)
		compopt -o filenames 2>/dev/null
		mapfile -t COMPREPLY < <(compgen -d -- "$current")
		;;
	*)
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
		;;
	esac
} &&
	complete -F _storus storus
