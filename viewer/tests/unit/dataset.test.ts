import assert from "node:assert/strict";
import { test } from "node:test";
import { numbers, texts, toCsv } from "../../src/format/dataset";

test("CSV quotes fields with separators, quotes and line breaks", () => {
  const names = ["plain", 'a "b", c', "two\nlines"];
  const csv = toCsv({ length: 3, columns: [texts("name", "Name", (i) => names[i]!), numbers("load_s", "Load", "s", [1, null, 0.1])] });
  assert.equal(csv, 'name,load_s\r\nplain,1\r\n"a ""b"", c",\r\n"two\nlines",0.1\r\n');
});
