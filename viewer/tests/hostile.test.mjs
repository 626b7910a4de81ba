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

test("names in LB data are shown as text", async () => {
  const folder = path.join(scratch, `'lb' "data" <script>alert(4)`);
  writeLbData(folder, [markup, endOfScript, comment, "'; alert(5); '", long, "\u202Eevil", "\u0000\u001b[31m"]);
  await openEveryView([folder], [path.basename(folder)]);
});

test("names in profiles are shown as text", async () => {
  const counts = writeCounts(path.join(scratch, "counts"), { host: markup.replaceAll(" ", ""), frame: `/opt/app(${endOfScript}+0x1f) [0xd40] ${long}` });
  const calls = writeMpiCalls(path.join(scratch, "calls"), { host: endOfScript, location: `${comment}${markup}${long}` });
  await openEveryView([counts, calls], ["alert(3)"]);
});

test("names in layouts are shown as text", async () => {
  const file = solveLayout("hostile", "--json_input", path.join(repository, "tests/data/cime/example.json"));
  const solution = readFileSync(file, "utf8")
    .replaceAll('"ATM"', JSON.stringify(markup)).replaceAll('"OCN"', JSON.stringify(endOfScript)).replaceAll('"ICE"', JSON.stringify(long));
  writeFileSync(file, solution);
  await openEveryView([file], [markup]);
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

async function openEveryView(inputs, shown) {
  const { file } = writeReport("hostile", ...inputs);
  const html = readFileSync(file, "utf8");
  assert.equal(html.match(/<script/g).length, 2, "the page has the elements of the data and of the viewer");
  const page = await openReport(browser, file);
  const texts = [];
  await visitViews(page, async ({ view }) => {
    assert.equal(await page.locator("img, iframe, object, embed").count(), 0, view);
    assert.equal(await page.locator("script").count(), 1, `scripts in ${view}`);
    assertNoProblems(page, view);
    const excess = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    assert.ok(excess <= 0, `long names make ${view} ${excess} pixels too wide`);
    texts.push(await page.locator("#page").innerText());
  });
  for (const text of shown) assert.ok(texts.some((each) => each.includes(text)), `${text} is not shown`);
  await page.context().close();
}
