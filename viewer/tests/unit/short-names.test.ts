import assert from "node:assert/strict";
import { test } from "node:test";
import { shortNames } from "../../src/format/short-names";

test("the last component is enough if it is unique", () => {
  assert.deepEqual(shortNames(["/runs/a/data", "/runs/balanced/"]), ["data", "balanced"]);
});

test("equal last components are told apart by those before", () => {
  assert.deepEqual(shortNames(["/runs/a/data", "/runs/b/data"]), ["a/data", "b/data"]);
});

test("equal paths stay whole", () => {
  assert.deepEqual(shortNames(["x/data", "x/data"]), ["x/data", "x/data"]);
});
