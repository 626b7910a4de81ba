// Opens reports of the project's data and of all data under ../shared/data, and every view in them.
import assert from "node:assert/strict";
import path from "node:path";
import { after, before, test } from "node:test";
import { assertNoProblems, openReport, seriousViolations, settle, startBrowser, visitViews } from "./support/browser.mjs";
import { run, writeReport } from "./support/command.mjs";
import { scratch } from "./support/environment.mjs";
import { elevenPhases, hasSharedData, ownInputs, sharedInputs } from "./support/inputs.mjs";
import { readNumber, shownView } from "./support/shown.mjs";

const screen = { width: 1300, height: 900 };

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser.close());

test("every view of the project's data is drawn and accessible in both themes, and fits on paper", async () => {
  const { file, report } = writeReport("own", ...ownInputs());
  const page = await openReport(browser, file, { viewport: screen });
  const violations = [];
  await visitViews(page, async ({ view, section }) => {
    // In the dark theme, only colours differ.
    for (const [colorScheme, rules] of [["light", undefined], ["dark", ["color-contrast"]]]) {
      await page.emulateMedia({ colorScheme });
      await settle(page);
      await checkView(page, `${view} of ${report.sections[section].name}`);
      violations.push(...(await seriousViolations(page, rules)).map((violation) => `${view} in the ${colorScheme} theme: ${violation}`));
    }
    await checkWidthOfTables(page, `${view} on the screen`);
    await page.setViewportSize({ width: 700, height: 900 });
    await page.emulateMedia({ media: "print" });
    await settle(page);
    await checkWidthOfTables(page, `${view} on paper`);
    await page.emulateMedia({ media: "screen", colorScheme: "light" });
    await page.setViewportSize(screen);
  });
  assert.deepEqual(violations, []);
  await page.context().close();
});

const skip = hasSharedData ? false : "../shared/data is missing";
test("every view of all shared data is drawn", { skip }, async () => {
  const inputs = sharedInputs();
  const { file, report } = writeReport("shared", ...inputs);
  assert.equal(report.sections.length, inputs.length);
  const page = await openReport(browser, file);
  await visitViews(page, ({ view, section }) => checkView(page, `${view} of ${report.sections[section].name}`));
  await page.context().close();
});

test("pages of many objects and of many phases are small, and draw every view", async () => {
  const largeData = [
    { limit_bytes: 1.5e6, options: ["--ranks", "256", "--objects-per-rank", "182", "--sentinels", "1"] },
    { limit_bytes: 1.3e6, options: ["--ranks", "32", "--objects-per-rank", "16", "--phases", "100", "--noise", "0.1"] },
  ];
  for (const { limit_bytes, options } of largeData) {
    const data = path.join(scratch, "large");
    run("generate", "-o", data, "--force", ...options);
    const { file, bytes } = writeReport("large", data);
    assert.ok(bytes < limit_bytes, `the page has ${bytes} bytes`);
    const page = await openReport(browser, file);
    await visitViews(page, ({ view }) => assertNoProblems(page, view));
    await page.context().close();
  }
});

test("the page of 11 phases of a real run is small", { skip }, () => {
  const { bytes } = writeReport("eleven-phases", elevenPhases);
  assert.ok(bytes < 0.7e6, `the page has ${bytes} bytes`);
});

/** Browsers without visible scroll bars, and paper, do not show that a table continues. */
async function checkWidthOfTables(page, where) {
  const hidden = await page.locator("main .table-scroller").evaluateAll((tables) =>
    tables.filter((table) => table.scrollWidth > table.clientWidth + 1).map((table) => table.innerText.slice(0, 200)));
  assert.deepEqual(hidden, [], `tables of ${where}`);
}

/** A drawn view has content, none of it a failed conversion, and shows each number as it is. */
async function checkView(page, where) {
  assertNoProblems(page, where);
  const { text, numbers, emptyCanvases, cutTables, chartsWithoutExport } = await shownView(page);
  assert.ok(text.length > 40, `${where} is empty`);
  assert.doesNotMatch(text, /\b(undefined|NaN|null|\[object)/, where);
  assert.equal(emptyCanvases, 0, `${where} has empty canvases`);
  assert.equal(chartsWithoutExport, 0, `${where} has charts that cannot be saved`);
  assert.deepEqual(cutTables, [], `${where} has tables that hide columns without saying so`);
  for (const { text: shown, exact } of numbers) {
    const read = readNumber(shown);
    assert.ok(read, `${where} shows "${shown}"`);
    assert.ok(Math.abs(read.value - exact) <= read.precision, `${where} shows ${exact} as "${shown}"`);
  }
}
