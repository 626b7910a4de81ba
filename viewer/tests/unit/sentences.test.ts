import assert from "node:assert/strict";
import { test } from "node:test";
import { sentencesOf } from "../../src/format/sentences";

test("messages become sentences", () => {
  assert.deepEqual(sentencesOf(["ATM: only 3 counts: the fit is unreliable [model]; use 4 or more"]),
    ["ATM: only 3 counts: the fit is unreliable. Use 4 or more."]);
  assert.deepEqual(sentencesOf(["the runs differ"]), ["The runs differ."]);
});

test("messages about several places become one sentence", () => {
  assert.deepEqual(sentencesOf(["ATM: only 3 counts", "OCN: no fit", "LND: only 3 counts"]), ["ATM, LND: only 3 counts.", "OCN: no fit."]);
});
