# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# build.sh - builds the project out of its source tree, and only what has
# changed.
#
# Needs say.sh; top_dir is the source tree's top.
# shellcheck disable=SC2154  # top_dir is the sourcing script's

# jobs: how many compilers at a time.
build_jobs() {
	nproc 2>/dev/null || echo 2
}

# build_prepare: makes ./configure, where it is older than what it comes from.
build_prepare() {
	[[ ! -f $top_dir/config.status ]] ||
		die "the source tree itself is configured, which rules out any other build;" \
		    "run: make distclean"
	[[ ! -x $top_dir/configure ||
		-n $(cd "$top_dir" && find configure.ac Makefile.am m4 \
			./*/Makefile.inc ./*/*/Makefile.inc ./*/*/*/Makefile.inc \
			-newer configure -type f 2>/dev/null) ]] || return 0
	say "making ./configure"
	mkdir -p "$top_dir/m4" "$top_dir/build-aux"
	(cd "$top_dir" && autoreconf -fi)
}

# build_configure DIR ARG...: configures in DIR, unless that was done before with
# the same arguments, the same ./configure and the same tools and libraries. A build
# that came along with a copied tree still builds the sources of the first one: it is
# removed.
build_configure() {
	local dir=$1 stamp
	shift
	if [[ -f $dir/configured-with && -x $dir/config.status ]] &&
		! grep -qxF "$top_dir" "$dir/configured-with" ||
		# by hand, with the path of the first tree's ./configure
		grep -s '^srcdir = /' "$dir/Makefile" | grep -qvxF "srcdir = $top_dir"; then
		say "$dir was built for another tree: building anew"
		find "$dir" -mindepth 1 -maxdepth 1 ! -name '*.log' -exec rm -rf {} +
	fi
	stamp=$(
		printf '%s\n' "$@" "$top_dir" "CC=${CC-}"
		cksum <"$top_dir/configure"
		dpkg-query -W gcc clang sharness lib{yaml,jansson,cmocka,munge}-dev nettle-dev \
			2>/dev/null
	)
	mkdir -p "$dir" || return 1
	if [[ -f $dir/Makefile && -x $dir/config.status &&
		$(cat "$dir/configured-with" 2>/dev/null) == "$stamp" ]]; then
		return 0
	fi
	(cd "$dir" && "$top_dir/configure" "$@") || return 1
	printf '%s\n' "$stamp" >"$dir/configured-with"
}

# build_make DIR ARG...: make there, with as many jobs as there are processors.
build_make() {
	local dir=$1
	shift
	make -C "$dir" -j"$(build_jobs)" "$@"
}
