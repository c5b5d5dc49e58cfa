#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# storus ranks under a real MPI: neighbours in the Cartesian grid of the job's shape are
# one hop apart by TORUS_COORD, with a rank file for Open MPI, with one for hydra, and
# with Slurm's arbitrary distribution. Cases without their MPI are skipped (Debian's
# packages: openmpi-bin and libopenmpi-dev; mpich and libmpich-dev).

# shellcheck disable=SC2016,SC2034  # cases are evaluated by sharness
test_description='storus ranks under a real MPI'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
skip_without_plugins torus
torus_yaml '4, 4, 2' >torus.yaml
cluster_start --nodes 32 --select torus --torus torus.yaml
storus=$top_builddir/storus

# mpi PREREQUISITE COMPILER LAUNCHER: compile the program, if the MPI is there
mpi() {
	command -v "$2" >/dev/null && command -v "$3" >/dev/null &&
		"$2" -o "cart-$1" "$top_srcdir/testsuite/cluster/mpi-cart.c" >"$1.cc" 2>&1 &&
		test_set_prereq "$1" || say_color skip "# no $1: $2 or $3 is not installed"
}
mpi OPENMPI mpicc.openmpi mpirun.openmpi
mpi MPICH mpicc.mpich mpiexec.hydra
srun --mpi=list 2>&1 | grep -qw pmi2 && test_set_prereq PMI2

# as ssh, for hydra: by its slurm launcher proxies come in the order of the node list,
# whatever the file's. Slurm since 23.11 has hydra give srun's --external-launcher to
# whatever launches them: a job unsets that, as the manual says.
cat >rsh.sh <<'EOS'
#!/bin/sh
[ "$1" != -x ] || shift
host=$1
shift
exec srun --mpi=none --overlap -N1 -n1 -w "$host" sh -c "$*"
EOS
chmod +x rsh.sh

# run SHAPE COMMAND: a job's output into `said`; "storus" is ours
run() {
	rm -f said done
	printf '#!/bin/sh\n%s\n%s\n%s >said 2>why\necho done >done\n' \
		"PATH=$top_builddir:\$PATH" \
		'export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1' "$2" >job.sh
	id=$(sbatch --parsable -o job.log --geometry="$1" job.sh) && wait_for 90 test -e done
	cat job.log why said
	cancel "$id"
}

# near COUNT: so many pairs of neighbours, each one hop apart
near() {
	[ "$(wc -l <said)" -eq "$1" ] && ! grep -v ' 1$' said
}

openmpi='timeout 60 mpirun.openmpi --mca plm slurm --mca btl self,tcp --mca btl_tcp_if_include lo --oversubscribe --rankfile list -np 8 ./cart-OPENMPI'
hydra='timeout 60 mpiexec.hydra -launcher ssh -launcher-exec ./rsh.sh -f list -n 8 ./cart-MPICH'

test_expect_success OPENMPI 'Open MPI with a rank file' '
	run 4x2 "storus ranks --hostfile=list --rankfile openmpi && $openmpi" && near 10 &&
	run 2x2x2 "storus ranks --hostfile=list --rankfile openmpi && $openmpi" && near 12
'
test_expect_success OPENMPI 'in another order neighbours are not neighbours' '
	run 4x2 "storus ranks --hostfile=list --rankfile openmpi --order snake && $openmpi" &&
	[ $(wc -l <said) -eq 10 ] && grep -v " 1\$" said
'
test_expect_success MPICH 'hydra with its host file' '
	run 4x2 "storus ranks --hostfile=list --rankfile hydra && unset TORUS_COORD HYDRA_LAUNCHER_EXTRA_ARGS && $hydra" &&
	near 10 &&
	run 2x2x2 "storus ranks --hostfile=list --rankfile hydra && unset TORUS_COORD HYDRA_LAUNCHER_EXTRA_ARGS && $hydra" &&
	near 12
'
test_expect_success MPICH,PMI2 'the arbitrary distribution of srun' '
	run 4x2 "storus ranks --hostfile=list && SLURM_HOSTFILE=list timeout 60 srun --mpi=pmi2 -n8 -m arbitrary ./cart-MPICH" &&
	near 10 &&
	run 4x2 "storus ranks --order snake --hostfile=list && SLURM_HOSTFILE=list timeout 60 srun --mpi=pmi2 -n8 -m arbitrary ./cart-MPICH" &&
	[ $(wc -l <said) -eq 10 ] && grep -v " 1\$" said
'
test_done
