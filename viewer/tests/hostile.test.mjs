// Names that contain markup, quotes, control characters, very long or invalid text are shown as text.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { assertNoProblems, openReport, startBrowser, visitViews } from "./support/browser.mjs";
import { solveLayout, writeReport } from "./support/command.mjs";
import { plimsoll, repository, scratch } from "./support/environment.mjs";
import { writeCounts, writeMpiCalls } from "./support/profiles.mjs";

const markup = `"><img src=x onerror=alert(1)><script>alert(2)</script>`;
const endOfScript = "</script><script>alert(3)</script>";
const comment = "<!--<script>";
const long = "x".repeat(20_000);

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser.close());

test("names in LB data, profiles and layouts are shown as text", async () => {
  const data = path.join(scratch, `'lb' "data" <script>alert(4)`);
  writeLbData(data, [markup, endOfScript, comment, "'; alert(5); '", long, "\u202Eevil", "\u0000\u001b[31m"]);
  const counts = writeCounts(path.join(scratch, "counts"), { host: markup.replaceAll(" ", ""), frame: `/opt/app(${endOfScript}+0x1f) [0xd40] ${long}` });
  const calls = writeMpiCalls(path.join(scratch, "calls"), { host: endOfScript, location: `${comment}${markup}${long}` });
  const layout = solveLayout("hostile", "--json_input", path.join(repository, "tests/data/cime/example.json"));
  const solution = readFileSync(layout, "utf8")
    .replaceAll('"ATM"', JSON.stringify(markup)).replaceAll('"OCN"', JSON.stringify(endOfScript)).replaceAll('"ICE"', JSON.stringify(long));
  writeFileSync(layout, solution);

  const { file } = writeReport("hostile", data, counts, calls, layout);
  const html = readFileSync(file, "utf8");
  assert.equal(html.match(/<script/g).length, 2, "the page has the elements of the data and of the viewer");
  const page = await openReport(browser, file);
  const texts = ["", "", "", ""];
  await visitViews(page, async ({ view, section }) => {
    const { foreign, scripts, excess, text } = await page.evaluate(() => ({
      foreign: document.querySelectorAll("img, iframe, object, embed").length,
      scripts: document.scripts.length,
      excess: document.documentElement.scrollWidth - innerWidth,
      text: document.getElementById("page").innerText,
    }));
    assert.equal(foreign, 0, view);
    assert.equal(scripts, 1, `scripts in ${view}`);
    assertNoProblems(page, view);
    assert.ok(excess <= 0, `long names make ${view} ${excess} pixels too wide`);
    texts[section] += text;
  });
  const shown = (section, text) => assert.ok(texts[section].includes(text), `${text} is not shown`);
  shown(0, path.basename(data));
  shown(1, "alert(3)");
  shown(2, "alert(3)");
  shown(3, markup);
  await page.context().close();
});

test("names that are invalid UTF-8 are shown as text", async () => {
  const output = path.join(scratch, "utf8.html");
  writeLbData(path.join(scratch, "utf8-name"), ["a"]);
  // Arguments of Node are valid UTF-8, so the shell makes the name.
  execFileSync("sh", ["-c", `name=$(printf 'bad\\377\\300name'); mv utf8-name "$name"; "$0" report "$name" -o "$1"`, plimsoll, output], { cwd: scratch });
  const page = await openReport(browser, output);
  assert.match(await page.locator(".navigation-name").textContent(), /^bad.*name$/);
  assertNoProblems(page, "the page of invalid UTF-8");
  await page.context().close();
});

/** Two ranks, whose objects have these user-defined fields. */
function writeLbData(folder, fields) {
  mkdirSync(folder, { recursive: true });
  for (const rank of [0, 1]) {
    const entity = (id, home) => ({ type: "object", id, home, migratable: true });
    writeFileSync(path.join(folder, `data.${rank}.json`), JSON.stringify({
      type: "LBDatafile", metadata: { type: "LBDatafile", rank },
      phases: [{
        id: 0,
        tasks: [0, 1].map((i) => ({
          entity: entity(rank * 2 + i, rank), node: rank, resource: "cpu", time: 1 + rank + i,
          user_defined: Object.fromEntries(fields.map((name, k) => [name, k + rank + i])),
        })),
        communications: [{ type: "SendRecv", bytes: 100, messages: 1, from: entity(rank * 2, rank), to: entity((rank * 2 + 3) % 4, (rank + 1) % 2) }],
      }],
    }));
  }
}
