import { barChart } from "../../charts/bar-chart";
import { figure } from "../../charts/figure";
import { scatterChart } from "../../charts/scatter-chart";
import { tableFigure } from "../../charts/table-figure";
import type { StrategyResult, ComparisonInfo } from "../../data/document-types";
import type { LbData } from "../../data/report";
import { numbers, texts, type DataTable } from "../../format/dataset";
import { formatNumber } from "../../format/numbers";
import { listOf } from "../../format/words";
import { element } from "../../page/dom";
import { themeColour } from "../../page/theme";
import { redrawOn } from "../../page/redraw";
import type { View, ViewContext } from "../../page/view";
import { facts } from "../facts";
import { bestStrategy } from "./best-strategy";
import { otherDataSets } from "./other-data-sets";

export const whatIf: View<LbData> = {
  id: "what-if",
  title: "What if",
  purpose: "What load balancing would change: strategies side by side, from the recorded placement.",
  render(host, context) {
    const { section, report } = context;
    if (section.comparison) strategies(host, context, section.comparison);
    if (report.sections.filter((each) => each.kind === "lb_data").length > 1) otherDataSets(host, context);
  },
};

/** A strategy with its parameters, if it occurs more than once. */
function strategyLabel(comparison: ComparisonInfo, result: StrategyResult): string {
  const same = comparison.strategies.filter((each) => each.strategy === result.strategy);
  if (same.length === 1) return result.strategy;
  const differing = Object.entries(result.parameters).filter(([name, value]) => same.some((each) => each.parameters[name] !== value));
  return `${result.strategy} (${differing.map(([name, value]) => `${name}=${String(value)}`).join(", ")})`;
}

function strategies(host: HTMLElement, context: ViewContext<LbData>, comparison: ComparisonInfo): void {
  const { selection } = context;
  const placed = comparison.strategies.filter((each) => each.failure === undefined);
  const best = bestStrategy(placed);
  host.append(element("p", { class: "note" }, `Phase ${comparison.phase}, ${formatNumber(comparison.ranks)} ranks, `
    + `${formatNumber(comparison.objects)} objects. Loads: ${comparison.load_field ?? "recorded"}, load model ${comparison.load_model}. `
    + `Lower bound ${formatNumber(comparison.lower_bound_s, "s")}, set by: ${comparison.lower_bound_cause}.`));
  strategyTable(host, context, comparison);
  figure(host, {
    title: "Balance against migrations",
    caption: "Towards the lower left: better balanced, with fewer migrations. Filled points are unbeaten: no other strategy "
      + "is at least as good in all metrics and better in one.",
  }, (body) => scatterChart(body, {
    label: "Distance to the bound and number of moved objects of each strategy",
    xTitle: "moved objects", yTitle: "maximum load above the bound", yUnit: "share", xUnit: "",
    points: [
      { label: "recorded placement", x: 0, y: comparison.start.above_bound ?? 0, filled: true, marked: true },
      ...placed.map((each) => ({
        label: strategyLabel(comparison, each), x: each.moved_objects ?? 0, y: each.above_bound ?? 0, filled: each.non_dominated ?? false,
      })),
    ],
    onSelect: (point) => { if (point > 0) selection.select({ strategy: comparison.strategies.indexOf(placed[point - 1]!) }); },
  }));
  const selected = () => {
    const chosen = comparison.strategies[selection.number("strategy") ?? -1];
    return chosen && chosen.failure === undefined ? chosen : best;
  };
  redrawOn(host, selection, selected, (part, result) => { if (result) beforeAfter(part, comparison, result); });
}

function strategyTable(host: HTMLElement, { selection }: ViewContext<LbData>, comparison: ComparisonInfo): void {
  const { start, strategies: results } = comparison;
  const qualities = [start, ...results];
  const moved = (row: number) => (row === 0 ? null : results[row - 1]!.moved_objects);
  const most = qualities.reduce((maximum, each) => Math.max(maximum, each.max_load_s ?? 0), 0);
  const table: DataTable = {
    length: qualities.length,
    columns: [
      texts("strategy", "Strategy", (row) => (row === 0 ? "recorded placement" : strategyLabel(comparison, results[row - 1]!))),
      { ...numbers("max_load_s", "Max load", "s", (row) => qualities[row]!.max_load_s), bar: most },
      numbers("imbalance", "Imbalance", "imbalance", (row) => qualities[row]!.imbalance),
      numbers("above_bound", "Above bound", "share", (row) => qualities[row]!.above_bound),
      numbers("moved_objects", "Moved objects", "", moved),
      numbers("off_rank_bytes", "Off-rank data", "bytes", (row) => qualities[row]!.off_rank_bytes),
      numbers("strategy_time_s", "Strategy time", "s", (row) => (row === 0 ? null : results[row - 1]!.strategy_time_s)),
      ...(results.some(seedOf) ? [texts("seed", "Seed", (row) => (row === 0 ? "" : seedOf(results[row - 1]!)))] : []),
      texts("non_dominated", "Unbeaten", (row) => (row > 0 && results[row - 1]!.non_dominated ? "yes" : "")),
      texts("remark", "Remark", (row) => (row === 0 ? "" : remark(results[row - 1]!))),
    ],
  };
  tableFigure(host, "Strategies", table, {
    visibleRows: 24, sortBy: { key: "max_load_s", descending: false },
    note: "Select a strategy to see the load of each rank before and after.",
    onSelect: (row) => selection.select({ strategy: row > 0 ? row - 1 : null }),
  });
}

/** The seed of a strategy that draws random numbers, otherwise nothing. */
function seedOf({ parameters }: StrategyResult): string {
  return parameters["seed"] === undefined ? "" : String(parameters["seed"]);
}

function remark(result: StrategyResult): string {
  if (result.failure !== undefined) return result.failure;
  return Object.entries(result.remarks ?? {}).map(([name, value]) => `${name.replaceAll("_", " ")}: ${typeof value === "number" ? formatNumber(value) : String(value)}`).join("; ");
}

function beforeAfter(host: HTMLElement, comparison: ComparisonInfo, result: StrategyResult): void {
  const { start } = comparison;
  host.append(element("h2", { class: "part-title" }, `With ${strategyLabel(comparison, result)}`));
  const parameters = Object.entries(result.parameters);
  if (parameters.length) host.append(element("p", { class: "note" }, `Parameters: ${listOf(parameters)}.`));
  const change = (after: number | undefined, before: number) =>
    (after === undefined || before === 0 ? "" : `${after >= before ? "+" : "−"}${formatNumber(Math.abs(after / before - 1), "share")}`);
  facts(host, [
    {
      label: "Max load", value: result.max_load_s ?? null, unit: "s",
      detail: `before ${formatNumber(start.max_load_s, "s")}, ${change(result.max_load_s, start.max_load_s)}`,
    },
    { label: "Imbalance", value: result.imbalance ?? null, unit: "imbalance", detail: `before ${formatNumber(start.imbalance, "imbalance")}` },
    { label: "Above the bound", value: result.above_bound ?? null, unit: "share", detail: `before ${formatNumber(start.above_bound, "share")}` },
    { label: "Moved objects", value: result.moved_objects ?? null, detail: `${formatNumber(result.moved_load_s, "s")} of load` },
    { label: "Off-rank data", value: result.off_rank_bytes ?? null, unit: "bytes", detail: `before ${formatNumber(start.off_rank_bytes, "bytes")}` },
  ]);
  const before = start.rank_loads_s;
  const after = result.rank_loads_s;
  if (!before || !after) return;
  figure(host, { title: "Load per rank before and after" }, (body) => barChart(body, {
    label: `Load per rank before and after ${result.strategy}`,
    itemTitle: "rank", count: before.length, itemLabel: String, unit: "s", height: 260,
    series: [{ label: "before", values: before, colour: "#a8b3c2" }, { label: "after", values: after, colour: themeColour("accent") }],
    lines: [{ label: "lower bound", value: comparison.lower_bound_s }],
  }));
}
