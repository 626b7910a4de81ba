# usage: LAUNCHER="mpiexec -n 2" pic_test.sh PLIMSOLL DIR PIC PIC_BALANCED
# Both programs must verify their particles; the balanced one also while all its blocks migrate in each phase.
set -eu
plimsoll=$1 folder=$2 plain=$3 balanced=$4
rm -rf "$folder"
mkdir -p "$folder"

# verified PARTICLES PROGRAM ARGUMENT...
verified() {
  count=$1
  shift
  $LAUNCHER "$@" >"$folder/printed" 2>&1 || { cat "$folder/printed" && exit 1; }
  grep -qx "verified: $count particles, 0 misplaced" "$folder/printed" || { cat "$folder/printed" && exit 1; }
}

# migrating STRATEGY PARTICLES ARGUMENT...: blocks migrate after each step
migrating() {
  strategy=$1 count=$2
  shift 2
  verified "$count" "$balanced" "$@" --vt_lb --vt_lb_name="$strategy" --vt_lb_when=always --vt_lb_run_lb_first_phase \
    --vt_lb_check --vt_lb_data --vt_lb_data_dir="$folder/data" --vt_lb_data_overwrite --vt_lb_statistics=false
  "$plimsoll" validate "$folder/data" | tee "$folder/verdict"
  grep -q '0 errors, 0 warnings' "$folder/verdict"
}

sinusoidal="30 96 20000 1 -2 SINUSOIDAL"
patch="30 96 20000 0 4 PATCH 0 20 10 60"
geometric="30 96 20000 2 1 GEOMETRIC 0.9"
linear="30 96 20000 0 0 LINEAR 1 3"
verified 19954 "$plain" $sinusoidal
verified 20000 "$plain" $patch
verified 19956 "$plain" $geometric
verified 19953 "$balanced" $linear --vt_lb_quiet --vt_lb_statistics=false
migrating RandomLB 19954 $sinusoidal
migrating GreedyLB 20000 $patch
migrating RotateLB 19956 $geometric
case $LAUNCHER in
*'-n 1') ! grep -q 'migrations' "$folder/printed" ;;
*) [ "$(grep -c '; RotateLB: ' "$folder/printed")" -gt 1 ] ;;
esac

# Plimsoll must not change which arguments are wrong. Without the launcher, because that of Open MPI takes 2 s to fail.
case $LAUNCHER in *'-n 1') ;; *) exit 0 ;; esac
for arguments in "" "10 100 1000 0 1 ROUND" "10 100 1000 0 1 LINEAR 1" "10 99 1000 0 1 SINUSOIDAL" "10 100 1000 60 1 SINUSOIDAL"; do
  for program in "$plain" "$balanced"; do
    ! "$program" $arguments >"$folder/printed" 2>&1 || exit 1
    grep -q '^usage: ' "$folder/printed"
  done
done
