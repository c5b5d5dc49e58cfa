#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The shape reaches the ranks: --rank-order with srun, sbatch and mpirun, TORUS_RANK, and
# steps on sub-boxes of a job; the recipes of the guide for MPI, torchrun and JAX.

# shellcheck disable=SC2016,SC2034  # cases are evaluated by sharness
test_description='tasks in the order of the shape, steps on sub-boxes'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
skip_without_plugins torus
{
	torus_yaml '4, 4, 4'
	printf '  - {name: pod1, dims: [4, 4, 2], unit: [2, 2, 1], nodes: "node[64-71]"}\n'
} >torus.yaml
cluster_start --nodes 72 --cpus 4 --select torus --torus torus.yaml
PATH=$(cd "$top_builddir" && pwd):$PATH
say='echo $SLURM_PROCID $TORUS_COORD $TORUS_RANK $SLURMD_NODENAME'

# run ARGUMENT...: a job of srun alone, its tasks' lines by rank in `said`
run() {
	timeout 60 srun --mpi=none -t 5 "$@" sh -c "$say" >raw && sort -n raw >said
}

# ordered SHAPE TASKS: in row-major order, with so many tasks at a vertex
ordered() {
	awk -v shape="$1" -v per="$2" '
		BEGIN { axes = split(shape, n, "x") }
		{
			split($2, c, ","); want = 0
			for (a = 1; a <= axes; a++) want = want * n[a] + c[a]
			if (int($1 / per) != want || $3 != $1) { print "wrong: " $0; bad = 1 }
		}
		END { exit bad || NR == 0 }' said
}

# hops: 1 if each rank is one hop from the one before (two tasks: or at the same place)
hops() {
	awk '{
		n = split($2, c, ","); d = 0
		for (a = 1; a <= n; a++) { e = c[a] - last[a]; d += e < 0 ? -e : e; last[a] = c[a] }
		if (NR > 1 && d > 1) { print "far: " $0; bad = 1 }
	} END { exit bad }' said
}

# (from 25.05 on no plugin of slurmctld sees a step before its tasks have their numbers, and
# the order is that of an srun in a job which has the option itself)
slurm_at_least 25.05 || test_set_prereq LAYOUT
test_expect_success LAYOUT 'row-major: neighbours of the grid are neighbours, in all shapes' '
	for shape in 2x4 3x4 2x2x4 2x4x4 4x4x2 4x4x4 7; do
		run --geometry=$shape --rank-order=row-major || return 1
		[ $shape = 7 ] || ordered $shape 1 || return 1
	done &&
	run --geometry=2x3x2 --rank-order=row-major -n 24 && ordered 2x3x2 2
'
test_expect_success 'TORUS_RANK is row-major without it, too' '
	run --geometry=3x4 && awk "{ print \$3 }" said | sort -n >got && seq 0 11 >want &&
	test_cmp want got && ! ordered 3x4 1
'
test_expect_success LAYOUT 'snake: each rank is one hop from the one before' '
	run --geometry=3x4x2 --rank-order=snake && hops &&
	run --geometry=2x4 --rank-order=snake -n 16 && hops
'
test_expect_success LAYOUT 'several regions one after the other; vertices of a node by their rank' '
	run --geometry="2x2*3" --rank-order=row-major &&
	awk "\$1 % 4 != substr(\$2, 1, 1) * 2 + substr(\$2, 3, 1) { exit 1 }" said &&
	awk "NR % 4 == 1 { print }" said >first && [ $(wc -l <first) -eq 3 ] &&
	run --geometry=4x4x2 --no-rotate -w "node[64-71]" --rank-order=row-major -n 32 && ordered 4x4x2 1 &&
	run --geometry=4x4x2 --no-rotate -w "node[64-71]" --rank-order=row-major -n 8 &&
	[ "$(awk "{ print \$1 - \$3 }" said | sort -u)" = 0 ] &&
	[ "$(cut -d " " -f 2 said | tr "\n" " ")" = "0,0,0 0,0,1 0,2,0 0,2,1 2,0,0 2,0,1 2,2,0 2,2,1 " ]
'

# What a batch script sees.
cat >look.sh <<'EOS'
#!/bin/sh
srun --mpi=none sh -c 'echo $SLURM_PROCID $TORUS_COORD $TORUS_RANK' | sort -n >whole
srun --mpi=none -N2 -n2 sh -c 'echo $SLURM_PROCID $TORUS_COORD' | sort -n >part
srun --mpi=none --rank-order=snake -N2 -n2 true 2>part.note
srun --mpi=none --rank-order=snake sh -c 'echo $SLURM_PROCID $TORUS_COORD' | sort -n >snake
srun --mpi=none -m plane=1 sh -c 'echo $SLURM_PROCID $TORUS_COORD' | sort -n >plane
echo "$OMPI_MCA_rmaps_rank_file_path" >file
cp "$OMPI_MCA_rmaps_rank_file_path" ranks
touch done
EOS
test_expect_success LAYOUT 'sbatch: steps over all nodes, not those of a part or of another distribution' '
	sbatch -o look.log --geometry=2x4 --ntasks-per-node=1 --rank-order=row-major look.sh &&
	wait_for 60 test -e done && cat look.log && cp whole said && ordered 2x4 1 &&
	cp snake said && hops &&
	grep "does not have all nodes of job" part.note && [ $(wc -l <part) -eq 2 ] &&
	cut -d " " -f 1,2 whole >order && ! cmp -s order plane
'
test_expect_success 'sbatch: a rank file for Open MPI, not in the directory of the user, gone at the end' '
	{ [ -e done ] || { sbatch -o look.log --geometry=2x4 --ntasks-per-node=1 --rank-order=row-major look.sh &&
		wait_for 60 test -e done && cp snake said && hops; }; } &&
	[ $(grep -c "^rank [0-7]=node[0-9]* slot=0$" ranks) -eq 8 ] &&
	grep -qv "^$PWD" file && wait_for 30 test ! -e "$(cat file)"
'
test_expect_success LAYOUT 'salloc: as in a batch script' '
	timeout 60 salloc -Q --geometry=2x3 -n 6 --rank-order=row-major \
		srun --mpi=none sh -c "$say" >raw && sort -n raw >said && ordered 2x3 1
'
test_expect_success 'a wrong order is refused with the nearest word, at once and in torus.yaml' '
	! sbatch --geometry=2x2 --rank-order=snak look.sh 2>refused && grep "did you mean \"snake\"" refused &&
	! sbatch -N2 --rank-order=snake look.sh 2>refused && grep "needs a --geometry" refused &&
	{ cat torus.yaml; echo "rank_order: z"; } >wrong.yaml &&
	! storus check-config wrong.yaml 2>refused &&
	grep "rank_order: got \"z\": expected row-major, snake, morton or hilbert" refused
'
test_expect_success LAYOUT 'torus.yaml: the order of a site' '
	echo "rank_order: row-major" >>"$CLUSTER_DIR/torus.yaml" && scontrol reconfigure &&
	run --geometry=2x4 && ordered 2x4 1 &&
	cp torus.yaml "$CLUSTER_DIR/torus.yaml" && scontrol reconfigure
'

# Steps on sub-boxes, each of which stays until all have their place.
cat >steps.sh <<'EOS'
#!/bin/sh
step() {
	srun --mpi=none "$@" sh -c 'echo $SLURMD_NODENAME $TORUS_COORD $TORUS_SUB $TORUS_GEOMETRY >>step.$0
		for i in $(seq 300); do [ ! -e go ] || exit 0; sleep 0.1; done' $n &
	n=$((n + 1))
}
n=0
step --geometry=2x2x1
step --geometry=2x2x1
step --geometry=1x2x2 --base=1,0,2
for i in $(seq 300); do [ $(cat step.? 2>/dev/null | wc -l) -lt 12 ] || break; sleep 0.1; done
touch go
wait
srun --mpi=none --geometry=2x1x1 -n1 true 2>few
srun --mpi=none --geometry=4x4x4 true 2>large
srun --mpi=none --geometry=2x2x1 --base=1,1,1 true 2>outside
srun --mpi=none --conn-type=torus true 2>word
for words in --base=3,0,0 --base= -N3 "-w $SLURMD_NODENAME" -r1 -n3; do
	srun --mpi=none --geometry=2x2x1 $words true 2>&1 || echo "refused $words"
done >mixed
srun --mpi=none --geometry=2x2x1@1h true 2>>mixed || echo "refused @" >>mixed
srun --mpi=none --geometry=2x1x2 sh -c "[ \$SLURM_PROCID != 0 ] || storus ranks" >inside
storus ranks --sub 0,1,2+2x1x2 >sub
storus ranks --geometry 2x1 >ask 2>note
touch over
EOS
test_expect_success 'steps on boxes of the job, which never overlap' '
	sbatch -o steps.log --geometry=2x2x4 --no-rotate --ntasks-per-node=1 steps.sh && wait_for 90 test -e over &&
	cat steps.log step.? && [ $(cat step.? | wc -l) -eq 12 ] &&
	[ $(cut -d " " -f 1 step.? | sort -u | wc -l) -eq 12 ] &&
	[ "$(cut -d " " -f 3- step.2 | sort -u)" = "1,0,2+1x2x2 2x2" ] &&
	[ "$(cut -d " " -f 2 step.2 | sort | tr "\n" " ")" = "0,0 0,1 1,0 1,1 " ] &&
	cut -d " " -f 2 inside | tr "\n" " " | grep "^0,0 0,1 1,0 1,1 $" &&
	cut -d " " -f 2 sub | tr "\n" " " | grep "^0,0 0,1 1,0 1,1 $"
'
test_expect_success 'a step that cannot be is refused, and the refusal says what to do' '
	grep "at least a task on each of the step" few && grep "omit it" large && grep "omit it" outside &&
	grep -c "^refused" mixed | grep -x 7 && grep "base: got \"3,0,0\": no box of that shape begins there" mixed &&
	grep "N (--nodes) contradicts .* 4 nodes; omit -N" mixed && grep "nodelist) chooses nodes" mixed &&
	grep "relative) chooses nodes" mixed && grep "write -n 4, or omit -n" mixed &&
	grep "base: got \"\"" mixed && grep "1h\": a step in a job needs one shape" mixed &&
	grep "conn-type asks for nodes of a job.*omit it" word && grep "whole machine.*omit it" note
'

# The recipes of the guide. recipe PATTERN: the block of its page that has such a line
guide=$top_srcdir/doc/guide
recipe() {
	awk -v pattern="$1" '
		/^```/ { if (found) exit; inside = $0 == "```sh"; text = ""; next }
		inside { text = text $0 "\n"; found = found || index($0, pattern) == 1 }
		END { printf "%s", text }' "$guide-user.md"
}

# built MPI: its programs in the directory MPI, C and Fortran
built() {
	mkdir "$1" && command -v "mpicc.$1" >/dev/null && command -v "mpifort.$1" >/dev/null &&
		"mpicc.$1" -o "$1/cart" "$guide/cart.c" >"$1.cc" 2>&1 &&
		"mpifort.$1" -o "$1/cartf" "$guide/cart.f90" >"$1.cc" 2>&1
}

# mpi MPI PATTERN: the lines of the MPI recipe with this pattern, one after the other in a
# job; each process is at its coordinate of the grid. Its commands are those of the Slurm
# that is tested, then the machine's. Left to itself, Slurm's mpi/pmix takes the ring for the
# first barrier of MPI_Init and the tree for the second; on a busy machine ranks then leave
# the second before all have left the first, and Open MPI fails (open-mpi/ompi#12495).
mpi() {
	recipe "mpirun ./cart " >whole.sh &&
	{ grep "^#" whole.sh; grep -E "^(mpirun|srun) $2" whole.sh; } >"mpi-$1.sh" &&
	commands=$(grep -vc "^#" "mpi-$1.sh") && [ "$commands" -gt 0 ] && rm -f "$1/said" "$1/id" &&
	code=0 && (cd "$1" && cp "$guide/cart.py" . && OMPI_MCA_plm=slurm OMPI_MCA_btl=self,tcp OMPI_MCA_btl_tcp_if_include=lo \
		OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 SLURM_PMIX_FENCE=tree \
		PATH=${SLURM_PREFIX:+$SLURM_PREFIX/bin:}/usr/bin:$PATH \
		timeout $((240 * cluster_patience)) sbatch -W --parsable -o said ../"mpi-$1.sh" >id) || code=$?
	cat "$1/said"
	[ "$code" -eq 0 ] || mpi_failed "$code" "$(cat "$1/id")" || return 1
	# (mpirun may put two ranks on one line)
	grep -o "[0-9],[0-9] is at [0-9],[0-9]" "$1/said" |
		awk '{ if ($1 != $4) exit 1; seen[$1]++; n++ }
		END { for (at in seen) { k++; if (seen[at] * 8 != n) exit 1 }; exit k != 8 || n != 8 * commands }' \
			commands="$commands"
}

# mpi_failed CODE JOB: why, and what its nodes say; false
mpi_failed() {
	echo "sbatch -W: exit status $1$([ "$1" -ne 124 ] || echo ", not within its time"); job ${2:-was refused}"
	[ -z "$2" ] || { scontrol show job "$2"; cancel "$2"; grep -h "\[$2[.]" "$CLUSTER_DIR"/log/slurmd-*.log | tail -n 30; }
	return 1
}
built openmpi && command -v mpirun.openmpi >/dev/null && [ "$(readlink -f /usr/bin/mpirun)" = "$(readlink -f "$(command -v mpirun.openmpi)")" ] &&
	test_set_prereq OPENMPI || say_color skip "# no Open MPI (openmpi-bin, libopenmpi-dev)"
built mpich && test_set_prereq MPICH || say_color skip "# no MPICH (mpich, libmpich-dev)"
/usr/bin/python3 -c 'import mpi4py' 2>/dev/null && test_set_prereq MPI4PY ||
	say_color skip "# no mpi4py (python3-mpi4py)"
for kind in pmix pmi2; do
	srun --mpi=list 2>&1 | grep -qw $kind && test_set_prereq $kind
done
test_expect_success OPENMPI 'mpirun follows --rank-order without an option: C and Fortran' '
	mpi openmpi "./cart"
'
test_expect_success OPENMPI,MPI4PY 'mpirun of a Python program' 'mpi openmpi python3'
test_expect_success OPENMPI,pmix 'srun of an Open MPI program' 'mpi openmpi --mpi=pmix'
test_expect_success MPICH,pmi2 'srun of an MPICH program' 'mpi mpich --mpi=pmi2'

# torchrun and jax are not here: what stands for them prints what it was given
mkdir bin
printf '#!/bin/sh\necho "$6 $4 of $2 on $SLURMD_NODENAME at $TORUS_COORD: $7" >>"$PWD/torch"\n' >bin/torchrun
cat >jax.py <<'EOP'
import os
class distributed:
    def initialize(address, processes, process):
        print(address, process, "of", processes, "on", os.environ["SLURMD_NODENAME"],
              "at", os.environ["TORUS_COORD"], file=open("jax", "a"))
EOP
chmod +x bin/torchrun
test_expect_success 'a process per host: its number, their count, the address of the first' '
	recipe "srun sh -c" >hosts.sh && sh -n hosts.sh &&
	PATH=$PWD/bin:$PATH PYTHONPATH=$PWD timeout 60 sbatch -W -o hosts.log hosts.sh; cat hosts.log torch jax &&
	first=$(awk "\$2 == 0 { print \$6 }" torch) && [ -n "$first" ] &&
	for c in 0,0 0,1 1,0 1,1; do
		k=$((${c%,*} * 2 + ${c#*,})) && grep -q "^$first $k of 4 on node[0-9]* at $c: app.py$" torch &&
		grep -q "^$first:1234 $k of 4 on node[0-9]* at $c$" jax || return 1
	done && [ $(cat torch jax | wc -l) -eq 8 ]
'
command -v script >/dev/null && test_set_prereq TTY
test_expect_success TTY 'a shell on the first node, and several steps of salloc' '
	recipe "salloc " >shell && shell=$(sed -n "s/--pty bash$/--pty sh -c/p" shell) &&
	script -qec "$shell \"tty; echo \\\$TORUS_COORD of \\\$TORUS_GEOMETRY\"" /dev/null </dev/null >said &&
	cat said && grep -q "/dev/pts/" said && grep -q "0,0 of 2x2" said &&
	salloc=$(sed -n "s/^\(salloc .*-t 30\) .*/\1/p" shell) &&
	step=$(sed -n "s,^salloc .*# then \(srun .*\) ./app.*,\1,p" shell) && [ "$step" ] &&
	timeout 60 $salloc -Q sh -c "$step sh -c \"\$0\"; $step sh -c \"\$0\"" "$say" >raw && sort -n raw | uniq -c >twice &&
	[ $(grep -c "^ *2 " twice) -eq 4 ] && sed "s/^ *2 //" twice >said && ordered 2x2 1
'

# Minutes: every shape of 2 to 64 nodes, with one and with three tasks at a node
[ -z "${TORUS_TEST_LONG-}" ] || test_set_prereq EXPENSIVE
test_expect_success EXPENSIVE,LAYOUT 'row-major: all shapes of up to 64 nodes of a 4x4x4' '
	for shape in $(for a in 2 3 4; do echo $a^1; for b in 2 3 4; do echo ${a}x$b; for c in 2 3 4; do
			echo ${a}x${b}x$c; done; done; done); do
		for per in 1 3; do
			run --geometry=$shape --rank-order=row-major -n $(($(echo ${shape%^1} | tr x \*) * per)) &&
			ordered ${shape%^1} $per || return 1
		done
	done
'
test_done
