// Sizes of large reports are limits. Times and frame rates depend on the machine: they are printed.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { after, before, test } from "node:test";
import { assertNoProblems, openReport, startBrowser, visitViews } from "./support/browser.mjs";
import { run } from "./support/command.mjs";
import { scratch } from "./support/environment.mjs";
import { elevenPhases, hasSharedData } from "./support/inputs.mjs";

const megabyte = 1e6;
const scrollTime_ms = 500;

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser.close());

test("256 ranks with 466,176 objects in 1 phase", async () => {
  const data = generate("many-objects", "--ranks", "256", "--objects-per-rank", "1820", "--sentinels", "1");
  await measure(data, 8 * megabyte);
});

test("32 ranks with 1,000 phases", async () => {
  const data = generate("many-phases", "--ranks", "32", "--objects-per-rank", "16", "--phases", "1000", "--noise", "0.1");
  await measure(data, 8 * megabyte);
});

const skip = hasSharedData ? false : "../shared/data is missing";
test("11 phases of a real run", { skip }, () => measure(elevenPhases, 0.7 * megabyte));

function generate(name, ...options) {
  const folder = path.join(scratch, name);
  run("generate", ...options, "-o", folder);
  return folder;
}

async function measure(data, limit_bytes) {
  const file = path.join(scratch, "large.html");
  run("report", data, "-o", file, "--force");
  const bytes = statSync(file).size;
  const page = await openReport(browser, file);
  const loading_ms = await loadingTime(page, file);
  const rates = [];
  await visitViews(page, async ({ view }) => {
    assertNoProblems(page, view);
    rates.push({ view, rate: await page.evaluate(scroll, scrollTime_ms) });
  });
  const slowest = rates.reduce((a, b) => (b.rate < a.rate ? b : a));
  console.log(`${(bytes / megabyte).toFixed(2)} MB, opens in ${(loading_ms / 1000).toFixed(2)} s, scrolls at ${slowest.rate.toFixed(0)} frames/s or more (${slowest.view})`);
  assert.ok(bytes < limit_bytes, `the page has ${bytes} bytes`);
  await page.context().close();
}

/** Time from the start of the navigation until the first view is drawn. */
async function loadingTime(page, file) {
  await page.goto("about:blank").catch(() => undefined);
  page.problems.length = 0;
  const start = performance.now();
  await page.goto(pathToFileURL(file).href);
  await page.locator("main .view > *").first().waitFor();
  return performance.now() - start;
}

/** Scrolls the page and all its tables for a while. Returns the frames per second. Runs in the page. */
function scroll(time_ms) {
  const scrollers = [document.scrollingElement, ...document.querySelectorAll("main .table-scroller")];
  return new Promise((done) => {
    const start = performance.now();
    let frames = 0;
    const next = (now) => {
      frames++;
      for (const scroller of scrollers) {
        const range = scroller.scrollHeight - scroller.clientHeight;
        if (range > 0) scroller.scrollTop = (frames * 40) % range;
      }
      if (now - start < time_ms) requestAnimationFrame(next);
      else done((frames * 1000) / (now - start));
    };
    requestAnimationFrame(next);
  });
}
