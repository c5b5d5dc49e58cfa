#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# storus place: answers, and what is busy.
. "$(dirname "$0")/lib-golden.sh"

golden fits storus place --torus 8x8x8:MMM --busy 0,0,0+2x4x4 --geometry 2x1x2 \
	--strategy submesh-tbl
golden fits-json storus place --torus 4x4 --geometry 4x2 --no-rotate --json
golden ladder storus place --torus 4x4:MM --busy 0,0+1x1 \
	--geometry 4x4,4x3@10m,2@2h
golden ladder-not-now storus place --torus 4x4:MM --busy 0,0+1x1 \
	--geometry 4x4,4x4x4@10m
golden not-now storus place --torus 4x4:MM --busy 0,0+4x3 --geometry 2x2
golden never-json storus place --torus 4x4 --geometry 2^3 --json
golden all storus place --torus 4x4 --busy 0,0+1x4 --geometry 3x4 --all
golden overlap storus place --torus 4x4 --busy 0,0+2x2 --busy 1,1+2x2 \
	--busy '{15}' --geometry 9
golden wrong storus place --torus 4x4 --busy 0,0+2x5 --busy 9 --geometry 2xx2

# forms of other systems, and shapes that nearly fit: the nearest form that works
each()
{
	for each_shape; do
		echo "$each_shape:"
		storus place --torus 4x4x4 --geometry "$each_shape" 2>&1
	done
}
golden nearest each '4*4*4' 4X4X4 4:4:4 '4 x 4 x 4' node=4x4x4 '[4, 4, 4]' 4,4,4 5x2 16x2 8x9 \
	2x2x2x2 65 7

# regions that the strategy could have given are its jobs
golden subtorus storus place --torus 8x8 --strategy subtorus \
	--busy 0,0+4x4/2x2 --geometry 4x4
golden contention storus place --torus 8x8 --strategy subtorus \
	--busy 0,0+4x4/2x2 --busy 1,1+4x4/2x2 --geometry 4x4
golden contention-json storus place --torus 8x8 --strategy subtorus \
	--busy 0,0+4x4/2x2 --busy 1,1+4x4/2x2 --geometry 2x2 --json
# a box across the row of what is asked for uses a half of its links
golden contention-box storus place --torus 8:T --strategy subtorus \
	--busy 0+3 --busy '{4,6}' --geometry 2
golden tree storus place --torus 2x4x4x8 --strategy semitorus-nep \
	--busy 0,0,0,0+2x4x2x1 --geometry 16

# each place of a list strategy and of a tree; Best and Worst Fit; the diagonal
golden all-tbl storus place --torus 3x3x2:MMM --busy 0,0,0+2x3x2 --geometry 1x3x2 \
	--strategy submesh-tbl --all
golden all-tree storus place --torus 4x8 --busy 0,0+4x2 --geometry 8 \
	--strategy semitorus-ep --all
golden best storus place --torus 4x4:MM --busy 0,0+1x4 --geometry 2x1 --strategy submesh-bf
golden worst storus place --torus 4x4:MM --busy 0,0+1x4 --geometry 2x1 --strategy submesh-wf
for shape in 3x3 3x2 20 65 '4x4 --conn-type torus'; do
	# shellcheck disable=SC2086
	golden "diagonal-$(echo "$shape" | tr -d ' -')" storus place --torus 8x8 --busy 0,0+2x2 \
		--strategy subtorus-diagonal --all --geometry $shape
done
golden diagonal-none storus place --torus 8x4 --strategy subtorus-diagonal --geometry 2x2

# the strategies of Bani-Mohammad et al. get axes of 1 as typed, if there are as many axes
# as dimensions: without turning, axis i lies along dimension i
for strategy in ff bl tff tbl; do
	golden "ones-$strategy" storus place --torus 4x8x4:MMM \
		--strategy "submesh-$strategy" --geometry 1x8x1
	golden "ones-fewer-$strategy" storus place --torus 4x8x4:MMM \
		--strategy "submesh-$strategy" --geometry 8x1
	golden "ones-last-$strategy" storus place --torus 4x4x4:MMM \
		--busy 0,0,0+3x4x4 --strategy "submesh-$strategy" --geometry 1x2x3
done
# Fig. 5
golden ones-fig5 storus place --torus 4x4x4:MMM --busy 0,0,0+2x4x4 \
	--geometry 2x1x2 --strategy submesh-tbl
golden ones-fig5-third storus place --torus 4x4x4:MMM --busy 0,0,0+2x4x4 \
	--busy 2,0,0+2x1x2 --geometry 1x2x1 --strategy submesh-tbl --json
golden ones-never storus place --torus 4x8x4:MMM --geometry 8x1x1 \
	--strategy submesh-bl

# the heaviest node counts: none of 7 or 100, none of 100, then any; of a flat torus the
# lightest nodes; a snapshot has the cluster's weights, and the nodes that are asleep
golden weights-lightest storus place --torus weights.yaml --geometry 4
golden weights-second storus place --torus weights.yaml --geometry 2x3 --json
golden weights-any storus place --torus weights.yaml --geometry 3x3
golden weights-flat storus place --torus weights.yaml --busy pod0:0,0+4x4 --busy 'rest:{5}' \
	--geometry 5
golden weights-asleep storus place --snapshot weights.snap --geometry 2x2
golden weights-explain storus explain --snapshot weights.snap 18
hints() # what a refusal says to ask for has a place
{
	for machine in 4x4x2 4x4x4:TTM 8x4:MT; do
		for letters in nav M T MT TM TT MM TTM MTT TMT; do
			for shape in 3^1 5^1 3x3 3x2 5x2 3x4 2x9 9x9 3x3x3 5x2x2 2x3x4 4x3x3; do
				said=$(storus place --torus "$machine" --geometry "$shape" --conn-type "$letters" 2>&1 | head -n 1)
				hint=$(echo "$said" | sed -n 's/.*; ask for \([0-9x^]*\).*/\1/p')
				conn=$(echo "$said" | sed -n 's/.* with --conn-type=//p')
				[ -z "$hint" ] || hints=$((${hints:-0} + 1))
				[ -z "$hint" ] || storus place --torus "$machine" --geometry "$hint" \
					--conn-type "${conn:-$letters}" >/dev/null 2>&1 ||
					echo "$machine $letters $shape: $said"
			done
		done
	done
	echo "$hints hints"
}
golden hints hints

golden_done
