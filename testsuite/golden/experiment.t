#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# storus experiment: what there is, wrong words, the exact ones.
. "$(dirname "$0")/lib-golden.sh"

golden list storus experiment --list
golden unknown storus experiment aida-fig22
golden nothing storus experiment
golden traces storus experiment mao-fig3
golden traces-wrong storus experiment mao-fig3 --traces none
golden output storus experiment gupta-fig4 --output /no/such/dir/x

exact() # the exact ones: claims and data
{
	storus experiment gupta --output "$golden_tmp/lab"
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
golden_done
