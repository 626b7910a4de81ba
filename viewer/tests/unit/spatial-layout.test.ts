import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultGrid, gridSize, largestRadius, placeObjects, rankCorner } from "../../src/views/lb-data/spatial-layout";

test("the default grid is full if possible and holds all ranks", () => {
  assert.deepEqual(defaultGrid(32), { x: 8, y: 4, z: 1 });
  assert.deepEqual(defaultGrid(256), { x: 16, y: 16, z: 1 });
  assert.deepEqual(defaultGrid(13), { x: 4, y: 4, z: 1 });
  assert.deepEqual(defaultGrid(1), { x: 1, y: 1, z: 1 });
});

test("rank 0 is at the lower left and rank x is above it", () => {
  const grid = { x: 2, y: 2, z: 2 };
  assert.equal(rankCorner(grid, 0).x, 0);
  assert.ok(rankCorner(grid, 0).y > rankCorner(grid, 2).y);
  assert.ok(rankCorner(grid, 4).x > rankCorner(grid, 1).x + 1, "the second plane is to the right of the first");
});

test("objects are inside the squares of their ranks", () => {
  const grid = defaultGrid(4);
  const objects = { phase: 0, complete: true, entity: [5, 3, 4, 1, 2], rank: [0, 0, 0, 3, 3], load_s: [1, 1, 1, 1, 1], fields: {} };
  const places = placeObjects(objects, grid);
  objects.rank.forEach((rank, i) => {
    const corner = rankCorner(grid, rank);
    assert.ok(places.x[i]! - places.half[i]! >= corner.x && places.x[i]! + places.half[i]! <= corner.x + 1);
    assert.ok(places.y[i]! - places.half[i]! >= corner.y && places.y[i]! + places.half[i]! <= corner.y + 1);
  });
  assert.ok(gridSize(grid).width >= 2);
});

test("the object that fills its place sets the scale of all", () => {
  const places = { x: new Float32Array(2), y: new Float32Array(2), half: Float32Array.of(0.5, 0.25) };
  assert.ok(Math.abs(largestRadius([4, 4], places) - 0.115) < 1e-6);
  assert.equal(largestRadius([0, 0], places), 0);
});
