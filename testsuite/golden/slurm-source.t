#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# contribs/slurm-source where the archive has moved on from the installed Debian
# revision. apt-get, apt-cache and dpkg-query are stand-ins for an archive that
# holds what a case puts there; the source is a configure script alone.
# shellcheck source=testsuite/lib-tap.sh
. "$(dirname "$0")/../lib-tap.sh"
skip_without flock tar gzip
contribs=$(cd "${top_srcdir:-.}" && pwd)/contribs
work=$(mktemp -d "${TMPDIR:-/tmp}/torus-source-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
archive=$work/archive
export XDG_CACHE_HOME="$work/cache" archive
mkdir "$work/bin"

script()
{
	{
		echo "#!/bin/sh"
		cat
	} >"$work/bin/$1"
	chmod +x "$work/bin/$1"
}

script dpkg-query <<'END'
case $* in
*slurm-smd*) exit 1 ;;
*Package*) echo slurm-wlm ;;
*) echo 2:24.11.5-4 ;;
esac
END
script apt-cache <<'END'
sed 's/^/Version: /' "$archive/index"
END
# As apt-get does, it downloads what it can get, and unpacks if that was all.
script apt-get <<'END'
for last; do :; done
revision=${last#slurm-wlm=}
case $* in
*update*) exit 0 ;;
esac
grep -qx "$revision" "$archive/index" || exit 100
[ ! -f "$archive/orig.tar.gz" ] ||
	cp "$archive/orig.tar.gz" slurm-wlm_24.11.5.orig.tar.gz
case $* in
*--tar-only*) [ -f "$archive/orig.tar.gz" ]; exit ;;
esac
[ -f "$archive/$revision.dsc" ] || exit 100
tar -xf slurm-wlm_24.11.5.orig.tar.gz
echo "$revision" >slurm-24.11.5/revision
END

mkdir -p "$work/slurm-24.11.5/src/slurmctld"
cat >"$work/slurm-24.11.5/configure" <<'END'
#!/bin/sh
mkdir slurm
echo "#define NDEBUG 1" >config.h
echo >slurm/slurm_version.h
END
chmod +x "$work/slurm-24.11.5/configure"
tar -C "$work" -czf "$work/orig.tar.gz" slurm-24.11.5
rm -r "$work/slurm-24.11.5"

# archive_of FILE... INDEXED...: what can be downloaded, and what the index names
archive_of()
{
	rm -rf "$archive" "$XDG_CACHE_HOME"
	mkdir "$archive"
	: >"$archive/index"
	for of_name; do
		case $of_name in
		orig) cp "$work/orig.tar.gz" "$archive" ;;
		*.dsc) : >"$archive/$of_name" ;;
		*) echo "$of_name" >>"$archive/index" ;;
		esac
	done
}

# source_says STATUS WORDS: slurm-source ends so, and says so
source_says()
{
	source_dir=$(PATH=$work/bin:$PATH "$contribs/slurm-source" 2>"$work/err")
	source_status=$?
	cat "$work/err"
	[ "$source_status" = "$1" ] && grep -F -e "$2" "$work/err"
}

# source_is REVISION: what was configured; "" for the bare tarball
source_is()
{
	[ "$source_dir" = "$XDG_CACHE_HOME/slurm-torus/slurm-24.11.5-4" ] &&
		[ -f "$source_dir/build/slurm/slurm_version.h" ] &&
		[ "$(cat "$source_dir/src/revision" 2>/dev/null)" = "$1" ]
}

installed()
{
	archive_of orig 2:24.11.5-4.dsc 2:24.11.5-4 2:24.11.5-5 &&
		source_says 0 "fetching the source of slurm-wlm 2:24.11.5-4" &&
		! grep -F "took" "$work/err" && source_is 2:24.11.5-4
}
check "the installed revision" installed

other()
{
	archive_of orig 2:24.11.5-3.dsc 2:24.11.5-5.dsc 2:24.11.5-3 2:24.11.5-5 \
		2:24.11.5-10 2:24.11.6-1 &&
		source_says 0 "took revision 2:24.11.5-5 instead" &&
		source_is 2:24.11.5-5
}
check "the newest other revision available" other

tarball()
{
	archive_of orig 2:24.11.5-4 &&
		source_says 0 "took the upstream tarball of revision 2:24.11.5-4 alone" &&
		source_is ""
}
check "no .dsc: the upstream tarball" tarball

other_tarball()
{
	archive_of orig 2:24.11.5-5 &&
		source_says 0 "took the upstream tarball of revision 2:24.11.5-5 alone" &&
		source_is ""
}
check "the upstream tarball of another revision" other_tarball

none()
{
	archive_of orig 2:24.11.6-1 &&
		source_says 1 "no source of slurm-wlm 2:24.11.5-4" &&
		[ ! -d "$XDG_CACHE_HOME/slurm-torus/slurm-24.11.5-4" ]
}
check "another upstream version is refused" none

nothing()
{
	archive_of 2:24.11.5-4 &&
		source_says 1 "no source of slurm-wlm 2:24.11.5-4"
}
check "no tarball is reported" nothing

# SchedMD's packages have no source in an archive; building asks for their names.
schedmd()
{
	cat >"$work/bin/dpkg-query" <<'END'
#!/bin/sh
case $* in
*Status*slurm-smd) printf installed ;;
*slurm-smd*) echo 26.05.1-1 ;;
*) exit 1 ;;
esac
END
	source_says 1 "Slurm is SchedMD's slurm-smd 26.05.1-1" && grep -F -e --with-slurm-src= "$work/err" &&
		PATH=$work/bin:$PATH sh -c '. "$1/packages.sh"; echo $packages_for_build' sh "$contribs/lib" |
		grep -w slurm-smd-slurmctld
}
cp "$work/bin/dpkg-query" "$work/debian"
check "SchedMD's packages: their names, and --with-slurm-src" schedmd
mv "$work/debian" "$work/bin/dpkg-query"

# taken STATUS WORDS: what contribs/package says of $work/tree as --with-slurm-src
taken()
{
	printf '#!/bin/sh\necho slurm 24.11.5\n' >"$work/bin/slurmctld" &&
		chmod +x "$work/bin/slurmctld" || return 1
	# shellcheck disable=SC2016  # expanded there
	PATH=$work/bin:$PATH sh -c '. "$1/say.sh"; . "$1/slurm-source.sh"
		slurm_source_check "$2"' package "$contribs/lib" "$work/tree" >"$work/err" 2>&1
	[ $? = "$1" ] && [ "$(wc -l <"$work/err")" = 1 ] && grep -F -e "$2" "$work/err"
}

# tree VERSION: a configured source, in place
tree()
{
	mkdir -p "$work/tree/slurm" "$work/tree/src/slurmctld" && : >"$work/tree/slurm/spank.h" &&
		: >"$work/tree/slurm/slurm_version.h" && : >"$work/tree/src/slurmctld/slurmctld.h" &&
		echo "#define SLURM_VERSION_STRING \"$1\"" >"$work/tree/config.h"
}

given()
{
	taken 1 "tree is no source of Slurm" && tree 24.11.4 &&
		taken 1 "tree is Slurm 24.11.4, but Slurm 24.11.5 is installed" &&
		rm "$work/tree/config.h" &&
		taken 1 "tree is not configured: run ./configure" &&
		tree 24.11.5 && rm "$work/tree/slurm/slurm_version.h" &&
		taken 1 "tree is not configured: run ./configure" &&
		tree 24.11.5 && rm "$work/tree/src/slurmctld/slurmctld.h" &&
		taken 1 "tree is not whole (no src/slurmctld/slurmctld.h): unpack it again" &&
		tree 24.11.5 && echo "  Version: 24.11" >"$work/tree/META" &&
		taken 1 "tree is Slurm 24.11, but it was configured from Slurm 24.11.5" &&
		echo "  Version: 22.05.8" >"$work/tree/META" &&
		taken 1 "tree is Slurm 22.05.8, but it was configured from Slurm 24.11.5: configure it again" &&
		rm "$work/tree/META" && : >"$work/tree/config.h" &&
		taken 1 "tree/config.h names no version of Slurm: configure it again" &&
		tree 24.11.5 && taken 0 24.11.5 && mkdir -p "$work/tree/build/slurm" &&
		mv "$work/tree/config.h" "$work/tree/build" &&
		mv "$work/tree/slurm/slurm_version.h" "$work/tree/build/slurm" && taken 0 24.11.5 &&
		mv "$work/tree/build" "$work/tree/obj-x86_64-linux-gnu" && taken 0 24.11.5
}
check "--with-slurm-src: no source, another version, not configured, not whole, and the right one" given

# configured WORDS OPTION...: how configure refuses $work/tree, in one line; nothing is written
configured()
{
	configured_words=$1
	shift
	mkdir -p "$work/configured" && (cd "$work/configured" && PATH=$work/bin:$PATH \
		"$contribs/../configure" -q -C --with-slurm-src="$work/tree" "$@" >../err 2>&1) && return 1
	[ ! -e "$work/configured/Makefile" ] && [ "$(grep -c "" "$work/err")" = 1 ] &&
		grep -F -e "$configured_words" "$work/err"
}

# installed_in DIR VERSION: a Slurm there
installed_in()
{
	mkdir -p "$1" && printf '#!/bin/sh\necho slurm %s\n' "$2" >"$1/slurmctld" && chmod +x "$1/slurmctld"
}

# The tree has no headers, which configure says of one that it takes.
configure_compares()
{
	rm -rf "$work/tree" && tree 24.11.4 && installed_in "$work/bin" 24.11.5 &&
		configured "is Slurm 24.11.4, but $work/bin/slurmctld is Slurm 24.11.5 and would refuse the plugins: take the source of 24.11.5" &&
		configured "is not the whole source of Slurm 24.11.4" --with-slurm=elsewhere &&
		echo "prefix = $work/prefix" >"$work/tree/Makefile" && installed_in "$work/prefix/sbin" 24.11.4 &&
		configured "is not the whole source of Slurm 24.11.4" &&
		installed_in "$work/prefix/sbin" 24.11.3 &&
		configured "is Slurm 24.11.4, but $work/prefix/sbin/slurmctld is Slurm 24.11.3" &&
		configured "got \"/usr\", expected elsewhere" --with-slurm=/usr
}
if [ -x "$contribs/../configure" ]; then
	check "configure refuses a source that is not of the installed Slurm" configure_compares
fi

# of SchedMD's packages no archive has the source
schedmd()
{
	script dpkg-query <<-'END'
		echo 26.05.3-1
	END
	source_says 1 "slurm-smd 26.05.3-1, whose source is in no archive: --with-slurm-src=DIR"
}
check "slurm-smd: the way to its source is named" schedmd

# a tree with its build, copied: the copy's own sources are built
copied()
{
	mkdir -p "$work/one" && cat >"$work/one/configure" <<-'END' &&
		#!/bin/sh
		printf 'srcdir = %s\nall:; @echo of $(srcdir)\n' "${0%/configure}" >Makefile
		: >config.status && chmod +x config.status
	END
	chmod +x "$work/one/configure" && built one one &&
		cp -a "$work/one" "$work/two" && built two two && built two two &&
		[ ! -e "$work/two/build/object" ] && [ -e "$work/one/build/object" ] &&
		: it was configured by hand && rm -rf "$work/two" "$work/one/build/configured-with" &&
		cp -a "$work/one" "$work/two" && built two two &&
		[ ! -e "$work/two/build/object" ]
}
built() # TREE OF
{
	bash -c 'top_dir=$1; . "$2/lib/say.sh"; . "$2/lib/build.sh"
		build_configure "$1/build" --with-x && : >"$1/build/demo.log" &&
			build_make "$1/build" -s' built "$work/$1" "$contribs" \
		>"$work/said" 2>/dev/null && grep -qx "of $work/$2" "$work/said" &&
		{ [ "$1" = two ] || : >"$work/$1/build/object"; }
}
check "a copied tree builds its own sources, not those of the first" copied

# the same two commands on both pages, with packages that exist there
alone()
{
	for page in README.md doc/lab.md; do
		sed -n '/^    apt install/p;/^    autoreconf.*--without-slurm/p' \
			"$contribs/../$page" >"$work/$(basename $page).said" || return 1
	done
	[ "$(wc -l <"$work/README.md.said")" = 2 ] &&
		cmp "$work/README.md.said" "$work/lab.md.said" || return 1
	bash -c "$(sed -n 's/^ *apt install/printf %s\\\\n/p' "$work/lab.md.said")" |
		while read -r name; do
			grep -qw -- "$name" "$contribs/lib/packages.sh" || exit 1
		done
}
check "README and lab.md have the two commands for storus alone" alone

tap_done
