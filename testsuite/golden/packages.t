#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# debian/ and the RPM spec: the same files in the same packages, of one version,
# and all that `make install` installs is in one of them; the plugins' packages
# refuse to go under the same conditions. With TORUS_TEST_LONG both are built, the
# lists of the packages compared, and the RPM of the plugins is installed in a root
# of its own and removed.
# shellcheck source=testsuite/lib-tap.sh
. "$(dirname "$0")/../lib-tap.sh"
top=$(cd "${top_srcdir:-.}" && pwd)
build=$(cd "${top_builddir:-.}" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/torus-packages-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

# plain: paths as both write them; compressed pages and Debian's directories
plain()
{
	sed -e 's,^/,,' -e 's,^usr/lib/[^/]*/slurm[^/]*/,PLUGINS/,' \
		-e 's,^usr/lib/[^/]*/pkgconfig/,usr/lib/pkgconfig/,' \
		-e 's,^usr/lib64/pkgconfig/,usr/lib/pkgconfig/,' \
		-e 's,^usr/lib64/slurm/,PLUGINS/,' -e 's,^usr/lib/slurm/,PLUGINS/,' \
		-e 's,^lib/systemd/,usr/lib/systemd/,' -e 's,\.gz$,,' -e 's,\*$,,' | sort -u
}

deb_names()
{
	cat "$top/debian/$1.install"
	for unit in "$top/debian/$1".*.service "$top/debian/$1".*.timer; do
		[ ! -f "$unit" ] || echo "usr/lib/systemd/system/${unit##*/$1.}"
	done
	[ ! -f "$top/debian/$1.examples" ] || echo "usr/share/doc/$1"
	[ ! -f "$top/debian/$1.docs" ] || echo "usr/share/doc/$1"
}

# rpm_names SECTION: what %files of it lists, without macros
rpm_names()
{
	awk -v section="%files $1" '
		$0 == section { on = 1; next }
		/^%files|^%changelog/ { on = 0 }
		on && NF' "$top/contribs/slurm-torus.spec" |
		sed -e 's,%config ,,' -e 's,%{_sysconfdir},etc,' -e 's,%{slurm_plugin_dir},PLUGINS,' -e 's,%{_mandir},usr/share/man,' \
			-e 's,%{_docdir},usr/share/doc,' -e 's,%{_bindir},usr/bin,' \
			-e 's,%{_libdir},usr/lib,' -e 's,%{_includedir},usr/include,' \
			-e 's,%{_datadir},usr/share,' -e 's,%{_unitdir},usr/lib/systemd/system,'
}

same_names()
{
	deb_names "$1" | plain >"$work/deb"
	rpm_names "$2" | plain >"$work/rpm"
	[ -s "$work/deb" ] && diff "$work/deb" "$work/rpm"
}

same_version()
{
	version=$(sed -n 's/^AC_INIT(\[[^]]*\], \[\([^]]*\)\].*/\1/p' "$top/configure.ac")
	grep -q "^Version: *$version\$" "$top/contribs/slurm-torus.spec" &&
		sed -n 1p "$top/debian/changelog" | grep -q "($version)"
}

# spec_directories: the directories that %files names are configure's, not prefix's
spec_directories()
{
	for directory in sysconfdir libdir mandir; do
		grep -q -e "--$directory=%{_$directory}" "$top/contribs/slurm-torus.spec" || return 1
	done
}

# installed_named: each installed file fits a pattern of debian/
installed_named()
{
	prefix=$(sed -n 's,^prefix = /,,p' "$build/Makefile")
	make -C "$build" -s install DESTDIR="$work/root" >"$work/log" 2>&1 || {
		tail "$work/log"
		return 1
	}
	cat "$top"/debian/*.install | sed 's,\*,.*,g; s,^,^,; s,$,$,' >"$work/patterns"
	(cd "$work/root" && find . -type f -o -type l) |
		sed -e 's,^\./,,' -e "s,^$prefix/etc/,etc/," -e "s,^$prefix/,usr/," -e '/\.la$/d' \
			-e 's,^usr/lib/pkgconfig,usr/lib/x/pkgconfig,' \
			-e 's,^usr/lib/slurm-wlm,usr/lib/x/slurm-wlm,' |
		grep -vEf "$work/patterns" && return 1
	return 0
}

check "plugins: the same names in .deb and .rpm" same_names slurm-torus-plugins plugins
check "storus: the same names in .deb and .rpm" same_names storus "-n storus"
check "storus-dev: the same names in .deb and .rpm" same_names storus-dev "-n storus-devel"
check "doc: the same names in .deb and .rpm" same_names slurm-torus-doc doc
check "configure, debian/changelog and the spec have one version" same_version
check "the spec configures the directories that it packages" spec_directories
check "each file of make install is in a package" installed_named

# refusal FILE: the part of a script that decides, without its indentation
refusal()
{
	sed -n '/^[[:space:]]*user=$/,/exit 1/p' "$top/$1" | sed 's/^[[:space:]]*//'
}

same_refusal()
{
	refusal debian/slurm-torus-plugins.prerm >"$work/deb"
	refusal contribs/slurm-torus.spec >"$work/rpm"
	[ -s "$work/deb" ] && diff "$work/deb" "$work/rpm"
}
check "both packages of the plugins refuse to go while in use" same_refusal

# refuses FILE LINE: the script, where that file of /etc/slurm has that line
refuses()
{
	rm -rf "$work/conf" && mkdir "$work/conf" && echo "$2" >"$work/conf/$1" &&
		sed -e "s,/etc/slurm/,$work/conf/,g" -e "s,/proc/,$work/proc/,g" \
			"$top/debian/slurm-torus-plugins.prerm" >"$work/prerm" || return 1
	sh "$work/prerm" remove 2>"$work/why" && return 1
	grep "slurm-torus-plugins: $work/conf/$1 uses them" "$work/why"
}

decides()
{
	refuses slurm.conf ' SelectType = select/torus' &&
		refuses slurm.conf 'SchedulerType=sched/torus' &&
		refuses slurm.conf 'JobSubmitPlugins=torus' &&
		refuses slurm.conf 'jobsubmitplugins=lua,job_submit/torus' &&
		refuses plugstack.conf 'required /usr/lib/slurm/spank_torus.so' &&
		! refuses plugstack.conf '# required spank_torus.so' &&
		! refuses slurm.conf '#SelectType=select/torus' &&
		! refuses slurm.conf 'JobSubmitPlugins=torus3d_lua' &&
		sh "$work/prerm" upgrade 0.2
}
check "in use is what slurm.conf or plugstack.conf names" decides

# elsewhere STATUS FAMILY INSTALLED [apt]: what the package of the plugins for Slurm
# 24.11.5 of FAMILY does on a host with INSTALLED, PACKAGE=VERSION; apt compares versions
elsewhere()
{
	other=slurm-smd
	[ "$2" != slurm-smd ] || other=slurm-wlm-basic-plugins
	mkdir -p "$work/stub" && cat >"$work/stub/dpkg-query" <<-END &&
		#!/bin/sh
		for name; do :; done
		[ "\$name" != "${3%=*}" ] || echo "installed ${3#*=}"
	END
		chmod 755 "$work/stub/dpkg-query" &&
		sed -e "s,#SLURM_PACKAGE#,$2,; s,#SLURM_OTHER#,$other,; s,#SLURM_VERSION#,24.11.5," \
			"$top/debian/slurm-torus-plugins.preinst" >"$work/preinst" || return 1
	env -u DPKG_FRONTEND_LOCKED ${4:+DPKG_FRONTEND_LOCKED=yes} PATH="$work/stub:$PATH" sh "$work/preinst" install 2>"$work/why"
	[ $? = "$1" ] || return 1
	[ "$1" = 0 ] || {
		[ "$(wc -l <"$work/why")" = 1 ] && grep -F "for Slurm 24.11.5 of $2" "$work/why" |
			grep -F "this host has Slurm ${3#*=}" &&
			[ "$(grep -c "apt-get -f install" "$work/why")" = $((${4:+1} + 0)) ]
	}
}

families()
{
	elsewhere 0 slurm-smd slurm-smd=24.11.5-1 &&
		elsewhere 1 slurm-smd slurm-smd=26.05.3-1 &&
		elsewhere 1 slurm-smd slurm-wlm-basic-plugins=24.11.5-4 &&
		elsewhere 0 slurm-wlm-basic-plugins slurm-wlm-basic-plugins=24.11.5-4 &&
		elsewhere 1 slurm-wlm-basic-plugins slurm-smd=24.11.5-1 &&
		elsewhere 1 slurm-wlm-basic-plugins slurm-smd=24.11.5-1 apt &&
		elsewhere 1 slurm-smd slurm-wlm-basic-plugins=24.11.5-4 apt &&
		elsewhere 0 slurm-smd slurm-smd=26.05.3-1 apt &&
		elsewhere 0 slurm-wlm-basic-plugins munge=0.5
}
if command -v dpkg >/dev/null; then
	check "dpkg refuses the plugins of another family of packages or release of Slurm" families
fi

# tarball: of this build, unpacked in a directory of its own; all users can read it
tarball()
{
	version=$(sed -n 's/^Version: *//p' "$top/contribs/slurm-torus.spec")
	(umask 077 && "$top/contribs/package" --output "$work" --build "$build" tarball) &&
		! tar -tvzf "$work"/storus-*.tar.gz | grep -v "^.rw.r-.r-" &&
		[ -f "$work/storus-$version-linux-$(uname -m).tar.gz" ] &&
		mkdir "$work/unpacked" && tar -C "$work/unpacked" -xzf "$work"/storus-*.tar.gz
}

# relocated: it runs in any directory, with no environment, also by a link, and with its own
# C library; its libraries are the unpacked ones
relocated()
{
	ln -s "$work"/unpacked/storus-*/bin/storus "$work/linked" && cd / &&
		env -i "$work/linked" place --torus 4x4x4 --geometry 2x2x2 >"$work/place" &&
		diff - "$work/place" <<-END || return 1
			$("$build/storus" place --torus 4x4x4 --geometry 2x2x2)
		END
	env -i PATH=/nonexistent "$work/linked" --version >/dev/null || return 1
	mv "$work"/unpacked/storus-* "$work/unpacked/a:b" || return 1
	"$work/unpacked/a:b/bin/storus" --version 2>"$work/why" && return 1
	grep -qx "storus: $work/unpacked/a:b: .*; move it to a directory without them" "$work/why" || return 1
	mv "$work/unpacked/a:b" "$work/unpacked/a b" && ln -sf "$work/unpacked/a b/bin/storus" "$work/linked" || return 1
	mkdir "$work/bin" && printf '#!/bin/sh\necho glibc 2.17\n' >"$work/bin/getconf" &&
		chmod 755 "$work/bin/getconf" || return 1
	for path in /usr/bin:/bin "$work/bin:/usr/bin:/bin"; do
		env -i PATH="$path" LD_DEBUG=libs "$work/linked" --version 2>"$work/objects" &&
			grep -q "init: .*unpacked/.*libyaml" "$work/objects" || return 1
	done
	grep -q "init: .*unpacked/.*lib/libc/libc" "$work/objects"
}
if emulated >/dev/null; then
	tap_skip "contribs/package tarball" "storus is another processor's"
else
	check "contribs/package tarball" tarball
	check "storus runs where its tarball is unpacked, with its libraries" relocated
fi

# entry WANTED OPTIONS ARGUMENT...: what slurmd's entry point of the image starts, a line for
# each word; or the line of its refusal
entry()
{
	printf '%b\n' "$1" >"$work/wanted"
	options=$2
	shift 2
	{
		echo 'exec 2>&1'
		echo 'slurmd() { echo Boards=1 SocketsPerBoard=2 CoresPerSocket=8 ThreadsPerCore=2 RealMemory=4000; }'
		sed -e 's,^exec ,printf "%s\n" ,' -e '/^mkdir /d' -e 's,/etc/munge,/none,' \
			"$top/contribs/container/slurmd-entrypoint.sh"
	} >"$work/entrypoint.sh" &&
		SLURMD_OPTIONS=$options POD_TOPOLOGY=pod:x bash "$work/entrypoint.sh" "$@" >"$work/started"
	diff "$work/wanted" "$work/started"
}

entry_points()
{
	entry 'slurmd\n-D\n--conf\nTopology=pod:x' '' &&
		entry 'slurmd\n-D\n-Z\n--conf-server\nhost:6817\n--conf\nTopology=pod:x Features=a' \
			'' -Z --conf-server host:6817 --conf "'Features=a'" &&
		entry 'slurmd\n-D\n-Z\n-v\n--conf\nTopology=pod:x Features=a Gres=b Weight=2 Port=3' \
			"-Z --conf 'Features=a Gres=b'" --conf="Weight=2 Port=3" -v &&
		entry 'slurmd\n-D\n-v\n--conf\nTopology=pod:x ' '-v --conf' &&
		POD_CPUS=8 POD_MEMORY=3000 \
			entry 'slurmd\n-D\n--conf\nCoreSpecCount=12 MemSpecLimit=1000 Topology=pod:x a=b' '--conf a=b'
}

entry_refuses()
{
	said=slurmd-entrypoint.sh:
	for options in "-Z --conf 'Features=a" '--conf Features="a' "--conf it's"; do
		entry "$said SLURMD_OPTIONS: a quote is not closed on its line: $options" "$options" || return
	done
	# shellcheck disable=SC2016  # not expanded anywhere
	for POD_CPUS in 2.5 abc -1 08 'x[$(id)]'; do
		export POD_CPUS
		entry "$said POD_CPUS: got \"$POD_CPUS\", expected a whole number" '' || return
	done
	POD_CPUS=0 POD_MEMORY=4Gi entry "$said POD_MEMORY: got \"4Gi\", expected a whole number" ''
}
if command -v bash >/dev/null; then
	check "slurmd's entry point takes the options that Slinky's operator writes" entry_points
	check "slurmd's entry point refuses what it cannot read, in one line" entry_refuses
fi

# built KIND, built_names: files of the built packages, PACKAGE: PATH
built()
{
	"$top/contribs/package" --output "$work/built.$1" "$1"
}

deb_built()
{
	for file in "$work"/built.deb/"$1"_*.deb; do
		dpkg-deb --fsys-tarfile "$file" | tar -t | sed 's,^\.,,' | grep -v '/$'
	done | grep -v "^/usr/share/doc" | plain
}

rpm_built()
{
	rpm -qpl "$work"/built.rpm/"$1"-[0-9]*.rpm | grep -v "^/usr/share/doc" | plain
}

same_built()
{
	deb_built "$1" >"$work/deb.list"
	rpm_built "$2" >"$work/rpm.list"
	[ -s "$work/deb.list" ] && diff "$work/deb.list" "$work/rpm.list"
}

# rpm_root: a root with all that the scripts of the packages call; /proc is made up
root=$work/root.rpm
rpm_root()
{
	mkdir -p "$root/etc/slurm" "$root/proc/7" "$root/run/systemd/system" &&
		for program in /bin/sh /bin/grep /bin/rm; do
			# shellcheck disable=SC2046  # paths without blanks
			command cp -L --parents "$program" $(ldd "$program" | grep -o '/[^ ]*') \
				"$root" || return 1
		done
	# shellcheck disable=SC2016  # expanded there
	printf '#!/bin/sh\necho "$*" >>/systemctl.log\n' >"$root/bin/systemctl" &&
		chmod 755 "$root/bin/systemctl"
}

# in_root OPTION...: rpm there; Debian's asks for --force-debian
in_root()
{
	rpm --root "$root" --dbpath /var/lib/rpm --force-debian --nosignature "$@"
}

# refused WHO: rpm leaves the package where it is, and says who uses it
refused()
{
	in_root -e slurm-torus-plugins 2>"$work/why" && return 1
	cat "$work/why"
	grep -q "slurm-torus-plugins: $1 uses them" "$work/why" &&
		in_root -q slurm-torus-plugins &&
		[ -n "$(find "$root" -name select_torus.so)" ]
}

# upgraded: the script, as rpm calls it when a newer package comes
upgraded()
{
	in_root -q --scripts slurm-torus-plugins | sed 1d >"$root/preun"
	grep -q "uses them" "$root/preun" && chroot "$root" /bin/sh /preun 1 &&
		! chroot "$root" /bin/sh /preun 0
}

rpm_life()
{
	conf=$root/etc/slurm/slurm.conf
	in_root -i --nodeps "$work"/built.rpm/slurm-torus-plugins-[0-9]*.rpm &&
		echo ' SelectType = select/torus' >"$conf" &&
		refused /etc/slurm/slurm.conf && upgraded &&
		echo 'JobSubmitPlugins=lua,torus' >"$conf" && refused /etc/slurm/slurm.conf &&
		echo '# SelectType=select/torus' >"$conf" &&
		echo 'required /usr/lib/slurm/spank_torus.so' >"$root/etc/slurm/plugstack.conf" &&
		refused /etc/slurm/plugstack.conf && rm "$root/etc/slurm/plugstack.conf" &&
		echo '7f00 r-xp /usr/lib/slurm/libtorus_slurm.so' >"$root/proc/7/maps" &&
		refused 'a running slurmctld' &&
		rm "$root/proc/7/maps" && in_root -e slurm-torus-plugins &&
		! find "$root" -name '*torus*' | grep .
}

# asked OPTION...: what rpm with these options asks systemd for
asked()
{
	: >"$root/systemctl.log" && in_root "$@" && cat "$root/systemctl.log"
}

# rpm_timer: an upgrade restarts the timer, a removal stops it and takes its figures
rpm_timer()
{
	figures=$root/var/lib/prometheus/node-exporter/storus.prom
	rpm=$(echo "$work"/built.rpm/storus-[0-9]*.rpm)
	asked -i --nodeps "$rpm" && mkdir -p "${figures%/*}" && : >"$figures" &&
		asked -U --force --nodeps "$rpm" | grep "try-restart storus-metrics.timer" &&
		[ -e "$figures" ] &&
		asked -e storus | grep "disable --now storus-metrics.timer" &&
		[ ! -e "$figures" ] && ! find "$root" -name '*storus*' | grep .
}

# ondemand: the form's files are YAML once Ruby's parts are filled in, and sbatch gets what
# the form asks for
ondemand()
{
	python3 - "$top/contribs/ondemand" <<-'END'
		import re, sys, yaml
		def read(name):
		    text = open(sys.argv[1] + "/" + name).read()
		    text = re.sub(r"<%-.*?-%>\n", "", text, flags=re.S)
		    return yaml.safe_load(re.sub(r"<%=.*?%>", "word", text))
		assert read("manifest.yml")["role"] == "batch_connect"
		form, submit = read("form.yml.erb"), read("submit.yml.erb")
		native = submit["script"]["native"]
		assert len(native) == 2, native
		for name in form["attributes"]:
		    assert name in form["form"], name
		raw = open(sys.argv[1] + "/submit.yml.erb").read()
		for name in "suggestion", "geometry", "conn_type":
		    assert name in form["attributes"] and name in raw, name
		for option in form["attributes"]["conn_type"]["options"]:
		    assert option[1] in ("torus", "mesh", "nav"), option
	END
}
if python3 -c 'import yaml' 2>/dev/null; then
	check "the form for Open OnDemand is YAML" ondemand
fi
check "the guides' files are in the packages" grep -qx doc/guide "$top/debian/slurm-torus-doc.docs"

if [ -n "${TORUS_TEST_LONG-}" ] && command -v rpmbuild >/dev/null &&
	command -v dh >/dev/null; then
	check "contribs/package deb" built deb
	check "contribs/package rpm" built rpm
	check "built plugins: the same files" same_built slurm-torus-plugins slurm-torus-plugins
	check "built storus: the same files" same_built storus storus
	if [ "$(id -u)" = 0 ]; then
		check "the RPM of the plugins: an installation root" rpm_root
		check "the RPM is installed, cannot be removed while in use, and is removed" rpm_life
		check "the RPM of storus: its timer" rpm_timer
	fi
fi
tap_done
