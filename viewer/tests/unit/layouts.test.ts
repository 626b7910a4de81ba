import assert from "node:assert/strict";
import { test } from "node:test";
import type { StudyInfo } from "../../src/data/document-types";
import { extentOf } from "../../src/views/layouts/extent";
import { fittedCost } from "../../src/views/layouts/fitted-cost";

test("the fitted cost on n tasks is a/n + b n^c + d", () => {
  assert.equal(fittedCost({ a: 100, b: 0.5, c: 2, d: 3, r_squared: 1, typical_error: 0, outliers: [] }, 4), 25 + 8 + 3);
});

test("two kinds of nodes are drawn by nodes, those of the first kind first", () => {
  const partitions = [{ name: "gpu", nodes: 2, tasks_per_node: 4 }, { name: "cpu", nodes: 3, tasks_per_node: 64 }];
  const solution = { partitions } as StudyInfo;
  assert.deepEqual(extentOf(solution, { root: 4, processors: 4, partition: "gpu" }), { from: 1, to: 2 });
  assert.deepEqual(extentOf(solution, { root: 8 + 64, processors: 128, partition: "cpu" }), { from: 3, to: 5 });
  const one = { partitions: [] as StudyInfo["partitions"] } as StudyInfo;
  assert.deepEqual(extentOf(one, { root: 8, processors: 4, partition: null }), { from: 8, to: 12 });
});
