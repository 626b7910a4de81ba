# usage: MPIEXEC=mpiexec RANKS=2 collections_test.sh PLIMSOLL DIR STENCIL3D LB_TEST
# Every run must verify itself, compute the same result as one rank without migrations, bit by bit, and write valid data.
# So must runs that continue from a checkpoint of RANKS ranks, on other numbers of ranks. Starting programs takes most of
# the time; therefore, only 4 ranks run all options and topologies, but only one topology with all options. Other numbers
# of ranks run those with migrations, with two of the topologies, and continue on 3 ranks.
set -eu
plimsoll=$1 folder=$2 stencil3d=$3 lb_test=$4
rm -rf "$folder"
mkdir -p "$folder"

# verified RANKS PROGRAM ARGUMENT...: runs the program, which must verify itself, and prints its checksum.
verified() {
  ranks=$1
  shift
  rm -rf "$folder/data" # of other ranks
  if ! $MPIEXEC -n "$ranks" "$@" --vt_lb_quiet --vt_lb_data --vt_lb_data_dir="$folder/data" --vt_lb_data_overwrite \
    >"$folder/printed" 2>&1 || ! grep -q '^verified: ' "$folder/printed" ||
    ! "$plimsoll" validate "$folder/data" >"$folder/verdict" || ! grep -q '0 errors, 0 warnings' "$folder/verdict"; then
    cat "$folder/printed" "$folder/verdict" >&2
    echo "$ranks ranks: $*: failed" >&2
    return 1
  fi
  grep '^checksum: ' "$folder/printed"
}

# reproduces_on RANKS CHECKSUM PROGRAM ARGUMENT...: the run must verify itself and find this checksum.
reproduces_on() {
  n=$1 expected=$2
  shift 2
  found=$(verified "$n" "$@")
  if [ "$found" != "$expected" ]; then
    echo "$n ranks: $*: found $found, expected $expected"
    exit 1
  fi
}
reproduces() { reproduces_on "$RANKS" "$@"; }

# migrated COUNT: all elements must have migrated, on more than one rank.
migrated() {
  [ "$RANKS" = 1 ] || grep -qx "migrations: $1" "$folder/printed" || {
    grep migrations "$folder/printed"
    echo "expected $1 migrations"
    exit 1
  }
}
always='--vt_lb --vt_lb_when=always --vt_lb_run_lb_first_phase --vt_lb_name'

checksum=$(verified 1 "$stencil3d" 16 4 12)
reproduces "$checksum" "$stencil3d" 16 4 12 --phase=1 --shuffle $always=RefineLB
reproduces "$checksum" "$stencil3d" 16 4 12 --phase=4 $always=RotateLB
migrated 192 # 64 blocks after each of 3 phases
if [ "$RANKS" = 4 ]; then
  reproduces "$checksum" "$stencil3d" 16 4 12
  reproduces "$checksum" "$stencil3d" 16 2 12 --phase=12
  reproduces "$checksum" "$stencil3d" 16 16 12 --phase=4 # one block, which is its own neighbour
  reproduces "$checksum" "$stencil3d" 16 4 12 --phase=1 --shuffle
  reproduces "$checksum" "$stencil3d" 16 4 12 --shuffle $always=GreedyLB
fi
verified "$RANKS" "$stencil3d" 16 4 7 --phase=3 --shuffle --checkpoint="$folder/checkpoint" >"$folder/ignored"
[ "$RANKS" = 4 ] && all_ranks='1 3 8' || all_ranks=3
for ranks_after in $all_ranks; do
  reproduces_on $ranks_after "$checksum" "$stencil3d" 16 4 12 --phase=2 --restart="$folder/checkpoint"
done

[ "$RANKS" = 4 ] && topologies='ring mesh2d mesh3d randgraph' || topologies='mesh3d randgraph'
for topology in $topologies; do
  checksum=$(verified 1 "$lb_test" 60 12 1 20 $topology)
  reproduces "$checksum" "$lb_test" 60 12 1 20 $topology --phase=2 --shuffle --heavy-half=3 $always=GreedyLB
done
if [ "$RANKS" = 4 ]; then
  reproduces "$checksum" "$lb_test" 60 12 1 20 $topology --phase=12
  reproduces "$checksum" "$lb_test" 60 12 1 20 $topology --phase=1 --shuffle --redraw=3
  reproduces "$checksum" "$lb_test" 60 12 1 20 $topology --phase=4 $always=RotateLB
  migrated 180 # 60 elements after each of 3 phases
fi
# Also of the last topology.
verified "$RANKS" "$lb_test" 60 5 1 20 randgraph --phase=2 --checkpoint="$folder/checkpoint" >"$folder/ignored"
for ranks_after in $all_ranks; do
  reproduces_on $ranks_after "$checksum" "$lb_test" 60 12 1 20 randgraph --shuffle --restart="$folder/checkpoint"
done
