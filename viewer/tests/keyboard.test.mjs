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
  assert.equal((await focused()).text, "Skip to the view");
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.tagName), "MAIN");
});

test("the links of the navigation open views", async () => {
  const links = page.locator("nav a[data-view]");
  for (let i = 0; i < await links.count(); i++) {
    await links.nth(i).focus();
    const title = await links.nth(i).textContent();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: title, exact: true }).waitFor();
    assert.equal(await page.locator("nav a[aria-current=page]").textContent(), title);
  }
});

test("the Tab key reaches every control, each of which has a name and shows its focus", async () => {
  for (const view of await viewAddresses()) {
    await openView(view);
    const controls = await page.evaluate(() => {
      const all = [...document.querySelectorAll("main a[href], main button, main select, main input, main [tabindex='0']")];
      const shown = all.filter((element) => !element.disabled && element.checkVisibility());
      shown.forEach((element, i) => { element.dataset.control = String(i); });
      return shown.length;
    });
    const reached = new Set();
    await page.locator("main").focus();
    for (let step = 0; step < controls * 2 + 20; step++) {
      await page.keyboard.press("Tab");
      const element = await focused();
      if (!element.inMain) break;
      reached.add(element.control);
      assert.ok(element.name, `a control of ${view} has no name: ${element.html}`);
      assert.ok(element.outlined, `the focus of a control of ${view} is invisible: ${element.html}`);
    }
    assert.equal(reached.size, controls, `controls of ${view}`);
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

async function viewAddresses() {
  return page.locator("nav a[data-view]").evaluateAll((links) => links.map((link) => link.getAttribute("href").split("?")[0]));
}

async function openView(address) {
  await page.evaluate((hash) => { location.hash = hash; }, address);
  await page.locator(`main .view[data-view="${address.split("/")[1]}"] > *`).first().waitFor();
  await settle(page);
}

/** The focused element: its text, name, and whether it is outlined. */
function focused() {
  return page.evaluate(() => {
    const element = document.activeElement;
    const style = getComputedStyle(element);
    const labels = [...(element.labels ?? [])].map((label) => label.textContent);
    return {
      text: element.textContent,
      name: element.getAttribute("aria-label") ?? (labels.join(" ").trim() || element.textContent.trim() || element.title),
      inMain: element.closest("main") !== null && element.tagName !== "MAIN",
      control: element.dataset.control,
      outlined: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0,
      html: element.outerHTML.slice(0, 200),
    };
  });
}
