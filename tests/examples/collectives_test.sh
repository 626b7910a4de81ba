# usage: LAUNCHER="mpiexec -n 8" collectives_test.sh PLIMSOLL FOLDER PROGRAM
# What is sent, by hand: 150 calls of 20,000 bytes and 50 of 8 x 64 bytes by each of 8 ranks. Partners are 4 ranks apart: with
# ranks in order all of the former goes between two nodes, and with partners together only half of the latter does.
set -eu
plimsoll=$1 folder=$2 program=$3
rm -rf "$folder"
mkdir -p "$folder"

"$plimsoll" profile --record counts,late-arrival,locations -o "$folder/profile" -- $LAUNCHER "$program"
"$plimsoll" collectives summary "$folder/profile" --json | tee "$folder/summary.json"
grep -q '"operation":"Alltoallv","calls":200,"signatures":2,"bytes_sent":24204800,' "$folder/summary.json"
"$plimsoll" collectives reorder "$folder/profile" --nodes 2 --json | tee "$folder/reorder.json"
grep -q '"before_bytes":24102400.0,"after_bytes":102400.0,' "$folder/reorder.json"
