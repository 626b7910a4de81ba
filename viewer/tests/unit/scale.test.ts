import assert from "node:assert/strict";
import { test } from "node:test";
import { logarithmicTicks, ticks, valueScale } from "../../src/charts/scale";

test("a linear scale starts at 0", () => {
  const scale = valueScale([2, 8, null], false);
  assert.deepEqual([scale.share(0), scale.share(4), scale.share(8)], [0, 0.5, 1]);
  assert.equal(scale.value(0.25), 2);
});

test("a logarithmic scale keeps the smallest positive value apart from 0", () => {
  const scale = valueScale([0, 1, 100], true);
  assert.equal(scale.share(0), 0);
  assert.ok(scale.share(1) > 0);
  assert.ok(scale.share(100) > 0.999999);
  assert.ok(Math.abs(scale.value(scale.share(10)) - 10) < 1e-9);
});

test("a scale without positive values is linear even if a logarithmic one is asked for", () => {
  assert.equal(valueScale([0, 0], true).logarithmic, false);
  assert.equal(valueScale([], true).share(0), 0);
});

test("ticks are round", () => {
  assert.deepEqual(ticks(0, 10, 5), [0, 2, 4, 6, 8, 10]);
  assert.deepEqual(ticks(0, 0, 5), [0]);
});

test("ticks of times are round in minutes and hours", () => {
  assert.deepEqual(ticks(0, 200, 4, "s"), [0, 60, 120, 180]);
  assert.deepEqual(ticks(0, 30000, 4, "s"), [0, 18000]);
});

test("ticks of sizes are round in powers of 1024", () => {
  assert.deepEqual(ticks(0, 929064, 2, "bytes"), [0, 512 * 1024]);
  assert.deepEqual(ticks(0, 3000, 4, "bytes"), [0, 1024, 2048]);
  assert.deepEqual(ticks(0, 3 * 1024 * 1024, 3, "bytes"), [0, 1048576, 2097152, 3145728]);
});

test("logarithmic ticks are 1, 2 and 5 times powers of ten, or powers alone", () => {
  assert.deepEqual(logarithmicTicks(64, 1024, 8), [100, 200, 500, 1000]);
  assert.deepEqual(logarithmicTicks(0.003, 0.3, 8), [0.005, 0.01, 0.02, 0.05, 0.1, 0.2]);
  assert.deepEqual(logarithmicTicks(1, 1e6, 8), [1, 10, 100, 1000, 10000, 100000, 1000000]);
  assert.deepEqual(logarithmicTicks(1, 1e6, 4), [1, 100, 10000, 1000000]);
});

test("logarithmic ticks are round in minutes, hours and KiB", () => {
  assert.deepEqual(logarithmicTicks(8, 5000, 12, "s"), [10, 20, 60, 120, 300, 600, 1200, 3600]);
  assert.deepEqual(logarithmicTicks(500, 10 * 1024, 8, "bytes"), [500, 1024, 2048, 5120, 10240]);
});

test("a narrow logarithmic axis has equal steps", () => {
  assert.deepEqual(logarithmicTicks(100, 140, 4), [100, 110, 120, 130, 140]);
  assert.deepEqual(logarithmicTicks(7, 7, 4), [7]);
});
