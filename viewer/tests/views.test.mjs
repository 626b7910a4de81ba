// Opens reports of the project's data and of all data under ../shared/data, and every view in them.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertNoProblems, openReport, screenshot, seriousViolations, startBrowser, visitViews } from "./support/browser.mjs";
import { writeReport } from "./support/command.mjs";
import { hasSharedData, ownInputs, sharedInputs } from "./support/inputs.mjs";
import { readNumber, shownView } from "./support/shown.mjs";

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser.close());

// In the dark theme, only colours differ.
for (const [colorScheme, rules] of [["light", undefined], ["dark", ["color-contrast"]]]) {
  test(`every view of the project's data is drawn, accessible and pictured in the ${colorScheme} theme`, async () => {
    const { file, report } = writeReport("own", ...ownInputs());
    const page = await openReport(browser, file, { colorScheme });
    const violations = [];
    await visitViews(page, async ({ view, section }) => {
      await checkView(page, `${view} of ${report.sections[section].name}`);
      await screenshot(page, `${colorScheme}-${section}-${report.sections[section].kind}-${view}`);
      violations.push(...(await seriousViolations(page, rules)).map((violation) => `${view}: ${violation}`));
    });
    assert.deepEqual(violations, []);
    await page.context().close();
  });
}

// Browsers without visible scroll bars, and paper, do not show that a table continues.
test("tables fit on a screen of 1,300 pixels, and on paper", async () => {
  const { file } = writeReport("wide", ...ownInputs());
  for (const [media, width] of [["screen", 1300], ["print", 700]]) {
    const page = await openReport(browser, file, { viewport: { width, height: 900 } });
    await page.emulateMedia({ media });
    await visitViews(page, async ({ view }) => {
      const hidden = await page.locator("main .table-scroller").evaluateAll((tables) =>
        tables.filter((table) => table.scrollWidth > table.clientWidth + 1).map((table) => table.innerText.slice(0, 200)));
      assert.deepEqual(hidden, [], `tables of ${view} on ${media}`);
    });
    await page.context().close();
  }
});

const skip = hasSharedData ? false : "../shared/data is missing";
test("every view of all shared data is drawn", { skip }, async () => {
  const inputs = sharedInputs();
  const { file, report } = writeReport("shared", ...inputs);
  assert.equal(report.sections.length, inputs.length);
  const page = await openReport(browser, file);
  await visitViews(page, async ({ view, section }) => {
    const { name, kind } = report.sections[section];
    await checkView(page, `${view} of ${name}`);
    if (section === 0) await screenshot(page, `shared-${kind}-${view}`);
  });
  await page.context().close();
});

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
