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
	[ "$1" = bookworm ] || rm -rf --one-file-system "$root"
	return $bare_status
}

check "contribs/package tarball" \
	"$top/contribs/package" --output "$work" --build "$build" tarball
for release in bookworm trixie bullseye; do
	check "the tarball runs in a bare $release, and names what it lacks" in_bare $release
done

# The packages for the Slurm of bookworm on a host with slurm-smd, of which only the relations
# count: one line names both, nothing is half installed, slurm-smd stays.
# shellcheck disable=SC2016  # expanded there
on_smd='
	export DEBIAN_FRONTEND=noninteractive
	whole() { # PACKAGE...: they and no others of these are installed, and nothing is left undone
		dpkg --audit | grep . && return 1
		[ "$(dpkg-query -W -f "\${db:Status-Status} \${Package}\n" slurm-smd storus slurm-torus-plugins 2>/dev/null |
			sed -n "s/^installed //p" | paste -sd" " -)" = "$*" ]
	}
	refused() { # COMMAND...
		! "$@" >said 2>&1 && [ "$(grep -c "^slurm-torus-plugins: " said)" = 1 ] &&
			grep "built for Slurm .* of slurm-wlm-basic-plugins, but this host has Slurm 26.05.3-1 of slurm-smd: run contribs/package deb" said
	}
	set -e
	printf "#!/bin/sh\nexit 101\n" >/usr/sbin/policy-rc.d; chmod 755 /usr/sbin/policy-rc.d
	apt-get -qq update
	apt-get -qq install libyaml-0-2 ./slurm-smd.deb >/dev/null
	refused apt-get -y install ./slurm-torus-plugins_*.deb
	whole slurm-smd
	refused apt-get -y install ./slurm-torus-plugins_*.deb ./storus_*.deb
	apt-get -y -f install >/dev/null
	whole slurm-smd storus
	dpkg -P storus >/dev/null
	refused dpkg -i ./slurm-torus-plugins_*.deb ./storus_*.deb
	whole slurm-smd storus
	refused dpkg -i ./slurm-torus-plugins_*.deb
	apt-get -y install ./storus_*.deb >/dev/null
	whole slurm-smd storus'
other_family()
{
	mkdir -p "$work/smd/DEBIAN" &&
		printf '%s\n' "Package: slurm-smd" "Version: 26.05.3-1" "Architecture: $(dpkg --print-architecture)" \
			"Maintainer: x <x@x>" "Description: x" "Conflicts: slurm-wlm, slurm-wlm-basic-plugins, slurm-wlm-plugins" \
			>"$work/smd/DEBIAN/control" &&
		dpkg-deb -b "$work/smd" "$work/bookworm/root/slurm-smd.deb" >/dev/null &&
		cp "$TORUS_TEST_PACKAGES"/slurm-torus-plugins_*.deb "$TORUS_TEST_PACKAGES"/storus_*.deb "$work/bookworm/root" &&
		clean_root run "$work/bookworm" root "$on_smd"
}
if [ -n "${TORUS_TEST_PACKAGES-}" ]; then
	check "packages of one family on a host of the other" other_family
fi
rm -rf --one-file-system "$work/bookworm"

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
