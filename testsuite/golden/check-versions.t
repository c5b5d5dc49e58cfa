#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# contribs/check-versions: what is wrong with a checkout, a tag, an installation or its
# source is named, and nothing is built.
# shellcheck source=testsuite/lib-tap.sh
. "$(dirname "$0")/../lib-tap.sh"
top=$(cd "${top_srcdir:-.}" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/torus-versions-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT

# refused STATUS SENTENCE ARGUMENT...
refused()
{
	want=$1
	sentence=$2
	shift 2
	"$top/contribs/check-versions" "$@" >"$work/out" 2>&1
	[ $? = "$want" ] && grep -q "$sentence" "$work/out" &&
		[ "$(wc -l <"$work/out")" = 1 ]
}

check()
{
	title=$1
	shift
	"$@"
	tap_result $? "$title" "$(cat "$work/out")"
}

git init -q "$work/slurm" && mkdir -p "$work/slurm/src/slurmctld" &&
	: >"$work/slurm/src/slurmctld/slurmctld.h" &&
	git -C "$work/slurm" add . &&
	git -C "$work/slurm" -c user.name=x -c user.email=x@localhost commit -qm x &&
	git -C "$work/slurm" tag slurm-1-1-1-1
mkdir "$work/none"

check "--build without a checkout is refused" \
	refused 2 'build needs --checkout DIR' --build slurm-1-1-1-1
check "--build without a tag is refused" \
	refused 2 'which tags' --checkout "$work/slurm" --build
check "a directory that is no checkout is refused" \
	refused 1 'none is no git checkout' --checkout "$work/none" --build slurm-1-1-1-1
check "a tag that the checkout lacks is refused" \
	refused 1 'has no tag slurm-2-2-2-2 of Slurm' --checkout "$work/slurm" \
	--build slurm-1-1-1-1 slurm-2-2-2-2
check "a checkout without --build is refused" \
	refused 2 'checkout is for --build' --checkout "$work/slurm" slurm-1-1-1-1

# A Slurm whose installation breaks off when slurmctld is there is not taken for whole.
cat >"$work/slurm/configure" <<'END'
#!/bin/sh
mkdir src
for word; do case $word in --prefix=*) prefix=${word#*=} ;; esac; done
printf 'all:\ninstall:\n\tmkdir -p %s/sbin && cp /bin/true %s/sbin/slurmctld\n\t@echo breaks off; exit 1\n' \
	"$prefix" "$prefix" >src/Makefile
END
chmod +x "$work/slurm/configure"
mkdir -p "$work/project" && cp -R "$top/contribs" "$work/project" &&
	mkdir -p "$work/project/testsuite/cluster" && : >"$work/project/testsuite/cluster/t10-shape.t" &&
	git -C "$work/slurm" add . &&
	git -C "$work/slurm" -c user.name=x -c user.email=x@localhost commit -qm y &&
	git -C "$work/slurm" tag slurm-1-1-2-1

broken_off()
{
	for _ in first second; do
		bash "$work/project/contribs/check-versions" --checkout "$work/slurm" --build slurm-1-1-2-1 \
			>"$work/out" 2>&1 && return 1
		grep -q 'Slurm of slurm-1-1-2-1 *FAILED' "$work/out" && grep -q 'breaks off' "$work/out" || return 1
	done
	[ -e "$work/project/build-check/versions/slurm/slurm-1-1-2-1/prefix/sbin/slurmctld" ]
}
check "an installation that breaks off is made again" broken_off

# A Slurm 24.11.5 that is installed, and trees: another version, not configured
mkdir -p "$work/prefix/sbin" "$work/tree/slurm" &&
	printf '#!/bin/sh\necho slurm 24.11.5\n' >"$work/prefix/sbin/slurmctld" &&
	chmod +x "$work/prefix/sbin/slurmctld" && : >"$work/tree/slurm/spank.h"
check "a prefix where no Slurm is installed is refused" \
	refused 1 'there is no .*/none/sbin/slurmctld' "$work/none" "$work/tree"
check "a source that is not configured is refused: the cure" \
	refused 1 'tree is not configured: run ./configure' "$work/prefix" "$work/tree"
mkdir -p "$work/tree/src/slurmctld" && : >"$work/tree/src/slurmctld/slurmctld.h" &&
	: >"$work/tree/slurm/slurm_version.h" &&
	echo '#define SLURM_VERSION_STRING "25.05.7"' >"$work/tree/config.h"
check "a source of another version is refused: both, and the cure" \
	refused 1 'is Slurm 25.05.7, but Slurm 24.11.5 is installed: take the source of 24.11.5' \
	"$work/prefix" "$work/tree"

# Slurm's plugins, as Debian's packages have them below /usr
plugins_below()
{
	# shellcheck disable=SC2016  # expanded there
	bash -c '. "$1/say.sh"; . "$1/programs.sh"; prefix=$2; stock_plugin_dir' private-cluster \
		"$top/contribs/lib" "$work/prefix" >"$work/out" 2>&1
}
plugin_dirs()
{
	plugins_below && return 1
	for dir in lib/slurm lib/x86_64-linux-gnu/slurm-wlm; do
		mkdir -p "$work/prefix/$dir" && : >"$work/prefix/$dir/auth_munge.so" && plugins_below &&
			grep -qx "$work/prefix/$dir" "$work/out" && rm -r "${work:?}/prefix/lib" || return 1
	done
}
check "Slurm's plugins are found below a prefix" plugin_dirs
tap_done
