import assert from "node:assert/strict";
import { test } from "node:test";
import { trafficTotals } from "../../src/views/lb-data/traffic-totals";

const traffic = { phase: 0, from: [0, 0, 0, 2], to: [0, 1, 2, 3], bytes: [1, 10, 100, 1000], messages: [1, 1, 1, 1] };

test("bytes are summed by distance", () => {
  assert.deepEqual(trafficTotals(traffic, [0, 0, 1, 1], 1), { all: 1111, withinRows: 1, nodes: { within: 1010, between: 100 } });
});

test("on a single node, nothing is between nodes", () => {
  assert.deepEqual(trafficTotals(traffic, [5, 5, 5, 5], 1), { all: 1111, withinRows: 1, nodes: null });
});

test("without nodes, or with blocks of ranks, distances between nodes are unknown", () => {
  assert.equal(trafficTotals(traffic, null, 1).nodes, null);
  assert.equal(trafficTotals(traffic, [0, 0, 1, 1], 2).nodes, null);
});
