# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
#
# tarball.sh - storus and the libraries that it needs in one directory, which runs
# wherever it is unpacked.
#
#     storus-VERSION-linux-ARCH/
#         bin/storus       a script that starts lib/storus
#         lib/             storus and its libraries, but for the C library
#         lib/libc/        the C library, for systems whose own is older
#         share/           manual pages, completion, licences
#
# The script calls the dynamic loader by name and gives it lib/ as the place to look
# first: no variable that gnuplot or sbatch would inherit, no path in the program.
# A system whose C library is as new as the one of the build uses its own, so that
# its cairo loads.
#
# Needs say.sh; top_dir is the source tree's top.
# shellcheck disable=SC2154  # top_dir is the sourcing script's

# tarball_make BUILD OUTPUT WORK: of the storus in the build directory BUILD, by way
# of WORK; prints the name of the archive in OUTPUT.
tarball_make() {
	local build=$1 output=$2 version name dir
	[[ -x $build/storus && -f $build/Makefile ]] ||
		die "$build holds no storus; run make there first"
	version=$("$build/storus" --version | sed -n '1s/^storus \([^ ]*\).*/\1/p')
	name=storus-$version-linux-$(uname -m)
	dir=$3/$name
	rm -rf "$dir" && mkdir -p "$dir/bin" "$dir/lib/libc" "$dir/share" &&
		tarball_libraries "$build" "$dir" && tarball_documents "$build" "$dir" "$3" &&
		tarball_launcher "$dir" &&
		tar -C "$3" --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -czf "$output/$name.tar.gz" "$name" &&
		printf '%s\n' "$name.tar.gz"
}

# tarball_libraries BUILD DIR: the program and what ldd names.
tarball_libraries() {
	local library package
	cp "$1/storus" "$2/lib/storus" && strip "$2/lib/storus" || return 1
	mkdir -p "$2/share/doc/storus/libraries"
	while read -r library; do
		case ${library##*/} in
		ld-linux* | ld64* | libc.so.* | libm.so.*) cp -L "$library" "$2/lib/libc" || return 1 ;;
		*) cp -L "$library" "$2/lib" || return 1 ;;
		esac
		package=$(dpkg-query -S "$library" "$(readlink -f "$library")" 2>/dev/null | sed 's/[:,].*//;q')
		[[ -z $package || ! -f /usr/share/doc/$package/copyright ]] ||
			cp -L "/usr/share/doc/$package/copyright" "$2/share/doc/storus/libraries/$package"
	done < <(ldd "$1/storus" | grep -o '/[^ ]*\.so[^ ]*')
	compgen -G "$2/lib/libc/libc.so.*" >/dev/null || die "ldd names no C library of $1/storus"
}

# tarball_documents BUILD DIR WORK: what `make install` has for storus alone.
tarball_documents() {
	make -C "$1" -s install-man install-dist_bashcompletionDATA install-dist_zshcompletionDATA \
		DESTDIR="$3/root" prefix=/ exec_prefix=/ datarootdir=/share datadir=/share mandir=/share/man \
		bashcompletiondir=/share/bash-completion/completions \
		zshcompletiondir=/share/zsh/vendor-completions >"$3/log" &&
		cp -R "$3/root/share/." "$2/share" &&
		find "$2/share/man" -type f ! -name 'storus*' ! -name 'slurm-torus-lists*' -delete &&
		find "$2/share/man" -type d -empty -delete &&
		cp "$top_dir/COPYING" "$2/share/doc/storus/COPYING"
}

# tarball_launcher DIR: with the name of the loader and the version of the C library
# that the program was built with.
# shellcheck disable=SC2016  # expanded there
tarball_launcher() {
	local loader libc
	loader=$(readelf -l "$1/lib/storus" | sed -n 's/.*interpreter: \(.*\)\].*/\1/p')
	libc=$(getconf GNU_LIBC_VERSION)
	[[ -n $loader && $libc == "glibc 2."* ]] || die "storus needs the GNU C library"
	sed -e "s,@LOADER@,$loader,g" -e "s,@MINOR@,${libc#glibc 2.},g" >"$1/bin/storus" <<-'END'
		#!/bin/sh
		# SPDX-License-Identifier: GPL-2.0-or-later
		# storus, wherever this directory lies. On a system with an older C library than
		# 2.@MINOR@ (or another one) the libraries of lib/libc are used, too.
		STORUS_PROGRAM=$(PATH=$PATH:/usr/bin:/bin readlink -f "$0") || exit 3
		export STORUS_PROGRAM
		lib=${STORUS_PROGRAM%/bin/*}/lib
		case $lib in
		*[:\;]*)
			echo "storus: ${lib%/lib}: the dynamic loader takes : and ; for ends of names; move it to a directory without them" >&2
			exit 3
			;;
		esac
		loader=@LOADER@
		path=$lib
		libc=$(PATH=$PATH:/usr/bin:/bin getconf GNU_LIBC_VERSION 2>/dev/null)
		case $libc in
		"glibc 2."*) [ "${libc#glibc 2.}" -ge @MINOR@ ] 2>/dev/null || libc= ;;
		*) libc= ;;
		esac
		if [ -z "$libc" ] || [ ! -x "$loader" ]; then
			loader=$lib/libc/${loader##*/}
			path=$lib/libc:$lib
		fi
		exec "$loader" --library-path "$path" "$lib/storus" "$@"
	END
	chmod 755 "$1/bin/storus"
}
