#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What runs without the machine that built it: the tarball of storus in bare roots of three
# releases, one with an older C library, and the image of contribs/container, whose root
# boots a cluster and runs a shaped job. Only with TORUS_TEST_LONG, and as root.
# shellcheck source=testsuite/lib-tap.sh
. "$(dirname "$0")/../lib-tap.sh"
top=$(cd "${top_srcdir:-.}" && pwd)
build=$(cd "${top_builddir:-.}" && pwd)
[ -n "${TORUS_TEST_LONG-}" ] || skip_all "takes half an hour: make check-long"
[ "$(id -u)" -eq 0 ] || skip_all "needs root"
skip_without debootstrap unshare ip umoci skopeo jq
work=$(mktemp -d "${TMPDIR:-/var/tmp}/torus-roots-XXXXXX") || exit 1
trap 'rm -rf --one-file-system "$work"' EXIT

# clean_root FUNCTION ARGUMENT...: of contribs/lib/clean-root.sh
clean_root()
{
	# shellcheck disable=SC2016  # expanded there
	bash -c 'top_dir=$1; . "$1/contribs/lib/say.sh"; . "$1/contribs/lib/clean-root.sh"
		"clean_root_$2" "${@:3}"' roots.t "$top" "$@"
}

# in_bare RELEASE: places, pictures, and what is said where a library is missing
in_bare()
{
	root=$work/$1
	clean_root make "$1" "$root" >"$work/log" 2>&1 || {
		tail "$work/log"
		return 1
	}
	mkdir "$root/home/planner" &&
		tar -C "$root/home/planner" -xzf "$work"/storus-*.tar.gz &&
		storus=$(cd "$root" && echo home/planner/storus-*/bin/storus) || return 1
	bare="chroot $root /usr/bin/env -i /$storus"
	[ "$($bare place --torus 4x4x4 --geometry 2x2x2)" = \
		"$("$build/storus" place --torus 4x4x4 --geometry 2x2x2)" ] &&
		$bare map --torus 4x4x4 --busy 0,0,0+2x2x2 --output /tmp/map.svg &&
		grep -q '<svg' "$root/tmp/map.svg" || return 1
	$bare map --torus 4x4x4 --busy 0,0,0+2x2x2 --output /tmp/map.png 2>"$work/why" ||
		grep -q 'libcairo.so.2 cannot be loaded' "$work/why" || return 1
	$bare experiment --quick aida-fig2 --output /tmp/lab 2>"$work/why" ||
		[ $? = 1 ] && grep -q 'gnuplot is not installed' "$work/why"
	bare_status=$?
	rm -rf --one-file-system "$root"
	return $bare_status
}

check "contribs/package tarball" \
	"$top/contribs/package" --output "$work" --build "$build" tarball
for release in bookworm trixie bullseye; do
	check "the tarball runs in a bare $release, and names what it lacks" in_bare $release
done

image=$work/image
# made: packages of TORUS_TEST_PACKAGES, if that is set, or built here
made()
{
	"$top/contribs/container/make-image" --output "$image" \
		${TORUS_TEST_PACKAGES:+--packages "$TORUS_TEST_PACKAGES"}
}

# entry TAG: what skopeo reads as its entry point and port
entry()
{
	skopeo inspect --config "oci:$image:$1" |
		jq -r '.config | .Entrypoint[0], ((.ExposedPorts // {}) | keys[])' | paste -sd' ' -
}

entries()
{
	[ "$(entry slurmctld)" = "entrypoint.sh 6817/tcp" ] &&
		[ "$(entry slurmd)" = "entrypoint.sh 6818/tcp" ] &&
		[ "$(entry cluster)" = /usr/local/share/slurm-torus/private-cluster ]
}

# runs TAG COMMANDS: as an engine does, in the root that it unpacks, without a network
runs()
{
	[ -d "$work/$1" ] || umoci unpack --image "$image:$1" "$work/$1" >"$work/log" 2>&1 || {
		tail "$work/log"
		return 1
	}
	clean_root run_alone "$work/$1/rootfs" root "$2"
}

# shellcheck disable=SC2016  # expanded there
shaped_job='
	set -e
	printf "toruses:\n  - {name: pod, dims: [2, 2, 2], nodes: \"node[00-07]\"}\nscheduler: {discipline: easy}\n" >/root/torus.yaml
	cluster=/usr/local/share/slurm-torus/private-cluster
	plugins=$(dirname /usr/lib/*/slurm-wlm/select_torus.so)
	eval "$($cluster start --dir /tmp/c --nodes 8 --select torus --sched torus --torus /root/torus.yaml --plugin-dir "$plugins" | tail -n 1)"
	timeout 60 sbatch --wait --quiet --geometry=2x2x1 --output=/tmp/out --wrap "printenv TORUS_GEOMETRY SLURM_JOB_NUM_NODES" || :
	$cluster stop --purge --dir /tmp/c
	cat /tmp/out'
# shellcheck disable=SC2016  # expanded there
entry_points='
	set -e
	sed -i "s/^exec /echo /" /usr/local/bin/entrypoint.sh
	[ "$(SLURMD_OPTIONS="-Z --conf Feature=a" POD_TOPOLOGY=pod:x entrypoint.sh --conf=Gres=b)" = \
		"slurmd -D -Z --conf Topology=pod:x Feature=a Gres=b" ]'

check "contribs/container/make-image" made
check "entry points and ports of the image" entries
job=$(runs cluster "$shaped_job" 2>"$work/err")
[ "$(echo "$job" | paste -sd' ' -)" = "2x2 4" ]
tap_result $? "the image's root runs a cluster and a shaped job" "$job
$(cat "$work/err")"
check "the options of slurmd's entry point" runs slurmd "$entry_points"
tap_done
