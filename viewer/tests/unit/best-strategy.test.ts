import assert from "node:assert/strict";
import { test } from "node:test";
import type { StrategyResult } from "../../src/data/document-types";
import { bestStrategy } from "../../src/views/lb-data/best-strategy";

test("the best of equally balanced strategies is one that is unbeaten", () => {
  const result = (strategy: string, max_load_s: number, non_dominated: boolean) => ({ strategy, parameters: {}, max_load_s, non_dominated }) as StrategyResult;
  const best = bestStrategy([result("GreedyLB", 2, false), result("CommAwareRefineLB", 3, true), result("RefineLB", 2, true)]);
  assert.equal(best?.strategy, "RefineLB");
  assert.equal(bestStrategy([result("RotateLB", 2, false)])?.strategy, "RotateLB");
  assert.equal(bestStrategy([]), undefined);
});
