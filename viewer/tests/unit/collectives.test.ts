import assert from "node:assert/strict";
import { test } from "node:test";
import type { MpiShare } from "../../src/data/document-types";
import { functionsOverTime } from "../../src/views/collectives/functions-over-time";
import { placeOf } from "../../src/views/collectives/place";
import { bytesOfRanks, countsOfRanks } from "../../src/views/collectives/profile";
import { formatList, parseList } from "../../src/views/collectives/rank-list";

test("lists keep their order and contain the ends of ranges", () => {
  assert.deepEqual(parseList("7, 0-2, 5"), [7, 0, 1, 2, 5]);
  assert.equal(formatList([7, 0, 1, 2, 5]), "7, 0-2, 5");
  assert.equal(formatList([]), "");
});

test("rows of equal ranks give the counts of each rank in order", () => {
  const counts = { type_size: 8, type_sizes: [], rows: [{ ranks: "1-2", counts: [3, 0, 1] }, { ranks: "0", counts: [0, 0, 5] }] };
  assert.deepEqual(countsOfRanks(counts).map((row) => row.counts), [[0, 0, 5], [3, 0, 1], [3, 0, 1]]);
  assert.deepEqual(bytesOfRanks(counts, 3, 3), [40, 32, 32]);
});

test("a single count holds for all peers, and ranks may have types of their own", () => {
  const counts = { type_size: 4, type_sizes: [4, 8], rows: [{ ranks: "0-1", counts: [10] }] };
  assert.deepEqual(bytesOfRanks(counts, 2, 2), [80, 160]);
});

test("the place of a site is its source line and function, or its function, or the location", () => {
  assert.equal(placeOf({ location: "/opt/heat(main+0x1f) [0xd40] /src/heat.c:53" }), "heat.c:53 (main)");
  assert.equal(placeOf({ location: "app((anonymous namespace)::run(int)+0x9) [0x33a5] ../a b/x.cpp:93" }), "x.cpp:93 ((anonymous namespace)::run(int))");
  assert.equal(placeOf({ location: "/opt/heat(main+0x1f) [0xd40]" }), "main");
  assert.equal(placeOf({ location: "app(step+0x1f) [0xd40] /src/md.f90:12 (line of several calls)" }), "md.f90:12 (step+0x1f, line of several calls)");
  assert.equal(placeOf({ location: "unknown" }), "unknown");
});

test("functions over time are shares of the time of all threads, and short ones are joined", () => {
  const functions = [8, 4, 4, 4, 4, 4, 2, 1, 1].map((time, i) => ({ function: `MPI_${i}`, window_times_s: i === 5 ? [] : [time, 0] }));
  const run = { functions, windows: [{ wall_s: 20, thread_s: 40 }, { wall_s: 10, thread_s: 10 }], wall_s: 30, thread_s: 50 } as unknown as MpiShare;
  const lines = functionsOverTime(run);
  assert.deepEqual(lines.map(({ label }) => label), ["MPI_0", "MPI_1", "MPI_2", "MPI_3", "MPI_4", "MPI_6", "other functions"]);
  assert.deepEqual(lines[0]!.values, [0.2, 0]);
  assert.deepEqual(lines[6]!.values, [0.05, 0]);
});
