import assert from "node:assert/strict";
import { test } from "node:test";
import type { LbData, PhaseObjects } from "../../src/data/report";
import { movedObjects } from "../../src/views/lb-data/moved-objects";

test("moved objects are found by their numbers, and objects of one data set alone have not moved", () => {
  const section = { entities: { number: [10, 11, "99999999999999999"], index: ["", "", ""] } } as unknown as LbData;
  const other = { entities: { number: ["99999999999999999", 11, 12], index: ["", "", ""] } } as unknown as LbData;
  const placed = (entity: number[], rank: number[]) => ({ entity, rank, load_s: entity.map(() => 1) }) as unknown as PhaseObjects;
  const { common, moved } = movedObjects(section, placed([0, 1, 2], [0, 0, 1]), other, placed([0, 1, 2], [1, 3, 3]));
  assert.equal(common, 2);
  assert.deepEqual(moved.map(({ number, from, to }) => [number, from, to]), [[11, 0, 3]]);
  assert.equal(movedObjects(section, placed([0], [0]), other, placed([2], [3])).common, 0);
});
