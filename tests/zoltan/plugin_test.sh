# usage: plugin_test.sh PLIMSOLL LIBRARY DIR
# Checks that the command loads ZoltanLB as a plug-in, which initialises MPI itself.
set -eu
plimsoll=$1 library=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder"

"$plimsoll" strategies "$library" >"$folder/shown"
grep -q '^ZoltanLB: ' "$folder/shown"
"$plimsoll" generate --ranks 8 --objects-per-rank 64 -o "$folder/data"
"$plimsoll" balance "$folder/data" --strategy "$library" --param tolerance=1.05 -o "$folder/balanced" >"$folder/said"
"$plimsoll" info --json "$folder/balanced" >"$folder/info"
grep -q '"imbalance":0\.0[0-5]' "$folder/info"
