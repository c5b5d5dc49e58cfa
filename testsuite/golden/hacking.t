#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every file, folder and function that the pages for developers name is in the tree; the
# manual has each word of a request.

# shellcheck source=testsuite/lib-tap.sh
. "$(dirname "$0")/../lib-tap.sh"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
storus=$(cd "${top_builddir:-.}" && pwd)/storus
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

cd "$top_srcdir" || exit 1
[ -r HACKING.md ] || skip_all "a distribution lacks the pages for developers"
find HACKING.md README.md configure.ac include src plugins testsuite doc contribs \
	debian >"$tmp/tree" 2>/dev/null

# named PAGE: files and folders but those of the recipes' examples
named()
{
	grep -oE '[A-Za-z0-9_.%/-]*[A-Za-z0-9_-]+\.(c|h|t|sh|md|inc|ac|js|html|awk)\b|\b(src|plugins|include|testsuite|contribs|doc)/([A-Za-z0-9_-]+/)*' "$1" |
		grep -vE '(^|/)(mine|NAME)\.[ch]$' | sed 's|^\./||' | sort -u
}

# files PAGE: each name is the end of a path of the tree
files()
{
	named "$1" >"$tmp/names"
	[ -r "$1" ] || return 1
	while read -r name; do
		name=${name%/}
		grep -qxE "(.*/)?$(printf %s "$name" | sed 's/\./\\./g')" "$tmp/tree" ||
			echo "$name"
	done <"$tmp/names" >"$tmp/missing"
	cat "$tmp/missing"
	[ ! -s "$tmp/missing" ]
}

# functions PAGE: each name() with an underscore stands in the sources
functions()
{
	[ -r "$1" ] || return 1
	grep -oE '\b[a-z][a-z0-9]*_[a-z0-9_]+\(\)' "$1" | tr -d '()' | sort -u |
		while read -r name; do
			grep -rqw "$name" --include='*.[ch]' include src plugins ||
				echo "$name"
		done >"$tmp/missing"
	cat "$tmp/missing"
	[ ! -s "$tmp/missing" ]
}

for page in HACKING.md doc/design.md doc/decisions.md doc/glossary.md doc/testing.md \
	doc/security.md doc/strategies.md; do
	check "$page: its files are there" files "$page"
	check "$page: its functions are there" functions "$page"
done

# words: the manual names each word of a request, its default and what a prolog sees
words()
{
	page=doc/slurm-torus.7
	"$storus" --words update | grep -vxE -e '--(help|json|csv|noheader|format)|-o' | while read -r option; do
		name=$(printf %s "${option#--}" | tr a-z- A-Z_)
		for text in "$(printf %s "$option" | sed 's/-/\\-/g')" "SBATCH_$name" \
			"SPANK_TORUS_REQ_$name"; do
			grep -qF -e "$text" "$page" || echo "$text"
		done
	done >"$tmp/missing"
	cat "$tmp/missing"
	[ ! -s "$tmp/missing" ]
}
check 'slurm-torus.7 has each word of a request' words

# One header alone depends on the version of Slurm (HACKING.md, "A new version of Slurm").
one_header()
{
	! grep -rnE '^ *# *(if|elif).*(SLURM_VERSION|COMPAT_[0-9])' plugins \
		--include='*.[ch]' | grep -v '^plugins/slurmctld/slurm_compat.h:'
}
check "slurm_compat.h alone depends on Slurm's version" one_header
tap_done
