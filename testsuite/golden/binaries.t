#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What is installed, as the linker made it: storus is hardened in every way that
# hardening-check asks for; plugins, too, but that slurmctld's functions, which
# other programs lack, are bound when first called. Where the compiler marks the
# targets of indirect branches, functions begin with such a mark; hardening-check
# looks at the whole file, which is unmarked if the C library's start files are.
# Plugins export the names that Slurm looks for and no other, else two of them
# could share a function. Nothing starts a shell, and the compiler sees each format.
# shellcheck source=testsuite/lib-tap.sh
. "$(dirname "$0")/../lib-tap.sh"
skip_without readelf nm objdump
build=${top_builddir:-.} top=${top_srcdir:-.}
grep -q "^PROGRAM_LDFLAGS = -pie" "$build/Makefile" ||
	skip_all "built with a sanitizer"

# has FILE WHAT PATTERN [OPTION...]: what readelf says of the file
has()
{
	has_file=$1 has_what=$2 has_pattern=$3
	shift 3
	readelf "$@" "$has_file" 2>/dev/null | grep -Eq "$has_pattern" && return
	echo "$has_file: no $has_what"
	return 1
}

protected()
{
	has "$1" "protected stack" '__stack_chk_fail' --dyn-syms -W &&
		has "$1" "fortified function" ' __[a-z]+_chk(@|$)' --dyn-syms -W
}

# marked FILE FUNCTION: it begins with a mark, if the compiler makes any
marked()
{
	grep -q '^TORUS_CFLAGS = .*-fcf-protection' "$build/Makefile" || return 0
	objdump -d --disassemble="$2" "$1" | grep -A 1 "<$2>:" | grep -q endbr && return
	echo "$1: $2 begins without a mark for indirect branches"
	return 1
}

read_only()
{
	has "$1" "read-only relocations" GNU_RELRO -lW &&
		! readelf -lW "$1" | grep -Eq 'GNU_STACK.* RWE'
}

program()
{
	has "$1" "position independence" 'Type: *DYN' -hW && read_only "$1" &&
		has "$1" "immediate binding" 'BIND_NOW|FLAGS_1.*NOW' -dW &&
		protected "$1" && marked "$1" main
}

lazy()
{
	read_only "$1" && ! has "$1" "immediate binding" 'BIND_NOW|FLAGS_1.*NOW' -dW \
		>/dev/null
}

# exports FILE PATTERN: names that are not wanted are shown
exports()
{
	nm -D --defined-only "$1" | awk '{ print $3 }' |
		grep -Ev "^($2)$" && return 1
	return 0
}

# agreed FILE OPTION...: hardening-check (Debian's devscripts), the mark of the
# whole file left out
agreed()
{
	agreed_file=$1
	shift
	hardening-check --quiet --nocfprotection "$@" "$agreed_file"
}

# no_shell FILE: it calls nothing that runs a command by a shell
no_shell()
{
	nm -D --undefined-only "$1" | awk '{ sub(/@.*/, "", $2); print $2 }' |
		grep -Ex 'system|popen|wordexp|execlp|execvp' && return 1
	return 0
}

# Functions that take a format say so to the compiler, which then warns of one that
# is no literal (-Wformat=2).
formats()
{
	grep -q '^TORUS_CFLAGS = .*-Wformat=2' "$build/Makefile" || return 1
	find "$top/include" "$top/src" "$top/plugins" -name '*.[ch]' -exec awk '
		FNR == 1 { last = before = "" }
		/(const char \*(fmt|format)), \.\.\.\)/ {
			at = FILENAME ":" FNR ": " $0
			said = before last $0
			if (FILENAME ~ /[.]c$/ && said !~ /static/)
				next # its header says so
			if (said !~ /format\(printf/ && (getline) > 0)
				said = said $0
			if (said !~ /format\(printf/) { print at; wrong = 1 }
		}
		{ before = last; last = $0 }
		END { exit wrong }' {} +
}

own="init|fini|plugin_(name|type|version)"
storus=$build/storus
[ ! -x "$build/.libs/storus" ] || storus=$build/.libs/storus
storus=$(emulated || echo "$storus")
check "storus is hardened" program "$storus"
check "every format is a literal" formats
agrees=$(command -v hardening-check)
[ -z "$agrees" ] || check "storus: hardening-check agrees" agreed "$storus"
check "storus starts no shell" no_shell "$storus"
for path in "$build"/plugins/.libs/*.so; do
	[ -f "$path" ] || continue
	name=$(basename "$path" .so) entry=init
	case $name in
	select_*) names="$own|plugin_id|select_p_[a-z_]+" ;;
	sched_*) names="$own|sched_p_reconfig" ;;
	job_submit_*) names="$own|job_submit|job_modify" ;;
	spank_*)
		names="plugin_(name|type|version)|spank_plugin_version|slurm_spank_[a-z_]+"
		entry=slurm_spank_init
		;;
	*) names="torus_slurm_api" entry=api_configure ;;
	esac
	check "$name: relocations are read-only, functions bound lazily" lazy "$path"
	check "$name exports what Slurm looks for" exports "$path" "$names"
	check "$name starts no shell" no_shell "$path"
	[ -z "$agrees" ] || check "$name: hardening-check agrees" agreed "$path" --nobindnow
	check "$name: targets of branches are marked" marked "$path" "$entry"
	case $name in
	libtorus_slurm | spank_*) check "$name: stack and buffers are guarded" protected "$path" ;;
	esac
done
tap_done
