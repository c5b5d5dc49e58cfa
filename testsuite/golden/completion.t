#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Completion in bash (contribs/completion/storus.bash): a command line, and what
# the tabulator key would offer for its last word.
. "$(dirname "$0")/lib-golden.sh"

skip_without bash

# tab WORD...: the words as bash parts them, the last to be completed.
tab()
{
	echo "\$ storus $*"
	PATH=$golden_top:$PATH bash -c '
		shopt -s extglob
		. "$1"
		shift
		complete -p storus >/dev/null || exit
		COMP_WORDS=(storus "$@")
		COMP_CWORD=$#
		_storus
		((${#COMPREPLY[@]} == 0)) || printf "%s\n" "${COMPREPLY[@]}"
	' bash "$completion" "$@"
}
completion=$(cd "${top_srcdir:-.}" && pwd)/contribs/completion/storus.bash

words()
{
	tab re
	tab replay --disc
	tab replay --discipline eas
	tab replay --strategy subm
	tab replay --overrun =
	tab replay --strategy = subm
	tab replay --estimate ''
	tab replay t
	tab replay --torus s
	tab replay --json t
	tab replay --json = t
	tab replay --seed ''
	tab generate aida
	tab generate --format ''
	tab generate --from t
	tab list ''
	tab plan ''
	tab experiment moh
	tab experiment --output d
	tab parity t
	tab map --conn-type ''
	tab map --o
	tab help ex
	tab nothing ''
}
golden words words

# sbatch, salloc and srun: what Slurm's own completion has, and our options, which those of
# the stand-in are beside.
slurm_tab() # LOADER WORD...: LOADER defines _completion_loader
{
	loader=$1
	shift
	echo "\$ $*"
	PATH=$golden_top:$PATH bash -c '
		. "$1"
		eval "$2"
		shift 2
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		COMP_LINE="$*"
		COMP_POINT=${#COMP_LINE}
		_slurm_torus "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
		((${#COMPREPLY[@]} == 0)) || printf "%s\n" "${COMPREPLY[@]}"
		complete -p "$1" | grep -o "_slurm_torus"
	' bash "${completion%/*}/slurm-torus.bash" "$loader" "$@"
}
slurm_words()
{
	own='_completion_loader() { complete -F _own sbatch srun; return 124; }
		_own() { COMPREPLY=($(compgen -W "--nodes= --gres=" -- "${COMP_WORDS[COMP_CWORD]}")); }'
	slurm_tab "$own" sbatch --
	slurm_tab "$own" sbatch --g
	slurm_tab "$own" srun --b
	slurm_tab "$own" salloc --pl
	slurm_tab "$own" sbatch --conn-type = t
	slurm_tab "$own" sbatch --rank-order ''
	slurm_tab "$own" sbatch --geometry ''
	slurm_tab "$own" srun --placement = semitorus-n
	slurm_tab : sbatch --ra
}
golden of-slurm slurm_words
slurm_own=/usr/share/bash-completion
if [ -e $slurm_own/bash_completion ] && [ -e $slurm_own/completions/sbatch ]; then
	for name in sbatch salloc srun; do
		slurm_tab ". $slurm_own/bash_completion" $name --ge >"$golden_tmp/ours" 2>&1
		slurm_tab ". $slurm_own/bash_completion" $name --part >>"$golden_tmp/ours" 2>&1
		grep -qx -e --geometry "$golden_tmp/ours" && grep -q '^--partition' "$golden_tmp/ours"
		tap_result $? "$name: Slurm's own options and ours" "$(cat "$golden_tmp/ours")"
	done
else
	tap_skip "Slurm's own options and ours" "Slurm's completion is not installed"
fi

# The same in zsh, with its own words that offer replaced by printing.
ztab()
{
	echo "\$ storus $*"
	PATH=$golden_top:$PATH zsh -f -c '
		compadd() { shift; print -l -- "$@" }
		compset() { : }
		_files() { print -- "files $*" }
		file=$1
		shift
		words=(storus "$@")
		CURRENT=$#words
		source $file
	' zsh "${completion%/*}/_storus" "$@"
}
zsh_words()
{
	ztab slo | grep -x slots
	ztab slots --
	ztab defrag --cost ''
	ztab defrag --cost=rem
	ztab slots --snapshot ''
	ztab list ''
}
if command -v zsh >/dev/null; then
	golden zsh zsh_words
fi

# Every option of every --help is offered, and only these.
all()
{
	for command in $(storus --words); do
		storus "$command" --help |
			sed -n 's/^  \(-[a-zA-Z], \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p' | sort >"$golden_tmp/help"
		storus --words "$command" | sort | diff "$golden_tmp/help" - ||
			echo "$command differs"
	done
	storus --help | sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p' |
		diff - "$golden_tmp/commands" && echo all
}
storus --words >"$golden_tmp/commands"
golden all all

# In the shell itself: every command, every option of every command, the names of the
# registries wherever an option takes them, and files where it takes a file. Prints what
# is not offered. SHELL_offer WORD...: what is offered for the last of the words.
cat >"$golden_tmp/offered" <<'END'
missing=0
offers() # WANTED WORD...
{
	wanted=$1
	shift
	tried=$((${tried:-0} + 1))
	offer "$@"
	case " $offered " in
	*" $wanted "*) ;;
	*) echo "storus $*: no $wanted" && missing=1 ;;
	esac
}
while read -r command; do
	offers "$command" "$command"
	while read -r option; do
		offers "$option" "$command" "$option"
		case $option in
		--strategy) offers semitorus-nep "$command" "$option" semi ;;
		--discipline) offers conservative "$command" "$option" cons ;;
		--snapshot | --link-file | --costs | --schedule)
			offers tosee.txt "$command" "$option" tose ;;
		esac
	done <"$1/options.$command"
done <"$1/commands"
[ $missing = 0 ] && echo "all of $(test "$tried" -gt 300 && echo "more than 300") are offered"
END
cat >"$golden_tmp/bash" <<'END'
shopt -s extglob
. "$2"
offer()
{
	COMP_WORDS=(storus "$@")
	COMP_CWORD=$#
	_storus
	offered=${COMPREPLY[*]}
}
. "$1/offered"
END
cat >"$golden_tmp/zsh" <<'END'
compadd()
{
	shift
	offered="${(M)@:#${words[CURRENT]}*}"
}
compset() { : }
_files() { offered="$(print -r -- ${words[CURRENT]}*(N))" }
source "$2" 2>/dev/null
offer()
{
	offered=
	words=(storus "$@")
	CURRENT=$#words
	_storus
}
source "$1/offered"
END
offered() # SHELL FILE
{
	touch "$golden_tmp/tosee.txt"
	for command in $(storus --words); do
		storus --words "$command" >"$golden_tmp/options.$command"
	done
	(cd "$golden_tmp" && PATH=$golden_top:$PATH "$1" "$golden_tmp/$1" "$golden_tmp" "$2")
}
golden offered offered bash "$completion"
if command -v zsh >/dev/null; then
	golden offered offered zsh "${completion%/*}/_storus"
else
	tap_skip "offered in zsh" "there is no zsh"
fi

# Disciplines, strategies and models are those of storus list.
registries()
{
	for pair in disciplines:replay:--discipline strategies:replay:--strategy \
		models:generate:-; do
		list=${pair%%:*}
		rest=${pair#*:}
		storus list "$list" --json | jq -r ".${list}[] | .name" |
			sort >"$golden_tmp/list"
		storus --words "${rest%%:*}" "${rest#*:}" | sort |
			comm -13 - "$golden_tmp/list"
	done
}
if command -v jq >/dev/null; then
	golden registries registries
fi
golden_done
