# SPDX-License-Identifier: GPL-2.0-or-later
# Text files as arrays of C strings, a string per line: page/page.css becomes
# page_css, page/N-base.js page_base, sweep/sweep.js sweep_js. Files of one name
# are put together in the order given.
function array(name, part, n)
{
	n = split(name, part, "/")
	name = part[n]
	sub(/.*-base[.]js$/, "base", name)
	sub(/.*[.]/, "", name)
	return part[n - 1] "_" name
}
FNR == 1 {
	kind = array(FILENAME)
	if (kind != open) {
		if (open)
			print "\tNULL\n};"
		print "static const char *const " kind "[] = {"
		open = kind
	}
}
{
	gsub(/\\/, "&&")
	gsub(/"/, "\\\"")
	print "\t\"" $0 "\\n\","
}
END { print "\tNULL\n};" }
