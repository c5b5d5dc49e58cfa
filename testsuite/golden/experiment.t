#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# storus experiment: what there is, wrong words, the exact ones.
. "$(dirname "$0")/lib-golden.sh"

golden list storus experiment --list
rows() # of the list, and of the claims
{
	storus experiment --list --csv | head -n 3
	storus experiment gupta-fig4 --output "$golden_tmp/rows" --json
	storus experiment gupta-fig4 --output "$golden_tmp/rows" -o experiment,verdict,got
}
golden rows rows
golden unknown storus experiment aida-fig22
golden nothing storus experiment
golden traces storus experiment mao-fig3
golden traces-wrong storus experiment mao-fig3 --traces none
logs_wrong()
{
	storus experiment mao-fig3 --traces "$golden_tmp" \
		--output "$golden_tmp/logs" 2>"$golden_tmp/said"
	status=$?
	sed "s#$(realpath "$golden_tmp")#DIR#" "$golden_tmp/said"
	return $status
}
golden logs-wrong logs_wrong
golden seeds-wrong storus experiment gupta-fig4 --seeds 7
seeds() # other random numbers: said in the data, and never more reproduced
{
	storus experiment mohapatra-hold --quick --seeds 101-103 --output "$golden_tmp/seeds" 2>/dev/null |
		grep -v ' undecided: '
	grep -h '^# seeds\|^seeds' "$golden_tmp/seeds/mohapatra-hold.csv" \
		"$golden_tmp/seeds/mohapatra-holds-1.yaml"
	grep -c ',3$' "$golden_tmp/seeds/mohapatra-hold.csv"
}
golden seeds seeds
golden output storus experiment gupta-fig4 --output /no/such/dir/x

exact() # the exact ones: claims and data
{
	storus experiment gupta-example gupta-fig4 gupta-fig5 gupta-least \
		gupta-disjoint --output "$golden_tmp/lab"
	for f in "$golden_tmp"/lab/gupta-example.csv \
		"$golden_tmp"/lab/gupta-fig4.csv \
		"$golden_tmp"/lab/gupta-fig5.csv; do
		echo "== $(basename "$f")"
		grep -v '^#' "$f"
	done
}
# whether there is a gnuplot does not matter here
exact_without() { exact 2>/dev/null; }
golden exact exact_without
# LaTeX, and what becomes of it without pdflatex and with one.
latex()
{
	mkdir "$golden_tmp/none" "$golden_tmp/bin"
	printf '#!/bin/sh\necho PDF >"$(basename "$2" .tex).pdf"\n' >"$golden_tmp/bin/pdflatex"
	chmod +x "$golden_tmp/bin/pdflatex"
	for path in "$golden_tmp/none" "$golden_tmp/bin:$PATH"; do
		(cd "$golden_tmp" && PATH=$path storus experiment gupta-fig4 bani-fig5 --latex --output l)
		(cd "$golden_tmp" && ls l.* l/*.tex)
	done
	grep -v '^%' "$golden_tmp/l.tex" "$golden_tmp/l/bani-fig5.tex" | sed "s#$golden_tmp/##"
	# a gnuplot that draws SVG and PNG alone
	cat >"$golden_tmp/bin/gnuplot" <<-'X'
		#!/bin/sh
		for name in $(sed -n "s/^set output '\(.*\)'.*/\1/p" "$1"); do
			case $name in
			*.svg) echo '<svg><title>Gnuplot</title></svg>' >"$name" ;;
			*.png) cp bani-fig5.png "$name" ;;
			esac
		done
	X
	chmod +x "$golden_tmp/bin/gnuplot"
	(cd "$golden_tmp" && PATH=$golden_tmp/bin:$PATH storus experiment gupta-fig5 --latex --output l) |
		grep notice
	grep includegraphics "$golden_tmp/l/gupta-fig5.tex"
}
golden latex latex
drawn() # the papers' drawn examples
{
	storus experiment gupta-fig1 gupta-fig3 mao-fig1 mao-fig2 bani-fig5 \
		mohapatra-fig1 mohapatra-fig2 mohapatra-fig3 --output "$golden_tmp/d"
	for f in "$golden_tmp"/d/*fig?.csv; do
		echo "== $(basename "$f")"
		grep -v '^#' "$f"
	done
	ls "$golden_tmp/d" | grep -c -e '\.svg$' -e '\.png$'
}
golden drawn drawn
# claims.md names each experiment (of one with another size or by work: the first), and
# none that is not there.
claims()
{
	storus experiment --list --csv --noheader -o experiment >"$golden_tmp/listed"
	grep -oE '(gupta|mao|aida|bani|mohapatra)-[a-z0-9-]*[a-z0-9]( to [0-9]+)?' \
		"$golden_dir/../../../doc/claims.md" | while read -r name _ last; do
		number=${name##*fig}
		while [ "$number" -le "${last:-0}" ] 2>/dev/null; do
			echo "${name%fig*}fig$number"
			number=$((number + 1))
		done
		echo "$name"
	done | sort -u >"$golden_tmp/named"
	echo "== named, but no experiment"
	grep -vxF -f "$golden_tmp/listed" "$golden_tmp/named"
	echo "== not named"
	sed 's/.*/& &/; s/\(-geometric\|-uniform\|-reverse\)\{0,1\}\(-work\)\{0,1\} / /' \
		"$golden_tmp/listed" | while read -r first name; do
		grep -qxF -e "$first" -e "$name" "$golden_tmp/named" || echo "$name"
	done
}
golden claims claims
# The page lies beside the directory, however that is written.
slash()
{
	storus experiment gupta-fig4 --output "$golden_tmp/a/" >/dev/null &&
		ls -A "$golden_tmp/a" && grep '^###' "$golden_tmp/a.md"
}
golden slash slash

# A full disk is called one, with the files' name.
full()
{
	mkdir "$golden_tmp/f"
	ln -s /dev/full "$golden_tmp/f/gupta-fig4.csv"
	storus experiment gupta-fig4 --output "$golden_tmp/f" 2>&1 |
		sed "s#$golden_tmp/##"
}
golden full full
golden_done
