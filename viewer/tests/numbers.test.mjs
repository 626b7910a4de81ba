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

const forward = path.join(repository, "tests/data/alltoallv/forward");
const seeded = path.join(scratch, "seeded");
const heat = path.join(scratch, "heat");
const lateArrival = path.join(sharedData, "alltoallv/a2av_late_arrival");
const ranksPerHost = [2, 4];
const hosts = (count) => path.join(scratch, `hosts-${count}`);
let layout;
let expectedLayout;

let browser;
let page;
let inputs;
before(async () => {
  run("generate", "-o", seeded, "--seed", "18446744073709551557"); // JavaScript rounds both seeds
  writeMpiCalls(heat);
  for (const count of ranksPerHost) writeMpiCalls(hosts(count), { ranksPerHost: count });
  layout = solveLayout("layout", "--json_input", path.join(repository, "tests/data/cime/example.json"), "--total_tasks", "64:512:64");
  expectedLayout = solveLayout("expected", path.join(repository, "tests/data/cime/timing"), "--total_tasks", "64:256:64");
  inputs = [seeded, forward, heat, ...ranksPerHost.map(hosts), layout, expectedLayout, ...(hasSharedData ? [elevenPhases, lateArrival] : [])];
  browser = await startBrowser();
  page = await openReport(browser, writeReport("numbers", ...inputs, "--strategies", "RandomLB(seed=9007199254740993)").file);
});
after(() => browser.close());

const skip = hasSharedData ? false : "../shared/data is missing";

test("key numbers and phases of a data set are those of info", { skip }, async () => {
  const info = documentOf("info", elevenPhases);
  await openView(elevenPhases, "overview");
  const facts = await keyNumbers();
  assert.equal(facts.get("Ranks"), info.ranks);
  assert.equal(facts.get("Phases"), info.phases.length);
  const lost = info.phases.reduce((sum, phase) => sum + phase.max_load_s - phase.mean_load_s, 0);
  assert.ok(Math.abs(facts.get("Time lost to imbalance") - lost) < 1e-9 * lost);
  const rows = await tableRows("Phases");
  assert.deepEqual(rows.get("Max load"), info.phases.map((phase) => phase.max_load_s));
  assert.deepEqual(rows.get("Imbalance"), info.phases.map((phase) => phase.imbalance));
  assert.deepEqual(rows.get("Lower bound"), info.phases.map((phase) => phase.lower_bound_s));
  assert.deepEqual(rows.get("Off-rank data"), info.phases.map((phase) => phase.off_rank_bytes));
});

test("the page states the seeds of the data and of the strategies", async () => {
  await openView(seeded, "overview");
  assert.match(await page.locator("main").innerText(), /Attributes of the data set: generator plimsoll, seed 18446744073709551557\./);
  await openView(seeded, "what-if");
  assert.match(await page.locator("main").innerText(), /Parameters: [^.]*\bseed 9007199254740993\b/);
});

test("key numbers, ranks and calls of a profile are those of the commands", async () => {
  const summary = documentOf("collectives", "summary", forward);
  await openView(forward, "overview");
  const facts = await keyNumbers();
  assert.equal(facts.get("Calls"), summary.calls);
  assert.equal(facts.get("Sent"), summary.sent.bytes);
  assert.equal(facts.get("Imbalance of sent bytes"), summary.sent.imbalance);
  assert.equal(facts.get("Time in calls"), summary.time_in_calls.time_s);
  assert.equal(facts.get("Waited for the last rank"), summary.waiting.waited_s);
  const ranks = await tableRows("Ranks");
  assert.deepEqual(ranks.get("Sent"), summary.ranks.map((rank) => rank.bytes_sent));
  assert.deepEqual(ranks.get("Wait time caused"), summary.ranks.map((rank) => rank.made_wait_s));
  await openView(forward, "calls");
  const { calls } = documentOf("collectives", "calls", forward);
  const runs = await tableRows("Runs of equal calls");
  assert.deepEqual(runs.get("Bytes per call"), calls.map((call) => call.bytes_per_call));
  assert.deepEqual(runs.get("Imbalance sent"), calls.map((call) => call.imbalance_sent));
});

test("the page of each call is that of collectives calls --call", async () => {
  const { calls } = documentOf("collectives", "calls", forward);
  for (const { lead, operation, first_call: number } of calls) {
    const detail = documentOf("collectives", "calls", forward, "--call", `${lead}:${number}`, "--operation", operation);
    await openView(forward, `call?job=0&lead=${lead}&operation=${operation}&call=${number}`);
    await page.getByRole("heading", { name: `Call ${number} of ${operation}, led by rank ${lead}`, exact: true }).waitFor();
    const facts = await keyNumbers();
    assert.equal(facts.get("Bytes sent"), detail.bytes_per_call);
    assert.equal(facts.get("Time on the slowest rank"), detail.time_s);
    assert.equal(facts.get("Waited for the last rank"), detail.waited_s);
    const ranks = await tableRows("Ranks");
    const byRank = (name) => new Map(ranks.get("Rank").map((rank, row) => [rank, ranks.get(name)[row]]));
    for (const rank of detail.ranks) {
      assert.equal(byRank("Time in call").get(rank.rank), rank.time_s);
      assert.equal(byRank("Waited").get(rank.rank), rank.waited_s);
    }
    const sent = detail.sent.rows.map((row) => row.counts.reduce((a, b) => a + b, 0));
    assert.deepEqual((await tableRows(/^Send counts/)).get("Sum"), sent);
  }
});

test("the efficiencies of a run are those of collectives summary", async () => {
  const { mpi } = documentOf("collectives", "summary", heat);
  await openView(heat, "overview");
  const facts = await keyNumbers();
  assert.equal(facts.get("Parallel efficiency"), mpi.efficiencies.parallel);
  assert.equal(facts.get("Load balance"), mpi.efficiencies.load_balance);
  assert.equal(facts.get("Communication efficiency"), mpi.efficiencies.communication);
});

test("the parts of a run are those of collectives functions and summary", async () => {
  const { functions } = documentOf("collectives", "functions", heat);
  const { mpi } = documentOf("collectives", "summary", heat);
  await openView(heat, "run-parts");
  const sizes = functions.flatMap((member) => member.sizes);
  assert.equal(sizes.length, 3);
  const shown = await tableRows("Sizes of calls");
  assert.deepEqual(shown.get("Calls"), sizes.map((size) => size.calls));
  assert.deepEqual(shown.get("Time"), sizes.map((size) => size.time_s));
  const regions = await tableRows("Regions");
  assert.deepEqual(regions.get("Parallel efficiency"), mpi.regions.map((region) => region.efficiencies.parallel));
  assert.deepEqual(regions.get("Serialisation"), mpi.regions.map((region) => region.efficiencies.serialisation));
  assert.deepEqual(regions.get("Transfer"), mpi.regions.map((region) => region.efficiencies.transfer));
});

test("the page of a call site is that of collectives sites", async () => {
  const { sites } = documentOf("collectives", "sites", heat);
  await openView(heat, "site?site=0");
  const facts = await keyNumbers();
  assert.equal(facts.get("Time"), sites[0].time_s);
  assert.equal(facts.get("Waiting for other ranks"), sites[0].waited_s);
  assert.equal(facts.get("Calls"), sites[0].calls);
  assert.equal(facts.get("Slowest rank"), sites[0].max_time_s);
});

test("without counts, the waits of ranks add up to the wait of the profile", { skip }, async () => {
  const { waiting } = documentOf("collectives", "summary", lateArrival);
  await openView(lateArrival, "late");
  const waited = (await tableRows("Ranks of communicators")).get("Waited");
  assert.ok(Math.abs(waited.reduce((sum, wait) => sum + wait) - waiting.waited_s) < 1e-12);
  assert.equal(waited[0], 0); // the last rank
});

test("only pages of several hosts have traffic between hosts", async () => {
  for (const count of ranksPerHost) {
    await openView(hosts(count), "overview");
    let text = await page.locator("main .facts").first().innerText();
    await openView(hosts(count), "matrix");
    text += await page.locator("main").innerText();
    assert.equal(/between hosts/i.test(text), count === 2);
    assert.equal(/cross from one host/.test(text), count === 2);
    }
});

test("key numbers and components of a layout are those of layout solve", async () => {
  const solution = JSON.parse(readFileSync(layout, "utf8"));
  await openView(layout, "overview");
  const facts = await keyNumbers();
  assert.equal(facts.get("Time of the model"), solution.time);
  assert.equal(facts.get("Simulated years per day"), solution.simulated_years_per_day);
  assert.equal(facts.get("Core hours per simulated year"), solution.core_hours_per_simulated_year);
  const components = await tableRows("Components");
  assert.deepEqual(components.get("Tasks"), solution.places.map((place) => place.tasks));
  assert.deepEqual(components.get("Time"), solution.places.map((place) => place.cost));
  await openView(layout, "sweep");
  const totals = await tableRows("All numbers of tasks");
  assert.deepEqual(totals.get("Time"), solution.sweep.points.map((point) => point.time));
});

test("a layout is explained by the sentences of the command", async () => {
  const { answer, expected, time } = JSON.parse(readFileSync(expectedLayout, "utf8"));
  assert.notEqual(expected.time, time);
  await openView(expectedLayout, "overview");
  assert.equal((await keyNumbers()).get("Time of the model"), expected.time);
  const text = await page.locator("main").innerText();
  for (const sentence of [answer.headline, ...answer.remarks, ...answer.notes]) assert.ok(text.includes(sentence), sentence);
  assert.match(text, /By the models, the components take 2\.\d+ s\/day, as shown below\./);
  await openView(expectedLayout, "sweep");
  assert.match(await page.locator("main").innerText(), /Times are expected times/);
  assert.equal((await tableRows("All numbers of tasks")).get("Time").includes(expected.time), true);
});

async function openView(input, view) {
  const section = inputs.indexOf(input);
  const name = view.split("?")[0];
  await page.evaluate((hash) => { location.hash = hash; }, `#${section}/${view}`);
  await page.locator(`nav [data-section="${section}"] a[data-view="${name}"][aria-current=page]`).waitFor();
  await page.locator(`main .view[data-view="${name}"] > *`).first().waitFor();
  await settle(page);
}

/** Exact values of the key numbers, by label. */
async function keyNumbers() {
  return new Map(await page.locator("main .fact").evaluateAll((facts) => facts.flatMap((fact) => {
    const data = fact.querySelector("data");
    return data ? [[fact.querySelector("dt").textContent, Number(data.value)]] : [];
  })));
}

/** Exact values of the numeric columns of a table, by label. All rows must be visible. */
async function tableRows(name) {
  const table = page.getByRole("grid", { name, exact: true }).first();
  return new Map(await table.evaluate((element) => {
    const labels = [...element.querySelectorAll("th")].map((cell) => cell.textContent);
    const rows = [...element.querySelectorAll("tbody tr")].filter((row) => row.style.visibility !== "hidden");
    return labels.map((label, column) => [label, rows.map((row) => Number(row.cells[column].title.split(" ")[0]))]);
  }));
}
