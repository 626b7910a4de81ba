import assert from "node:assert/strict";
import { test } from "node:test";
import { fittedCost } from "../../src/views/layouts/fitted-cost";

test("the fitted cost on n tasks is a/n + b n^c + d", () => {
  assert.equal(fittedCost({ a: 100, b: 0.5, c: 2, d: 3, r_squared: 1, typical_error: 0, outliers: [] }, 4), 25 + 8 + 3);
});
