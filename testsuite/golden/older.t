#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# What older builds have left in StateSaveLocation and beside it is read: the plan
# and the journal of a live cluster, before there were promises in files (first)
# and after (second). testsuite/cluster/t84-upgrade.t made them.
. "$(dirname "$0")/lib-golden.sh"
TZ=UTC
export TZ

for version in first second; do
	golden $version-plan storus reservations --file $version/torus_plan
	golden $version-replay storus replay --torus torus.yaml $version/journal.csv \
		--schedule -
done
golden_done
