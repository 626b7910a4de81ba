# usage: strategy_test.sh PLIMSOLL LIBRARY DIR
# The example strategy must be listed, accept its parameter and the limits of every strategy, reject an
# invalid value, and balance.
set -eu
plimsoll=$1 library=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder"

has() {
  grep -qE "$1" "$2" || { echo "no \"$1\" in $2:"; cat "$2"; exit 1; }
}

balance() {
  "$plimsoll" balance "$folder/data" --strategy "$library" "$@"
}

"$plimsoll" strategies "$library" >"$folder/shown"
has '^FooLB: ' "$folder/shown"
has '^tolerance +real +1.05 ' "$folder/shown"
has '^max_moves ' "$folder/shown"

"$plimsoll" generate --ranks 32 --objects-per-rank 64 -o "$folder/data"
balance --param tolerance=1.02 -o "$folder/balanced"
"$plimsoll" validate "$folder/balanced"
"$plimsoll" info --json "$folder/balanced" >"$folder/info"
has '"imbalance":0\.0[01]' "$folder/info"

balance --param max_moves=10 >"$folder/limited"
# A tenth migration would not lower the maximum of three equally loaded ranks.
has '^FooLB moved 9 objects ' "$folder/limited"

status=0
balance --param tolerance=0.5 2>"$folder/refused" || status=$?
test $status -eq 2
has 'libFooLB.so: tolerance of FooLB is below 1; use 1 or more' "$folder/refused"
