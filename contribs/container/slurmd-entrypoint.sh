#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# slurmd in a container. Its options: the arguments, and SLURMD_OPTIONS. What POD_CPUS,
# POD_MEMORY (MiB) and POD_TOPOLOGY say becomes part of the node's --conf.
# munged runs where its key is mounted; auth/slurm needs none.
set -euo pipefail

# refuse WORDS
refuse() {
	echo "slurmd-entrypoint.sh: $*" >&2
	exit 1
}

# hardware NAME: what slurmd sees of the host
hardware() {
	slurmd -C | sed -n "s/.*\b$1=\([0-9]*\).*/\1/p"
}

# unquoted WORDS
unquoted() {
	tr -d "\"'" <<<"$1"
}

for name in POD_CPUS POD_MEMORY; do
	[[ ${!name:-0} =~ ^(0|[1-9][0-9]{0,9})$ ]] ||
		refuse "$name: got \"${!name}\", expected a whole number"
done
words=
if ((${POD_CPUS:-0} > 0)); then
	cores=$(($(hardware Boards) * $(hardware SocketsPerBoard) * $(hardware CoresPerSocket)))
	spared=$((cores - POD_CPUS / $(hardware ThreadsPerCore)))
	((spared <= 0)) || words+=" CoreSpecCount=$spared"
fi
if ((${POD_MEMORY:-0} > 0)); then
	spared=$(($(hardware RealMemory) - POD_MEMORY))
	((spared <= 0)) || words+=" MemSpecLimit=$spared"
fi
words+=${POD_TOPOLOGY:+ Topology=$POD_TOPOLOGY}

# --conf WORDS and --conf=WORDS are put together with ours. Quotes in SLURMD_OPTIONS are
# a shell's. Slinky's operator has quotes within an argument, too: --conf, 'Features=a'.
options=()
given=$(xargs -r printf '%s\n' <<<"${SLURMD_OPTIONS:-}" 2>/dev/null) ||
	refuse "SLURMD_OPTIONS: a quote is not closed on its line: $SLURMD_OPTIONS"
readarray -t given < <(printf %s "$given")
set -- "${given[@]}" "$@"
while (($#)); do
	case $1 in
	--conf=*) words+=" $(unquoted "${1#--conf=}")" ;;
	--conf)
		words+=" $(unquoted "${2-}")"
		(($# == 1)) || shift
		;;
	*) options+=("$1") ;;
	esac
	shift
done
[[ -z $words ]] || options+=(--conf "${words# }")

mkdir -p /run/slurm /var/spool/slurmd
if [[ -f /etc/munge/munge.key ]]; then
	install -d -o munge -g munge /run/munge
	setpriv --reuid munge --regid munge --clear-groups munged --force
fi
exec slurmd -D "${options[@]}"
