# usage: LAUNCHER="mpiexec -n 8" collectives_test.sh PLIMSOLL DIR PROGRAM
# Expected values, computed by hand: each of 8 ranks makes 150 calls of 20,000 bytes and 50 calls of 8 x 64
# bytes. Partners are 4 ranks apart. With ranks in order, all of the former bytes cross between two nodes;
# with partners together, only half of the latter do.
set -eu
plimsoll=$1 folder=$2 program=$3
rm -rf "$folder"
mkdir -p "$folder"

"$plimsoll" profile --record counts,late-arrival,locations -o "$folder/profile" -- $LAUNCHER "$program"
"$plimsoll" collectives summary "$folder/profile" --json | tee "$folder/summary.json"
grep -q '"operation":"Alltoallv","calls":200,"signatures":2,"bytes_sent":24204800,' "$folder/summary.json"
"$plimsoll" collectives reorder "$folder/profile" --nodes 2 --json | tee "$folder/reorder.json"
grep -q '"before_bytes":24102400.0,"after_bytes":102400.0,' "$folder/reorder.json"
