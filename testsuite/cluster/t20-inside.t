#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Inside a job: the TORUS_* variables of sbatch, srun and salloc, each task's
# TORUS_COORD, steps on the right nodes, and no shape for a job's own children.

# shellcheck disable=SC2016,SC2034  # cases are evaluated by sharness
test_description='what a shaped job sees: TORUS_*, coordinates, steps'
# shellcheck source=testsuite/cluster/lib-cluster.sh
. "$(dirname "$0")/lib-cluster.sh"
skip_without_plugins torus
MACHINE=4x4x2
torus_yaml '4, 4, 2' >torus.yaml
cluster_start --nodes 32 --select torus --torus torus.yaml

# What a batch script leaves behind: its own environment and its tasks'.
cat >look.sh <<'EOS'
#!/bin/sh
env | grep '^TORUS_' | sort >$1.env
srun --mpi=none sh -c 'echo $SLURM_PROCID $SLURMD_NODENAME $TORUS_COORD' | sort -n >$1.tasks
srun --mpi=none -N1 -n1 sh -c 'echo $SLURMD_NODENAME' >$1.one
echo done >$1.done
exec sleep ${2:-0}
EOS
chmod +x look.sh

# variable FILE NAME
variable() {
	sed -n "s/^TORUS_$2=//p" "$1"
}

# good_coords FILE BASE GEOMETRY ORIENTATION: lines `RANK NODE COORD`: COORD is
# the node's place, relative to BASE, in the shape's axes; ORIENTATION says for
# each dimension of the machine which axis lies there. Every coordinate of the
# shape is there once.
good_coords() {
	awk -v base="$2" -v shape="$3" -v turned="$4" -v m="$MACHINE" "$box_awk"'
		BEGIN {
			machine(m)
			split(base, b, ",")
			n = split(shape, extent, "x")
			if (split(turned, axis, ",") != dims) bad = 1
			total = 1
			for (i = 1; i <= n; i++) total *= extent[i]
			for (d = 1; d <= dims; d++)
				if (axis[d] != "-") dimension[axis[d] + 1] = d
		}
		{
			coord(index_of($2))
			want = ""
			for (i = 1; i <= n; i++) {
				d = dimension[i]
				c = (at[d] - b[d] + size[d]) % size[d]
				if (c >= extent[i]) bad = 1
				want = want (i > 1 ? "," : "") c
			}
			if (want != $3 || seen[$3]++) {
				print $0 ": expected " want
				bad = 1
			}
		}
		END { exit bad || NR != total }' "$1"
}

# expand_coords TEXT: TORUS_COORDS, a coordinate per line: `0-1,3;0,2` is 0,3 1,3
# 0,2
expand_coords() {
	printf '%s\n' "$1" | tr ';' '\n' | awk -F, '
		{
			from = to = $1
			axis = 0
			for (i = 1; i <= NF; i++) if (split($i, range, "-") == 2) axis = i
			if (axis) { split($axis, range, "-"); from = range[1]; to = range[2] }
			else { axis = 1 }
			step = to + 0 < from + 0 ? -1 : 1
			for (c = from + 0; ; c += step) {
				out = ""
				for (i = 1; i <= NF; i++) out = out (i > 1 ? "," : "") (i == axis ? c : $i)
				print out
				if (c == to + 0) break
			}
		}'
}

# good_look NAME: what look.sh NAME has left is right in itself: the tasks'
# coordinates, and TORUS_COORDS, which is in the order of the nodes
good_look() {
	cat "$1.env" "$1.tasks"
	good_coords "$1.tasks" "$(variable "$1.env" BASE)" \
		"$(variable "$1.env" GEOMETRY)" "$(variable "$1.env" ORIENTATION)" &&
		sort -k 2,2 "$1.tasks" | cut -d' ' -f3 >expected &&
		expand_coords "$(variable "$1.env" COORDS)" >actual &&
		test_cmp expected actual
}

test_expect_success 'sbatch: the variables, the tasks, and a smaller step' '
	id=$(sbatch --parsable -o /dev/null --no-rotate --geometry=3x1x2 look.sh batch 60) &&
	wait_for 30 test -e batch.done &&
	assert_box $id 3x1x2 exactly &&
	region=$(job_region $id) &&
	base=${region#pod0:} && base=${base%%+*} &&
	[ "$(variable batch.env NAME)" = pod0 ] &&
	[ "$(variable batch.env BASE)" = "$base" ] &&
	box_is_shape "$(variable batch.env GEOMETRY)" 3x2 &&
	variable batch.env STRIDE | grep -E "^1[,x]1[,x]1$" &&
	[ -n "$(variable batch.env RING)" ] &&
	good_look batch &&
	job_nodes $id >nodes &&
	cut -d" " -f2 batch.tasks | sort >task_nodes &&
	test_cmp nodes task_nodes &&
	grep -xFf nodes batch.one &&
	cancel $id
'

test_expect_success 'a turned box: coordinates are those of the shape, not of the machine' '
	# x 0 only: 4x2 has to lie along y and z
	free="$(seq -f node%02g 0 4 12) $(seq -f node%02g 16 4 28)" &&
	id=$(sbatch --parsable -o /dev/null --geometry=4x2 --exclude="$(all_but $free)" look.sh turned 60) &&
	wait_for 30 test -e turned.done &&
	assert_box $id 1x4x2 exactly &&
	[ "$(variable turned.env ORIENTATION)" = -,0,1 ] &&
	good_look turned &&
	cancel $id
'

test_expect_success 'a box across the edge: still relative to its base' '
	id=$(sbatch --parsable -o /dev/null --geometry=2 --exclude="$(all_but node03 node00)" look.sh wrapped 60) &&
	wait_for 30 test -e wrapped.done &&
	[ "$(variable wrapped.env BASE)" = 3,0,0 ] &&
	good_look wrapped &&
	grep "node03 0" wrapped.tasks &&
	grep "node00 1" wrapped.tasks &&
	cancel $id
'

test_expect_success 'several tasks on a node have the coordinate of the node' '
	id=$(sbatch --parsable -o /dev/null --geometry=2x2 --overcommit look.sh more 60) &&
	wait_for 30 test -e more.done &&
	srun --jobid=$id --overlap --overcommit --mpi=none -n8 \
		sh -c "echo \$SLURMD_NODENAME \$TORUS_COORD" | sort | uniq -c >twice &&
	cat twice &&
	[ $(wc -l <twice) -eq 4 ] &&
	[ "$(awk "{ print \$1 }" twice | sort -u)" = 2 ] &&
	cancel $id
'

test_expect_success 'storus ranks: task k on the k-th coordinate, row by row' '
	cat >ranks.sh <<-EOS &&
	#!/bin/sh
	"$top_builddir/storus" ranks --hostfile=ranks.hosts &&
	SLURM_HOSTFILE=ranks.hosts srun --mpi=none -n6 -m arbitrary \
		sh -c "echo \\\$SLURM_PROCID \\\$TORUS_COORD" | sort -n >ranks.tasks
	echo done >ranks.done
	exec sleep 60
	EOS
	id=$(sbatch --parsable -o ranks.log --no-rotate --geometry=3x1x2 ranks.sh) &&
	wait_for 30 test -e ranks.done &&
	cat ranks.log && cat ranks.hosts &&
	printf "%s\n" "0 0,0,0" "1 0,0,1" "2 1,0,0" "3 1,0,1" "4 2,0,0" "5 2,0,1" >expected &&
	test_cmp expected ranks.tasks &&
	cancel $id
'

test_expect_success 'srun on its own' '
	srun --mpi=none --no-rotate --geometry=2x2x1 sh -c \
		"echo \$SLURM_PROCID \$SLURMD_NODENAME \$TORUS_COORD \$TORUS_BASE \$TORUS_GEOMETRY \$TORUS_ORIENTATION" >out &&
	sort -n out >tasks && cat tasks &&
	[ $(wc -l <tasks) -eq 4 ] &&
	[ "$(cut -d" " -f4- tasks | sort -u | wc -l)" -eq 1 ] &&
	cut -d" " -f2 tasks | box_extent $MACHINE | grep -x 2x2x1 &&
	good_coords tasks $(head -n 1 tasks | cut -d" " -f4-)
'

test_expect_success 'salloc: its command has the variables, the steps have coordinates' '
	salloc --geometry=2x2x2 ./look.sh alloc 0 &&
	[ "$(variable alloc.env GEOMETRY)" = 2x2x2 ] &&
	cut -d" " -f2 alloc.tasks | box_extent $MACHINE | grep -x 2x2x2 &&
	good_look alloc
'

test_expect_success 'TORUS_RING says which axes are closed' '
	id=$(sbatch --parsable -o /dev/null --no-rotate --geometry=4x3x1 look.sh ring 60) &&
	wait_for 30 test -e ring.done &&
	# 4 of a wrapped 4 is a ring, 3 of 4 is not, 1 is
	variable ring.env RING | grep -E "^TMT?$" &&
	cancel $id
'

test_expect_success 'the batch script of a job without a shape has no TORUS_ variable' '
	id=$(sbatch --parsable -o /dev/null -N2 look.sh plain 0) &&
	wait_for 30 test -e plain.done &&
	test_must_be_empty plain.env &&
	! grep "," plain.tasks
'

test_expect_success 'a job that a shaped job submits does not inherit the shape' '
	cat >outer.sh <<-EOS &&
	#!/bin/sh
	sbatch --parsable -o /dev/null -N1 --wrap "env | grep ^TORUS_ >inner.env; exec sleep 60" >inner.id.tmp
	mv inner.id.tmp inner.id
	exec sleep 60
	EOS
	chmod +x outer.sh &&
	id=$(sbatch --parsable -o /dev/null --geometry=2x2 outer.sh) &&
	wait_for 30 test -s inner.id &&
	inner=$(cat inner.id) &&
	wait_state $inner RUNNING &&
	[ $(job_nodes $inner | wc -l) -eq 1 ] &&
	[ -z "$(job_region $inner)" ] &&
	wait_for 10 test -e inner.env &&
	test_must_be_empty inner.env &&
	cancel $inner $id
'

test_expect_success 'unless it asks for one itself' '
	cat >outer.sh <<-EOS &&
	#!/bin/sh
	sbatch --parsable -o /dev/null --geometry=2x1 --wrap "exec sleep 60" >inner2.id.tmp
	mv inner2.id.tmp inner2.id
	exec sleep 60
	EOS
	id=$(sbatch --parsable -o /dev/null --geometry=2x2 outer.sh) &&
	wait_for 30 test -s inner2.id &&
	inner=$(cat inner2.id) &&
	wait_state $inner RUNNING &&
	assert_box $inner 2 &&
	cancel $inner $id
'

test_done
