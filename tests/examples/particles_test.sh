# usage: LAUNCHER="mpiexec -n 2" particles_test.sh PLIMSOLL DIR PROGRAM...
# Each program implements the same kernel. All must compute the same particles, bit by bit, on any number of ranks and with
# any placement, and write valid data with equal counts. Starting programs takes most of the time; therefore, only 4
# ranks run all distributions, the first program with more strategies, and other numbers of ranks three distributions.
set -eu
plimsoll=$1 folder=$2
shift 2
rm -rf "$folder"
mkdir -p "$folder"

is_valid() {
  "$plimsoll" validate "$1" | tee "$folder/verdict"
  grep -q '0 errors, 0 warnings' "$folder/verdict"
}

first=$1
for program; do
  # reproduces PARTICLES CHECKSUM ARGUMENT...: the run must verify itself and find this result.
  reproduces() {
    count=$1 checksum=$2
    shift 2
    $LAUNCHER "$program" "$@" --vt_lb_quiet --vt_lb_statistics=false >"$folder/printed" || true
    if ! grep -q "^$count particles" "$folder/printed" || ! grep -qx "checksum: $checksum" "$folder/printed" ||
      ! grep -qx 'verified: all particles present, 0 misplaced' "$folder/printed"; then
      cat "$folder/printed"
      echo "$program $*: expected $count particles and checksum $checksum"
      exit 1
    fi
  }
  # balanced STRATEGY PARTICLES CHECKSUM ARGUMENT...: the same with a placement that changes after each phase.
  balanced() {
    strategy=$1
    shift
    reproduces "$@" --vt_lb --vt_lb_name="$strategy" --vt_lb_when=always --vt_lb_run_lb_first_phase \
      --vt_lb_data --vt_lb_data_dir="$folder/balanced" --vt_lb_data_overwrite
    is_valid "$folder/balanced"
  }
  # Particles that cross the border of a block are messages, also on the same rank.
  data=$folder/$(basename "$program")
  reproduces 20000 21484836748762 10 80 20000 39 79 PATCH 0 20 10 60 --block=10 --vt_lb_data --vt_lb_data_dir="$data"
  is_valid "$data"
  "$plimsoll" info --json "$data" | grep -oE '"(ranks|objects|migratable_objects|edges|off_rank_bytes)":[0-9.]+' >"$data.counts"
  grep -q '"migratable_objects":64' "$data.counts"
  cp -n "$data.counts" "$folder/first.counts"
  diff "$folder/first.counts" "$data.counts"

  balanced GreedyLB 20076 21599618453308 10 100 20000 1 -2 SINUSOIDAL
  case $LAUNCHER in *'-n 4')
    reproduces 1008 1078084634766 1 20 1000 0 0 UNIFORM
    balanced OrbLB 20032 21461081749424 7 120 20000 3 0 LINEAR 1 3 --block=8
    if [ "$program" = "$first" ]; then
      reproduces 19977 21452425138531 10 100 20000 0 1 GEOMETRIC 0.97
      balanced RandomLB 20000 21484836748762 10 80 20000 39 79 PATCH 0 20 10 60 --block=10
      balanced RefineLB 19977 21452425138531 10 100 20000 0 1 GEOMETRIC 0.97
    fi
    ;;
  esac
  balanced RotateLB 19977 21452425138531 10 100 20000 0 1 GEOMETRIC 0.97
  case $LAUNCHER in *'-n 1') migrations=0 ;; *) migrations=250 ;; esac # RotateLB: 25 blocks after each of 10 phases
  grep -qx "migrations: $migrations" "$folder/printed"
  grep -qx "LB data: $folder/balanced/data.%p.json.br" "$folder/printed"
done
