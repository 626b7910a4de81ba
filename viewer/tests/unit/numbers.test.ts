import assert from "node:assert/strict";
import { test } from "node:test";
import { formatNumber, formatTick } from "../../src/format/numbers";

test("seconds have three significant digits and the unit that suits them", () => {
  assert.equal(formatNumber(0.6584242099999227, "s"), "658 ms");
  assert.equal(formatNumber(0.019963795343741708, "s"), "20.0 ms");
  assert.equal(formatNumber(10.572073155999405, "s"), "10.6 s");
  assert.equal(formatNumber(0, "s"), "0 s");
  assert.equal(formatNumber(0.9996, "s"), "1.00 s");
  assert.equal(formatNumber(2.5e-10, "s"), "0.25 ns");
  assert.equal(formatNumber(125, "s"), "2 min 5 s");
  assert.equal(formatNumber(12000, "s"), "3 h 20 min");
});

test("bytes are in powers of 1024", () => {
  assert.equal(formatNumber(96, "bytes"), "96 B");
  assert.equal(formatNumber(929064, "bytes"), "907.3 KiB");
  assert.equal(formatNumber(1048575, "bytes"), "1.0 MiB");
});

test("counts are grouped, ids are not", () => {
  assert.equal(formatNumber(466018), "466,018");
  assert.equal(formatNumber(1572867, "id"), "1572867");
  assert.equal(formatNumber(28.7812), "28.78");
  assert.equal(formatNumber(1.5), "1.5");
});

test("an undefined number is a dash", () => {
  assert.equal(formatNumber(null, "s"), "–");
  assert.equal(formatNumber(NaN), "–");
});

test("imbalance has four decimals, shares are percentages", () => {
  assert.equal(formatNumber(4.946724, "imbalance"), "4.9467");
  assert.equal(formatNumber(0.4812, "share"), "48.1 %");
  assert.equal(formatNumber(0.0000001, "share"), "0.0 %");
});

test("numbers at axes lack trailing zeros", () => {
  assert.equal(formatTick(0.05, "s"), "50 ms");
  assert.equal(formatTick(7200, "s"), "2 h");
  assert.equal(formatTick(512000, "bytes"), "500 KiB");
  assert.equal(formatTick(1.5, "imbalance"), "1.5");
  assert.equal(formatTick(2000), "2,000");
});
