# usage: experts_test.sh EXPERTS DIR
# The example must find the optimum of the case in its README, use each slot, keep experts in place and
# groups on one node, and reject invalid input.
set -eu
experts=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"

fail() {
  echo "$1"
  exit 1
}

printf '600\n560\n120\n120\n20\n10\n10\n10\n' >"$folder/loads"
"$experts" "$folder/loads" 8 2 </dev/null >"$folder/plan" 2>"$folder/summary"
grep -qx 'maximum load 196.667, mean 181.25' "$folder/summary" || fail "not the optimum: $(cat "$folder/summary")"
[ "$(wc -w <"$folder/plan")" = 16 ] || fail "not 16 replicas"
[ "$(tr ' ' '\n' <"$folder/plan" | sort -u | wc -l)" = 8 ] || fail "an expert is missing"

"$experts" "$folder/loads" 8 2 <"$folder/plan" >"$folder/again" 2>"$folder/summary"
grep -qx '0 replicas to load' "$folder/summary" || fail "the same plan moves replicas"
cmp "$folder/plan" "$folder/again"

# Four groups of two experts, on two nodes: the experts of a group never appear on devices of both.
"$experts" "$folder/loads" 8 2 4 2 </dev/null >"$folder/nodes" 2>/dev/null
for expert in 0 1 2 3 4 5 6 7; do
  first=$(head -4 "$folder/nodes" | grep -cw $expert || true)
  second=$(tail -4 "$folder/nodes" | grep -cw $((expert / 2 * 2)) || true)
  [ "$first" = 0 ] || [ "$second" = 0 ] || fail "group of expert $expert is on both nodes"
done

if "$experts" "$folder/loads" 1 2 </dev/null 2>"$folder/error"; then fail "8 experts fit in 2 slots"; fi
grep -q 'use more devices or slots' "$folder/error" || fail "no advice"
echo heavy >>"$folder/loads"
if "$experts" "$folder/loads" 8 2 </dev/null 2>"$folder/error"; then fail "a word is a load"; fi
grep -q 'line 9: invalid load "heavy"' "$folder/error" || fail "no line"
