# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# box.sh - does a set of nodes form the box that was asked for? Worked out from
# the node names and the machine's sizes alone, in awk, sharing nothing with the
# code that chose them.
#
# A machine is written 4x4x4 (every dimension wraps) or 4x4x4:TTM; the node with
# index i is the i-th, first dimension fastest; its name ends in i.

# Functions in awk that the ones below put in front of their program.
box_awk='
	# machine: sets dims, size[1..dims], wrap[1..dims], total
	function machine(text,   part, i) {
		split(text, part, ":")
		dims = split(part[1], size, "x")
		total = 1
		for (i = 1; i <= dims; i++) {
			wrap[i] = part[2] == "" || substr(part[2], i, 1) == "T"
			total *= size[i]
		}
	}
	# index_of: node13 is 13
	function index_of(name) {
		sub(/^.*[^0-9]/, "", name)
		return name + 0
	}
	# coord: sets at[1..dims]
	function coord(node,   i) {
		for (i = 1; i <= dims; i++) {
			at[i] = node % size[i]
			node = int(node / size[i])
		}
	}
	# sorted: the numbers above 1 of a text like 1x4x2, largest first: 4x2
	function sorted(text,   e, n, i, j, t, out) {
		n = split(text, e, "x")
		for (i = 1; i <= n; i++)
			for (j = i + 1; j <= n; j++)
				if (e[j] + 0 > e[i] + 0) { t = e[i]; e[i] = e[j]; e[j] = t }
		out = ""
		for (i = 1; i <= n; i++)
			if (e[i] > 1) out = out (out == "" ? "" : "x") e[i]
		return out == "" ? "1" : out
	}
'

# box_coords MACHINE: reads node names, prints `NAME x,y,z` for each.
box_coords() {
	awk -v m="$1" "$box_awk"'
		BEGIN { machine(m) }
		NF {
			coord(index_of($1))
			out = at[1]
			for (i = 2; i <= dims; i++) out = out "," at[i]
			print $1, out
		}'
}

# box_extent MACHINE: reads node names; prints the extents of the box that they
# form, in the order of the machine's dimensions (2x1x4), or `no box`. The box
# may cross the edge of a wrapped dimension, not of another.
box_extent() {
	awk -v m="$1" "$box_awk"'
		# run: how many different coordinates along dimension d, when they
		# follow one another; else 0
		function run(d,   c, n, gaps) {
			n = gaps = 0
			for (c = 0; c < size[d]; c++) {
				if (!((d, c) in seen)) continue
				n++
				if (c + 1 < size[d] ? !((d, c + 1) in seen) : \
				    !wrap[d] || !((d, 0) in seen)) gaps++
			}
			return gaps <= 1 ? n : 0
		}
		BEGIN { machine(m) }
		NF {
			node = index_of($1)
			if (node >= total || node in had) { bad = 1; next }
			had[node] = 1
			count++
			coord(node)
			for (i = 1; i <= dims; i++) seen[i, at[i]] = 1
		}
		END {
			volume = 1
			for (i = 1; i <= dims; i++) {
				n = run(i)
				volume *= n
				out = out (i > 1 ? "x" : "") n
			}
			print bad || !count || volume != count ? "no box" : out
		}'
}

# box_region MACHINE REGION: prints the indices of the nodes of a region in its
# text form (pod0:2,0,3+2x4x2, a stride behind a slash), a line each, sorted.
box_region() {
	awk -v m="$1" -v r="$2" "$box_awk"'
		BEGIN {
			machine(m)
			sub(/^[^:]*:/, "", r)
			split(r, part, "+")
			nb = split(part[1], base, ",")
			ns = split(part[2], tail, "/")
			ne = split(tail[1], extent, "x")
			if (ns > 1) split(tail[2], step, "x")
			if (nb != dims || ne != dims) { print "no region"; exit }
			count = 1
			for (i = 1; i <= dims; i++) count *= extent[i]
			for (k = 0; k < count; k++) {
				rest = k; node = 0; scale = 1
				for (i = 1; i <= dims; i++) {
					c = base[i] + (rest % extent[i]) * (ns > 1 ? step[i] : 1)
					rest = int(rest / extent[i])
					node += (c % size[i]) * scale
					scale *= size[i]
				}
				print node
			}
		}' | sort -n
}

# box_indices: reads node names, prints their indices, sorted.
box_indices() {
	awk "$box_awk"'NF { print index_of($1) }' | sort -n
}

# box_is_shape EXTENT SHAPE: are these the extents of that shape, turned any way?
# (2x1x4 is a 4x2.)
box_is_shape() {
	awk -v a="$1" -v b="$2" "$box_awk"'
		BEGIN { exit a ~ /^[0-9x]+$/ && sorted(a) == sorted(b) ? 0 : 1 }'
}

# box_volume EXTENT: 2x1x4 is 8 nodes.
box_volume() {
	awk -v a="$1" 'BEGIN {
		n = split(a, e, "x"); v = 1
		for (i = 1; i <= n; i++) v *= e[i]
		print v }'
}

# box_of_text: reads any text, prints the first region in it (an AdminComment
# holds other words, too), or nothing.
box_of_text() {
	grep -oE '[A-Za-z0-9_.-]+:[0-9]+(,[0-9]+)*\+[0-9]+(x[0-9]+)*(/[0-9]+(x[0-9]+)*)?' |
		head -n 1
}
