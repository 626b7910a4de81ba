# usage: LAUNCHER="mpiexec -n 2" own_data_test.sh PLIMSOLL DIR PROGRAM...
# Each program implements the same example in another language, must print the same correct result, and must
# write valid data with equal object counts. It prints once, not on each rank, which setting it rejects.
set -eu
plimsoll=$1 folder=$2
shift 2
rm -rf "$folder"
mkdir -p "$folder"

for program; do
  data=$folder/$(basename "$program")
  $LAUNCHER "$program" --vt_lb_data --vt_lb_data_dir="$data" --vt_lb_statistics=false --vt_lb_quiet >"$data.printed"
  cat "$data.printed"
  grep -q '^as exact as required$' "$data.printed"
  "$plimsoll" validate "$data" | tee "$data.verdict"
  grep -q '0 errors, 0 warnings' "$data.verdict"
  "$plimsoll" info --json "$data" | grep -oE '"(ranks|objects|migratable_objects|edges|off_rank_bytes)":[0-9.]+' >"$data.counts"
  grep -q '"migratable_objects":64' "$data.counts"
  for kind in printed counts; do
    cp -n "$data.$kind" "$folder/first.$kind"
    diff "$folder/first.$kind" "$data.$kind"
  done
  if $LAUNCHER "$program" --vt_lb_xyz >"$data.rejected" 2>&1; then exit 1; fi
  test "$(grep -c 'unknown setting "--vt_lb_xyz"' "$data.rejected")" = 1
done
