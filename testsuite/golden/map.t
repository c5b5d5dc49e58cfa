#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# storus map: one layout, several drawers; places asked for; what is refused.
. "$(dirname "$0")/lib-golden.sh"
unset COLUMNS

at() # SEC OPTION...: the schedule at that time
{
	sec=$1
	shift
	storus map --torus 4x4x2 --schedule jobs.csv --at "$sec" "$@"
}

drawn() # FILE OPTION...: what is in the file that was drawn, but for where it
	# comes from (provenance.t)
{
	file=$golden_tmp/$1
	shift
	storus map --output "$file" "$@"
	echo "$?"
	sed '/^<metadata>$/,/^<\/metadata>$/d
		/^<meta name="\(storus\|command\|schedule_sha256\)"/d
		/^\(storus\|command\|schedule_sha256\): /d' "$file"
}

golden schedule at 20
golden later at 60
# A log whose clock begins at 0, with the date of that: seconds or dates of it.
dates()
{
	printf '; UnixStartTime: 1709287200\n%s\n' \
		'1 0 0 3600 4 -1 -1 4 7200 -1 1 1 1 -1 -1 -1 -1 -1' >"$golden_tmp/dated.swf"
	storus replay --torus 4x4 --schedule "$golden_tmp/dated.csv" "$golden_tmp/dated.swf" >/dev/null
	for time in 60 2024-03-01T10:01:00 1709287260 2024-03-02; do
		storus map --torus 4x4 --schedule "$golden_tmp/dated.csv" --at "$time" | grep busy
	done
}
golden dates dates
golden rings storus map --torus links.yaml --schedule rings.csv --at 10
golden txt drawn a.txt --torus 4x4x2 --schedule jobs.csv --at 20 --fit 2x2
golden svg drawn a.svg --torus 4x4x2 --schedule jobs.csv --at 20 --fit 2x2
golden html drawn a.html --torus 4x2 --busy 0,0+2x1 --busy '{5}' --fit 2

# the layout: one dimension, five, eight; narrow; wide; in blocks
golden ring storus map --torus 16 --busy 14+4
golden flat storus map --torus flat:200 --busy '{0-70,199}'
golden five storus map --torus 2x2x2x6x8 --busy 0,0,0,2,3+2x1x2x2x4
golden eight storus map --torus 2^8 --busy 0,0,0,0,0,0,0,0+2x2x2x1x1x1x1x2
narrow()
{
	COLUMNS=24 storus map --torus 8x3x5 --busy 0,0,0+3x3x1
}
golden narrow narrow
golden blocks storus map --torus 64x32x32 --busy 0,0,0+32x16x4 \
	--busy 33,3,0+9x9x32 --fit 3x3x3
golden block storus map --torus 8x8 --block 3 --busy 0,0+4x3
golden json storus map --torus two.yaml --busy east:0,0+4x4 \
	--busy west:5,0+2x3 --json
golden toruses storus map --torus two.yaml --busy east:0,0+4x2 \
	--busy west:5,0+2x3 --fit 4x3

# the place: turned, pinned, another strategy, nowhere, never
golden fit storus map --torus 4x4:MM --busy 0,0+4x1 --fit 3x4
golden fit storus map --torus 4x4:MM --busy 0,0+4x1 3x4
golden fit storus map 3x4 --torus 4x4:MM --busy 0,0+4x1
golden fit-pinned storus map --torus 4x4:MM --busy 0,0+4x1 --fit 3x4 --no-rotate
golden fit-subtorus storus map --torus 8x8 --strategy subtorus \
	--busy 0,0+4x4/2x2 --fit 4x4 --conn-type TT
golden fit-file drawn b.txt --torus 4x4 --busy 0,0+4x3 --fit 2x2
golden fit-never storus map --torus 4x4 --fit 5x1
golden fit-count storus map --torus flat:16 --busy '{2-9}' --fit 5

# a file appears whole or not at all; other wrong words
wrong()
{
	for words in '--output a.pdf' '--output map' '--at 5' \
		'--schedule jobs.csv --at 1 --busy 0,0,0+1x1x1' '--fit 2xx2' \
		'--strategy flat' '--busy 0,0,0+9x1x1' '--block 0' a.csv \
		'--schedule jobs.csv --at 5 --output /nonexistent/a.svg'; do
		# shellcheck disable=SC2086  # words
		storus map --torus 4x4x2 $words
		echo "$?"
	done
	echo old >"$golden_tmp/c.svg"
	at 20 --output "$golden_tmp/c.svg" --fit 2xx2
	cat "$golden_tmp/c.svg"
	ls "$golden_tmp" | grep -c 'c.svg'
}
golden wrong wrong

# every drawer, a large machine: none is slow (a generous limit)
large()
{
	for ending in txt svg png html; do
		timeout 10 "$golden_top/storus" map --torus 64x32x32 \
			--busy 0,0,0+32x16x4 --output "$golden_tmp/d.$ending" ||
			echo "$ending failed"
	done
	head -c 8 "$golden_tmp/d.png" | od -An -tx1
	tail -c 8 "$golden_tmp/d.png" | od -An -tx1
	grep -c '<title>' "$golden_tmp/d.svg"
}
golden large large

# colours only on a terminal, and not with NO_COLOR
colours()
{
	escape=$(printf '\033')
	for words in 'TERM=xterm' 'TERM=xterm NO_COLOR=1' TERM=dumb; do
		# shellcheck disable=SC2086  # words
		env -u NO_COLOR $words script -qec \
			"'$golden_top/storus' map --torus 4x4 --busy 0,0+2x2" \
			/dev/null </dev/null >"$golden_tmp/said"
		grep -c "$escape" "$golden_tmp/said"
	done
	storus map --torus 4x4 --busy 0,0+2x2 | grep -c "$escape"
}
if command -v script >/dev/null; then
	golden colours colours
fi
# More jobs than letters: neighbours have different ones, without colours, too. In rows of
# 62 the second row would repeat the letters of the first.
letters()
{
	{
		echo id,submit,run,geometry
		seq -f '%g,0,10,1x1' 0 123
	} >"$golden_tmp/crowd.csv"
	storus replay --torus 62x2:MM --strategy submesh-ff "$golden_tmp/crowd.csv" \
		--schedule "$golden_tmp/crowd-schedule.csv" >/dev/null 2>&1
	COLUMNS=200 storus map --torus 62x2:MM --schedule "$golden_tmp/crowd-schedule.csv" --at 5 |
		head -n 4
}
golden letters letters
# In blocks of nodes others are side by side: no two jobs there share a letter.
block_letters()
{
	{
		echo id,submit,run,geometry
		for i in $(seq 0 255); do
			echo "$i,0,10,$((1 + i % 3))x$((1 + i / 3 % 5))"
		done
	} >"$golden_tmp/many.csv"
	storus replay --torus 64x64:MM "$golden_tmp/many.csv" \
		--schedule "$golden_tmp/many-schedule.csv" >/dev/null 2>&1
	COLUMNS=30 storus map --torus 64x64:MM --schedule "$golden_tmp/many-schedule.csv" --at 5 \
		--output "$golden_tmp/many.txt"
	sed '/^$/d; / 256 jobs/,$d' "$golden_tmp/many.txt"
}
golden block-letters block_letters

# A full disk is called one, with the file's name.
full()
{
	for ending in svg html txt png; do
		ln -s /dev/full "$golden_tmp/full.$ending"
		storus map --torus 16x16x4 --output "$golden_tmp/full.$ending" \
			2>&1 | sed "s#$golden_tmp/##"
	done
}
golden full full

# Without cairo only the picture that needs it is refused, with the package's name.
no_cairo()
{
	mkdir "$golden_tmp/libraries" && : >"$golden_tmp/libraries/libcairo.so.2"
	for ending in png svg; do
		LD_LIBRARY_PATH=$golden_tmp/libraries storus map --torus 4x4 \
			--output "$golden_tmp/no-cairo.$ending" 2>&1 |
			sed "s#$golden_tmp/##"
		ls "$golden_tmp" | grep no-cairo
	done
}
golden no-cairo no_cairo

golden_done
