import assert from "node:assert/strict";
import { test } from "node:test";
import { treeMapLayout } from "../../src/charts/tree-map-layout";

test("the example of the paper: 6, 6, 4, 3, 2, 2, 1 in a 6 by 4 rectangle", () => {
  const rectangles = treeMapLayout([6, 6, 4, 3, 2, 2, 1], { x: 0, y: 0, width: 6, height: 4 });
  assert.deepEqual(rectangles[0], { x: 0, y: 0, width: 3, height: 2 });
  assert.deepEqual(rectangles[1], { x: 0, y: 2, width: 3, height: 2 });
  const third = rectangles[2]!;
  assert.ok(Math.abs(third.width - 12 / 7) < 1e-12 && Math.abs(third.height - 7 / 3) < 1e-12);
});

test("areas are in proportion and inside", () => {
  const values = Array.from({ length: 200 }, (_, i) => 1 / (i + 1));
  const sum = values.reduce((a, b) => a + b, 0);
  treeMapLayout(values, { x: 10, y: 20, width: 300, height: 100 }).forEach((box, i) => {
    assert.ok(Math.abs(box.width * box.height - (values[i]! / sum) * 30000) < 1e-6);
    assert.ok(box.x >= 10 - 1e-9 && box.x + box.width <= 310 + 1e-6);
    assert.ok(box.y >= 20 - 1e-9 && box.y + box.height <= 120 + 1e-6);
  });
});

test("no values give no rectangles", () => {
  assert.deepEqual(treeMapLayout([], { x: 0, y: 0, width: 1, height: 1 }), []);
});
