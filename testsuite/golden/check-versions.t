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

# A Slurm 24.11.5 that is installed, and trees: another version, not configured
mkdir -p "$work/prefix/sbin" "$work/tree/slurm" &&
	printf '#!/bin/sh\necho slurm 24.11.5\n' >"$work/prefix/sbin/slurmctld" &&
	chmod +x "$work/prefix/sbin/slurmctld" && : >"$work/tree/slurm/spank.h"
check "a prefix where no Slurm is installed is refused" \
	refused 1 'there is no .*/none/sbin/slurmctld' "$work/none" "$work/tree"
check "a source that is not configured is refused: the cure" \
	refused 1 'tree is not configured: run ./configure' "$work/prefix" "$work/tree"
echo '#define SLURM_VERSION_STRING "25.05.7"' >"$work/tree/config.h"
check "a source of another version is refused: both, and the cure" \
	refused 1 'is Slurm 25.05.7, but Slurm 24.11.5 is installed: take the source of 24.11.5' \
	"$work/prefix" "$work/tree"
tap_done
