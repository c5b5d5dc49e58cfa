#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The examples that storus prints: each is run as it is printed, in a directory with the
# files that it names, and none is wrong usage (2) or trouble (3). Those that need a
# cluster: cluster/t48-site-examples.t.

# shellcheck source=testsuite/lib-tap.sh
. "$(dirname "$0")/../lib-tap.sh"
skip_without bash gzip
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
: "${top_builddir:=$top_srcdir/build}"
top_srcdir=$(cd "$top_srcdir" && pwd)
# shellcheck source=testsuite/lib-examples.sh
. "$top_srcdir/testsuite/lib-examples.sh"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/bin" "$tmp/etc" || exit 1
ln -s "$(cd "$top_builddir" && pwd)/storus" "$tmp/bin/storus"
PATH=$tmp/bin:$PATH
TZ=UTC
SLURM_CONF=$tmp/etc/slurm.conf # /etc/slurm of the examples
export PATH TZ SLURM_CONF
golden=$top_srcdir/testsuite/golden

# site DIMS NODES: the torus.yaml of the examples
site()
{
	printf 'toruses:\n  - name: pod0\n    dims: [%s]\n    nodes: %s\nscheduler:\n  discipline: easy\n' \
		"$1" "$2"
}
site '8, 8, 8' 'node[000-511]' >"$tmp/etc/torus.yaml"
printf 'ClusterName=c\nSlurmUser=%s\nNodeName=node[000-511]\n' "$(id -un)" >"$SLURM_CONF"
cp "$golden/import/topology.yaml" "$tmp/etc"

# sixteen days of jobs that a cluster ran as EASY does
weeks()
{
	awk 'BEGIN { print "; UnixStartTime: 0"
		for (i = 1; i <= 300; i++)
			print i, i * 4600 + 1767571200, -1, 3600 + i % 11 * 1900, i % 9 + 1, -1, -1, i % 9 + 1, 30000, -1, 1, i % 5 + 1, 1, 1, 1, 1, -1, -1 }' \
		>week.swf
	storus replay --torus flat:32 --schedule week.csv week.swf >/dev/null
	awk -F, 'BEGIN { print "JobID|User|Submit|Start|End|NNodes|TimelimitRaw|State" }
		NR > 1 { print $1 "|u" $1 % 5 "|" $2 "|" $3 "|" $4 "|" $6 "|500|COMPLETED" }' week.csv
}

# prepare COMMAND: the files that its examples name
prepare()
{
	cp "$tmp/etc/torus.yaml" "$tmp/etc/slurm.conf" .
	cp "$golden/questions/cluster.snap" now.snap
	sed 's/13_4/17_4/g' now.snap >now && mv now now.snap
	storus generate aida-uniform --jobs 60 >trace.swf
	gzip -k trace.swf
	case $1 in
	replay | tune) storus generate aida-uniform --jobs 60 --output jobs.csv ;;
	plan) printf 'd,t\n4,2\n2,1.5\n' >jobs.csv ;;
	map) cp trace.swf s.swf ;;
	check-config)
		cp torus.yaml new.yaml
		printf -- '- topology: t\n  torus3d:\n    toruses:\n      - {name: pod0, dims: {x: 8, y: 8, z: 8}, nodes: "node[000-511]"}\n' \
			>topology.yaml
		;;
	sweep) printf 'traces: [trace.swf]\nmachines: [flat:1024]\ndisciplines: [fcfs, easy]\n' >campaign.yaml ;;
	report) storus replay --torus 8x8x16 --schedule fcfs.csv --discipline fcfs trace.swf >/dev/null ;;
	jobs) cp "$top_srcdir/doc/lab/site.sacct" . ;;
	generate) weeks >site.sacct ;;
	weekly | parity | validate)
		site '8, 4' 'node[00-31]' >torus.yaml
		weeks >journal.csv
		cp journal.csv jobs.sacct
		cp "$top_srcdir/doc/guide/dry-run.csv" spool.csv
		;;
	import) sed 's/dims: \[ 2, 2 \]/dims: [ 4, 2 ]/' "$golden/import/one.textproto" >mesh_graph.textproto ;;
	esac
}

# try LINE: a status of 0 or 1 (a domain's no), and of 1 nothing but a no.
try()
{
	sed "s#/etc/slurm/topology#$tmp/etc/topology#; s#/etc/slurm/#./#; s#/var/spool/slurm-torus/journal.csv#spool.csv#" <<-END >run
		$1
	END
	case $1 in 'storus check-config /etc'*) sed -i "s#\./#$tmp/etc/#" run ;; esac
	bash -o pipefail run >out 2>err </dev/null
	try_status=$?
	[ $try_status -le 1 ] || { printf '%s: %s\n' "$try_status" "$1" && head -n 3 err; }
}

for command in $(storus --words); do
	mkdir "$tmp/$command" && cd "$tmp/$command" || exit 1
	prepare "$command" >/dev/null 2>&1
	examples_of "$command" >lines
	[ -s lines ]
	tap_result $? "$command has examples" ""
	while IFS= read -r line; do
		! example_is_live "$line" || continue
		case $line in
		'storus experiment aida'* | 'storus experiment all'* | 'storus experiment mao'*)
			continue ;; # minutes each: golden/lab.t and make check-long
		sqlite3*) command -v sqlite3 >/dev/null || continue ;;
		*report* | *weekly*)
			[ -r /usr/share/javascript/chart.js/chart.min.js ] || continue ;;
		esac
		try "$line" >>failed
		tap_result "$([ ! -s failed ]; echo $?)" "$(echo "$line" | tr -d '\\')" "$(cat failed)"
		: >failed
	done <lines
done
tap_done
