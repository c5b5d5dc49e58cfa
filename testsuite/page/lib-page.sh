# SPDX-License-Identifier: GPL-2.0-or-later
# Pages in a real browser (Chromium without a screen), for the tests that source
# this; skips where there is none. $probe is the script that uses the page.
# Prints TAP.

# shellcheck source=testsuite/lib-tap.sh
. "$(dirname "$0")/../lib-tap.sh"
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${top_builddir:=$top_srcdir/build}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

storus()
{
	"$top_builddir/storus" "$@"
}

# shellcheck disable=SC2046  # names of files
skip_if_short every-page.html probe.html $(grep -o '[a-z-]*-probe\.html' "$0")
skip_without chromium
skip_without_charts

# browse PAGE WIDTH [dark]: the document after the probe, the console's lines beside it.
# A window has 500 pixels at least: a narrower page needs a narrower screen.
browse()
{
	dark=false
	[ "${3:-}" = dark ] && dark=true
	{
		cat "$1"
		echo "<script>const want = { width: $2, dark: $dark };</script>"
		cat "$top_srcdir/testsuite/page/${probe:-probe.html}" \
			"$top_srcdir/testsuite/page/every-page.html"
	} >"$tmp/probed.html"
	set -- --window-size="$2,2000" "--screen-info={$2x2000}" --start-fullscreen
	[ $dark = false ] || set -- "$@" --force-dark-mode
	# a browser that dies, or prints the page before its scripts have run, as one on a busy
	# machine may, is started once more
	for browse_try in 1 2; do
		timeout 300 chromium --headless --no-sandbox --disable-gpu \
			--no-first-run --user-data-dir="$tmp/profile" \
			--enable-logging=stderr --v=0 --virtual-time-budget=30000 \
			"$@" --dump-dom "file://$tmp/probed.html" \
			>"$tmp/dom" 2>"$tmp/browser"
		! grep -q '<pre id="probe">' "$tmp/dom" || break
		echo "browser: no findings, try $browse_try" >&2
	done
	# (the browser's own pages complain without a network)
	grep CONSOLE "$tmp/browser" | grep -v 'source: chrome://' >"$tmp/console"
	sed -n '/<pre id="probe">/,/<\/pre>/p' "$tmp/dom" |
		sed 's/<[^>]*>//g' | grep . >"$tmp/findings"
}

findings() # all of them good, and there are some
{
	cat "$tmp/findings"
	[ "$(wc -l <"$tmp/findings")" -ge "$1" ] &&
		! grep -v '^ok ' "$tmp/findings"
}

quiet()
{
	cat "$tmp/console"
	[ ! -s "$tmp/console" ]
}
