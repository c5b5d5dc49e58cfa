#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# slurmctld in a container. Its options: the arguments, and SLURMCTLD_OPTIONS.
# munged runs where its key is mounted; auth/slurm needs none.
set -euo pipefail

mkdir -p /run/slurmctld /var/spool/slurm-torus
chown slurm:slurm /run/slurmctld /var/spool/slurm-torus
if [[ -f /etc/munge/munge.key ]]; then
	install -d -o munge -g munge /run/munge
	setpriv --reuid munge --regid munge --clear-groups munged --force
fi
# shellcheck disable=SC2086  # several words
exec slurmctld -D ${SLURMCTLD_OPTIONS:-} "$@"
