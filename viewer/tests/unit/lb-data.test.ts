import assert from "node:assert/strict";
import { test } from "node:test";
import { unitOfUserNumber } from "../../src/data/lb-data";

test("names of user-defined numbers tell their unit", () => {
  assert.deepEqual(["id", "shared_id", "home_rank", "rank"].map(unitOfUserNumber), ["id", "id", "id", "id"]);
  assert.equal(unitOfUserNumber("task_working_bytes"), "bytes");
  assert.deepEqual(["cost", "grid", "frank"].map(unitOfUserNumber), ["", "", ""]);
});
