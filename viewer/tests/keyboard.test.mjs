// Walks through the page with the keyboard alone.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertNoProblems, openReport, settle, startBrowser } from "./support/browser.mjs";
import { writeReport } from "./support/command.mjs";
import { ownInputs } from "./support/inputs.mjs";

let browser;
let page;
before(async () => {
  browser = await startBrowser();
  page = await openReport(browser, writeReport("keyboard", ...ownInputs()).file);
});
after(() => browser.close());

test("the first element skips to the view", async () => {
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the view");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.tagName), "MAIN");
});

test("the links of the navigation open views, and the Tab key reaches every control, which has a name and shows its focus", async () => {
  await page.evaluate(recordFocus);
  const links = page.locator("nav a[data-view]");
  const count = await links.count();
  for (let i = 0; i < count; i++) {
    await links.nth(i).focus();
    const title = await links.nth(i).textContent();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
    await settle(page);
    assert.equal(await page.locator("nav a[aria-current=page]").textContent(), title);

    const controls = await page.evaluate(() => {
      const all = [...document.querySelectorAll("main a[href], main button, main select, main input, main [tabindex='0']")];
      const shown = all.filter((element) => !element.disabled && element.checkVisibility());
      shown.forEach((element, i) => { element.dataset.control = String(i); });
      document.querySelector("main").focus();
      window.focusedElements.length = 0;
      return shown.length;
    });
    for (let step = 0; step < controls; step++) await page.keyboard.press("Tab");
    const reached = await page.evaluate(() => window.focusedElements);
    for (const element of reached) {
      assert.ok(element.name, `a control of ${title} has no name: ${element.html}`);
      assert.ok(element.outlined, `the focus of a control of ${title} is invisible: ${element.html}`);
    }
    assert.deepEqual(reached.map((element) => element.control).sort(byNumber), [...Array(controls).keys()], `controls of ${title}`);
  }
});

test("the arrow keys read values of charts, and select rows of tables", async () => {
  await openView("#1/calls");
  const table = page.getByRole("grid").first();
  await table.focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.equal(await table.locator("tr[aria-selected=true]").count(), 1);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "One call" }).waitFor();
  await page.locator("main canvas").first().focus();
  await page.keyboard.press("ArrowRight");
  await page.waitForFunction(() => document.getElementById("announcement")?.textContent.startsWith("rank 0"));
});

test("Enter shows the data of a chart as a table", async () => {
  await openView("#1/call");
  const button = page.getByRole("button", { name: "Data" }).first();
  await button.focus();
  await page.keyboard.press("Enter");
  assert.equal(await button.getAttribute("aria-expanded"), "true");
  await page.locator(".figure-table table").first().waitFor();
  assertNoProblems(page, "the walk with the keyboard");
});

async function openView(address) {
  await page.evaluate((hash) => { location.hash = hash; }, address);
  await page.locator(`main .view[data-view="${address.split("/")[1]}"] > *`).first().waitFor();
  await settle(page);
}

const byNumber = (a, b) => a - b;

/** Records the elements that get the focus: their names, and whether they are outlined. Runs in the page. */
function recordFocus() {
  window.focusedElements = [];
  document.addEventListener("focusin", ({ target: element }) => {
    const style = getComputedStyle(element);
    const labels = [...(element.labels ?? [])].map((label) => label.textContent);
    window.focusedElements.push({
      name: element.getAttribute("aria-label") ?? (labels.join(" ").trim() || element.textContent.trim() || element.title),
      control: Number(element.dataset.control),
      outlined: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0,
      html: element.outerHTML.slice(0, 200),
    });
  });
}
