// The page shows the numbers that the commands print with --json.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { openReport, settle, startBrowser } from "./support/browser.mjs";
import { documentOf, run, solveLayout, writeReport } from "./support/command.mjs";
import { repository, scratch, sharedData } from "./support/environment.mjs";
import { elevenPhases, hasSharedData } from "./support/inputs.mjs";
import { writeMpiCalls } from "./support/profiles.mjs";

let browser;
before(async () => { browser = await startBrowser(); });
after(() => browser.close());

const skip = hasSharedData ? false : "../shared/data is missing";

test("key numbers and phases of a data set are those of info", { skip }, async () => {
  const info = documentOf("info", elevenPhases);
  const page = await openView(elevenPhases, "overview");
  const facts = await keyNumbers(page);
  assert.equal(facts.get("Ranks"), info.ranks);
  assert.equal(facts.get("Phases"), info.phases.length);
  const lost = info.phases.reduce((sum, phase) => sum + phase.max_load_s - phase.mean_load_s, 0);
  assert.ok(Math.abs(facts.get("Time lost to imbalance") - lost) < 1e-9 * lost);
  const rows = await tableRows(page, "Phases");
  assert.deepEqual(rows.get("Max load"), info.phases.map((phase) => phase.max_load_s));
  assert.deepEqual(rows.get("Imbalance"), info.phases.map((phase) => phase.imbalance));
  assert.deepEqual(rows.get("Lower bound"), info.phases.map((phase) => phase.lower_bound_s));
  assert.deepEqual(rows.get("Off-rank data"), info.phases.map((phase) => phase.off_rank_bytes));
  await page.context().close();
});

test("the page states the seeds of the data and of the strategies", async () => {
  const data = path.join(scratch, "seeded");
  // JavaScript rounds both seeds.
  run("generate", "-o", data, "--seed", "18446744073709551557", "--force");
  const page = await openReport(browser, writeReport("seeded", data, "--strategies", "RandomLB(seed=9007199254740993)").file);
  await showView(page, "overview");
  assert.match(await page.locator("main").innerText(), /Attributes of the data set: generator plimsoll, seed 18446744073709551557\./);
  await showView(page, "what-if");
  assert.match(await page.locator("main").innerText(), /Parameters: [^.]*\bseed 9007199254740993\b/);
  await page.context().close();
});

test("key numbers, ranks and calls of a profile are those of the commands", async () => {
  const profile = path.join(repository, "tests/data/alltoallv/forward");
  const summary = documentOf("collectives", "summary", profile);
  const page = await openView(profile, "overview");
  const facts = await keyNumbers(page);
  assert.equal(facts.get("Calls"), summary.calls);
  assert.equal(facts.get("Sent"), summary.sent.bytes);
  assert.equal(facts.get("Imbalance of sent bytes"), summary.sent.imbalance);
  assert.equal(facts.get("Time in calls"), summary.time_in_calls.time_s);
  assert.equal(facts.get("Waited for the last rank"), summary.waiting.waited_s);
  const ranks = await tableRows(page, "Ranks");
  assert.deepEqual(ranks.get("Sent"), summary.ranks.map((rank) => rank.bytes_sent));
  assert.deepEqual(ranks.get("Wait time caused"), summary.ranks.map((rank) => rank.made_wait_s));
  await showView(page, "calls");
  const { calls } = documentOf("collectives", "calls", profile);
  const runs = await tableRows(page, "Runs of equal calls");
  assert.deepEqual(runs.get("Bytes per call"), calls.map((call) => call.bytes_per_call));
  assert.deepEqual(runs.get("Imbalance sent"), calls.map((call) => call.imbalance_sent));
  await page.context().close();
});

test("the page of each call is that of collectives calls --call", async () => {
  const profile = path.join(repository, "tests/data/alltoallv/forward");
  const { calls } = documentOf("collectives", "calls", profile);
  const page = await openView(profile, "call");
  for (const { lead, operation, first_call: number } of calls) {
    const detail = documentOf("collectives", "calls", profile, "--call", `${lead}:${number}`, "--operation", operation);
    await page.evaluate((hash) => { location.hash = hash; }, `#0/call?job=0&lead=${lead}&operation=${operation}&call=${number}`);
    await page.getByRole("heading", { name: `Call ${number} of ${operation}, led by rank ${lead}`, exact: true }).waitFor();
    const facts = await keyNumbers(page);
    assert.equal(facts.get("Bytes sent"), detail.bytes_per_call);
    assert.equal(facts.get("Time on the slowest rank"), detail.time_s);
    assert.equal(facts.get("Waited for the last rank"), detail.waited_s);
    const ranks = await tableRows(page, "Ranks");
    const byRank = (name) => new Map(ranks.get("Rank").map((rank, row) => [rank, ranks.get(name)[row]]));
    for (const rank of detail.ranks) {
      assert.equal(byRank("Time in call").get(rank.rank), rank.time_s);
      assert.equal(byRank("Waited").get(rank.rank), rank.waited_s);
    }
    const sent = detail.sent.rows.map((row) => row.counts.reduce((a, b) => a + b, 0));
    assert.deepEqual((await tableRows(page, /^Send counts/)).get("Sum"), sent);
  }
  await page.context().close();
});

test("the page of a call site is that of collectives sites", async () => {
  const profile = writeMpiCalls(path.join(scratch, "heat"));
  const { sites } = documentOf("collectives", "sites", profile);
  const page = await openView(profile, "site?site=1");
  const facts = await keyNumbers(page);
  assert.equal(facts.get("Time"), sites[1].time_s);
  assert.equal(facts.get("Waiting for other ranks"), sites[1].waited_s);
  assert.equal(facts.get("Calls"), sites[1].calls);
  assert.equal(facts.get("Slowest rank"), sites[1].max_time_s);
  await page.context().close();
});

test("without counts, the waits of ranks add up to the wait of the profile", { skip }, async () => {
  const profile = path.join(sharedData, "alltoallv/a2av_late_arrival");
  const { waiting } = documentOf("collectives", "summary", profile);
  const page = await openView(profile, "late");
  const waited = (await tableRows(page, "Ranks of communicators")).get("Waited");
  assert.ok(Math.abs(waited.reduce((sum, wait) => sum + wait) - waiting.waited_s) < 1e-12);
  assert.equal(waited[0], 0); // the last rank
  await page.context().close();
});

test("only pages of several hosts have traffic between hosts", async () => {
  for (const ranksPerHost of [2, 4]) {
    const page = await openView(writeMpiCalls(path.join(scratch, "hosts"), { ranksPerHost }), "overview");
    let text = await page.locator("main .facts").first().innerText();
    await showView(page, "matrix");
    text += await page.locator("main").innerText();
    assert.equal(/between hosts/i.test(text), ranksPerHost === 2);
    assert.equal(/cross from one host/.test(text), ranksPerHost === 2);
    await page.context().close();
  }
});

test("key numbers and components of a layout are those of layout solve", async () => {
  const file = solveLayout("layout", "--json_input", path.join(repository, "tests/data/cime/example.json"), "--total_tasks", "64:512:64");
  const solution = JSON.parse(readFileSync(file, "utf8"));
  const page = await openView(file, "overview");
  const facts = await keyNumbers(page);
  assert.equal(facts.get("Time of the model"), solution.time);
  assert.equal(facts.get("Simulated years per day"), solution.simulated_years_per_day);
  assert.equal(facts.get("Core hours per simulated year"), solution.core_hours_per_simulated_year);
  const components = await tableRows(page, "Components");
  assert.deepEqual(components.get("Tasks"), solution.places.map((place) => place.tasks));
  assert.deepEqual(components.get("Time"), solution.places.map((place) => place.cost));
  await showView(page, "sweep");
  const totals = await tableRows(page, "All numbers of tasks");
  assert.deepEqual(totals.get("Time"), solution.sweep.points.map((point) => point.time));
  await page.context().close();
});

test("a layout states how its expected time and that of the models differ", async () => {
  const file = solveLayout("expected", path.join(repository, "tests/data/cime/timing"), "--total_tasks", "64:256:64");
  const { expected, time } = JSON.parse(readFileSync(file, "utf8"));
  assert.notEqual(expected.time, time);
  const page = await openView(file, "overview");
  assert.equal((await keyNumbers(page)).get("Time of the model"), expected.time);
  assert.match(await page.locator("main").innerText(), /By the models, the components take 2\.\d\d s per model day, as shown below\./);
  await showView(page, "sweep");
  assert.match(await page.locator("main").innerText(), /Times are by the models\./);
  await page.context().close();
});

let reports = 0;

async function openView(input, view) {
  const { file } = writeReport(`numbers-${reports++}`, input);
  const page = await openReport(browser, file);
  await page.evaluate((hash) => { location.hash = hash; }, `#0/${view}`);
  await page.locator(`main .view[data-view="${view.split("?")[0]}"] > *`).first().waitFor();
  await settle(page);
  return page;
}

async function showView(page, view) {
  await page.locator(`nav a[data-view="${view}"]`).click();
  await page.locator(`main .view[data-view="${view}"] > *`).first().waitFor();
  await settle(page);
}

/** Exact values of the key numbers, by label. */
async function keyNumbers(page) {
  return new Map(await page.locator("main .fact").evaluateAll((facts) => facts.flatMap((fact) => {
    const data = fact.querySelector("data");
    return data ? [[fact.querySelector("dt").textContent, Number(data.value)]] : [];
  })));
}

/** Exact values of the numeric columns of a table, by label. All rows must be visible. */
async function tableRows(page, name) {
  const table = page.getByRole("grid", { name, exact: true }).first();
  return new Map(await table.evaluate((element) => {
    const labels = [...element.querySelectorAll("th")].map((cell) => cell.textContent);
    const rows = [...element.querySelectorAll("tbody tr")].filter((row) => row.style.visibility !== "hidden");
    return labels.map((label, column) => [label, rows.map((row) => Number(row.cells[column].title.split(" ")[0]))]);
  }));
}
