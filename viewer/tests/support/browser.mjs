// Opens reports in Debian's Chromium, from file:// and without network.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { chromium as playwright } from "playwright-core";
import { chromium, screenshots } from "./environment.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export async function startBrowser() {
  return playwright.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-gpu"] });
}

/**
 * Opens a report. `page.problems` collects what must not happen: errors on the console, requests to anything but the
 * file, dialogs and new windows.
 */
export async function openReport(browser, file, options = {}) {
  const url = pathToFileURL(file).href;
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, offline: true, ...options });
  context.setDefaultTimeout(120_000); // other tests may keep the machine busy
  const page = await context.newPage();
  page.problems = [];
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) page.problems.push(message.text()); });
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.on("dialog", (dialog) => { page.problems.push(`dialog: ${dialog.message()}`); return dialog.dismiss(); });
  context.on("page", () => page.problems.push("a new window was opened"));
  await context.route("**/*", (route) => {
    if (route.request().url().split("#")[0] === url) return route.continue();
    page.problems.push(`request: ${route.request().url().slice(0, 200)}`);
    return route.abort();
  });
  await page.goto(url);
  await page.locator("main h1").waitFor();
  return page;
}

/** Opens each view of the navigation and calls `visit` with its name and the position of its section. */
export async function visitViews(page, visit) {
  const count = await page.locator("nav a[data-view]").count();
  for (let position = 0; position < count; position++) await visit(await page.evaluate(followLink, position));
}

/** Opens the view of a link and waits until it is drawn. Runs in the page, because each call from here costs more than a frame. */
async function followLink(position) {
  const link = document.querySelectorAll("nav a[data-view]")[position];
  link.click();
  const { view } = link.dataset;
  const frame = () => new Promise(requestAnimationFrame);
  for (let frames = 0; !document.querySelector(`main .view[data-view="${view}"] > *`); frames++) {
    if (frames === 5000) throw new Error(`The view ${view} remains empty.`);
    await frame();
  }
  await frame();
  await frame();
  return { view, section: Number(link.closest("[data-section]").dataset.section) };
}

/** Waits until the page has drawn what its resize observers and animation frames asked for. */
export async function settle(page) {
  await page.evaluate(() => new Promise((done) => {
    let frames = 2;
    const next = () => (frames-- > 0 ? requestAnimationFrame(next) : done());
    next();
  }));
}

export async function screenshot(page, name) {
  await page.screenshot({ path: path.join(screenshots, `${name}.png`), fullPage: true });
}

/** Violations of accessibility rules that axe calls serious or critical; `rules` limits the rules. */
export async function seriousViolations(page, rules) {
  if (!await page.evaluate(() => "axe" in window)) await page.evaluate(axe);
  const violations = await page.evaluate(async (only) => {
    const options = { preload: false, resultTypes: ["violations"], ...(only && { runOnly: only }) };
    const result = await window.axe.run(document, options);
    return result.violations.map(({ id, impact, nodes }) => ({ id, impact, count: nodes.length, html: nodes[0].html, why: nodes[0].failureSummary }));
  }, rules);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(({ id, count, html, why }) => `${id}: ${count} elements, such as ${html.slice(0, 200)} ${why}`);
}

export function assertNoProblems(page, where) {
  assert.deepEqual(page.problems, [], `problems in ${where}`);
}
