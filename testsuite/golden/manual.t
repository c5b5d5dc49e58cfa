#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The manual pages: storus(1) and one for each command, from the tables that --help
# prints. Every option, command, exit status and variable is in them, and they
# render without a warning.
# shellcheck source=testsuite/lib-tap.sh
. "$(dirname "$0")/../lib-tap.sh"
top=$(cd "${top_srcdir:-.}" && pwd)
build=$(cd "${top_builddir:-.}" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/torus-manual-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

storus()
{
	"$build/storus" "$@"
}

commands=$(storus --words | grep -vx sbatch)

# in_page PAGE TEXT...: each is the beginning of a line, as roff has it
in_page()
{
	page=$build/doc/commands/$1.1
	shift
	for text; do
		roff=$(echo "$text" | sed 's/-/\\-/g')
		grep -qF -- "$roff" "$page" || {
			echo "$page: $text is missing"
			return 1
		}
	done
}

has_page()
{
	for command in $commands; do
		[ -r "$top/doc/commands/storus-$command.1.in" ] &&
			in_page "storus-$command" "storus-$command - " ".SH SYNOPSIS" \
				".SH EXIT STATUS" ".SH EXAMPLES" || return 1
		in_page storus "storus-$command" &&
			storus "$command" --help | grep -q "storus-$command(1)" || return 1
	done
}
check "each command has a page, and its help names it" has_page

# entries PAGE: the options that it describes, each once
entries()
{
	awk 'before == ".TP" { print } { before = $0 }' "$build/doc/commands/$1.1" |
		sed -n 's/^.*fB.-.-\([a-z0-9\\-]*\).fR.*/--\1/p' | sed 's/\\-/-/g' | sort
}

has_options()
{
	for command in $commands; do
		storus --words "$command" | sed 's/=$//; /^--help$/d' | sort >"$work/rows"
		entries "storus-$command" >"$work/entries"
		diff "$work/rows" "$work/entries" || return 1
	done
}
check "each option of each command is in its page, once" has_options

same_help()
{
	[ "$(storus help slots)" = "$(storus slots --help)" ] &&
		storus help nosuch 2>&1 | grep "nosuch: no such command"
}
check "storus help COMMAND prints the help of the command" same_help

narrow()
{
	for command in $commands; do
		storus "$command" --help
	done | awk 'length($0) > 80 { print; wide = 1 } END { exit wide }'
}
check "no line of a --help is wider than 80 columns" narrow

statuses()
{
	storus --help | sed -n 's/^  [0-3]  \([^ ]* [a-z]*\).*/\1/p' >"$work/statuses"
	[ "$(wc -l <"$work/statuses")" = 3 ] || [ "$(wc -l <"$work/statuses")" = 4 ] ||
		return 1
	while read -r text; do
		grep -i "^$text" "$build/doc/commands/storus.1" || return 1
	done <"$work/statuses"
}
check "storus(1) has the exit statuses of storus --help" statuses

# variables: what the command reads from its environment
variables()
{
	grep -rhoE 'getenv\("[A-Z_]+"' "$top/src/storus" | sed 's/.*"\(.*\)"/\1/' | sort -u |
		while read -r name; do
			grep -qE "^\.B $name\$|fB$name" "$build"/doc/commands/*.1 || {
				echo "$name is in no page"
				return 1
			}
		done
}
check "each environment variable that storus reads is in a page" variables

unknown_option()
{
	printf 'Text.\n.@ option nosuch\n' >"$work/page.in"
	storus --manual slots "$work/page.in" 2>"$work/err"
	[ $? = 2 ] && grep 'page.in:2: option "nosuch" is not in the table' "$work/err"
}
check "a source that names an option without a row is refused" unknown_option

unnamed_options()
{
	echo "Text." >"$work/page.in"
	storus --manual slots "$work/page.in" >"$work/page" &&
		grep -q '^.fB.-.-partition.fR' "$work/page" &&
		grep -q '^.fB.-.-json.fR' "$work/page"
}
check "options that a source does not name are in the page" unnamed_options

pages()
{
	printf "%s\n" "$build"/doc/commands/*.1 "$build"/doc/*.[1-9] "$top"/doc/*.[1-9] | sort -u
}

renders()
{
	pages | while read -r page; do
		man --warnings -E UTF-8 -l "$page" 2>"$work/warnings" >/dev/null || return 1
		[ ! -s "$work/warnings" ] || {
			echo "$page"
			cat "$work/warnings"
			return 1
		}
	done
}
if command -v man >/dev/null && command -v groff >/dev/null; then
	check "man renders all pages without a warning" renders
else
	tap_skip "man renders all pages without a warning" "man or groff is not installed"
fi

lint()
{
	pages | while read -r page; do
		mandoc -T lint -W warning "$page" || return 1
	done
}
if command -v mandoc >/dev/null; then
	check "mandoc finds no mistake in the pages" lint
else
	tap_skip "mandoc finds no mistake in the pages" "mandoc is not installed"
fi
tap_done
