import { barChart } from "../../charts/bar-chart";
import { figure } from "../../charts/figure";
import { lineChart } from "../../charts/line-chart";
import { tableFigure } from "../../charts/table-figure";
import type { StatisticsIn, StatisticsRecord } from "../../data/document-types";
import type { Statistics } from "../../data/report";
import { numbers } from "../../format/dataset";
import { element } from "../../page/dom";
import { themeColour } from "../../page/theme";
import type { View, ViewContext } from "../../page/view";
import { facts } from "../facts";

export const history: View<Statistics> = {
  id: "history",
  title: "Balancing history",
  purpose: "What load balancing promised in each phase, and what the next phase then took.",
  render(host, context) {
    const { phases } = context.section.statistics;
    if (phases.length === 0) {
      host.append(element("p", { class: "empty" }, "The file contains no phases."));
      return;
    }
    const balanced = phases.map((_, i) => i).filter((i) => phases[i]!.after !== null);
    facts(host, [
      { label: "Phases", value: phases.length },
      { label: "Phases balanced", value: balanced.length },
      { label: "Moved objects", value: phases.reduce((sum, phase) => sum + (phase.moved_objects ?? 0), 0) },
      { label: "Gain predicted", value: sumOf(balanced, (i) => predictedGain(phases[i]!)), unit: "s", detail: "less maximum load, sum over phases" },
      { label: "Gain reached", value: sumOf(balanced, (i) => reachedGain(phases, i)), unit: "s", detail: "in the phase after each" },
    ]);
    charts(host, context);
    phaseTable(host, phases);
  },
};

const maximum = (of: StatisticsRecord["after"]) => of?.["Rank_load_modeled"]?.["max_s"] ?? of?.["Rank_load_raw"]?.["max_s"] ?? null;
const imbalance = (of: StatisticsRecord["after"]) => of?.["Rank_load_modeled"]?.["imbalance"] ?? null;
const measured = (phase: StatisticsRecord | undefined, key: keyof StatisticsIn) => phase?.before?.["Rank_load_raw"]?.[key] ?? null;

/** Decrease of the maximum load that the strategy computed. */
function predictedGain(phase: StatisticsRecord): number | null {
  const before = maximum(phase.before);
  const after = maximum(phase.after);
  return before === null || after === null ? null : before - after;
}

/** Decrease of the measured maximum load from a phase to the next phase, if the file contains that. */
function reachedGain(phases: StatisticsRecord[], position: number): number | null {
  const phase = phases[position]!;
  const next = phases[position + 1];
  if (next?.phase !== phase.phase + 1) return null;
  const before = measured(phase, "max_s");
  const after = measured(next, "max_s");
  return before === null || after === null ? null : before - after;
}

function sumOf(positions: number[], value: (position: number) => number | null): number | null {
  const known = positions.map(value).filter((each) => each !== null);
  return known.length > 0 ? known.reduce((sum, each) => sum + each, 0) : null;
}

function charts(host: HTMLElement, { section, position }: ViewContext<Statistics>): void {
  const { phases } = section.statistics;
  const predicted = { colour: themeColour("mark"), pointsOnly: true };
  const shared = {
    xTitle: "phase",
    x: phases.map((phase) => phase.phase),
    xLabel: (phase: number) => (Number.isInteger(phase) ? String(phase) : ""),
    syncKey: `statistics-${position}`,
  };
  figure(host, {
    title: "Load per rank",
    caption: "Points show the maximum that a strategy predicted at the end of a phase; the line shows what each phase took.",
  }, (body) => lineChart(body, {
    ...shared, label: "Load per rank over phases", unit: "s",
    series: [
      { key: "max_load_s", label: "maximum", values: phases.map((phase) => measured(phase, "max_s")) },
      { key: "mean_load_s", label: "mean", values: phases.map((phase) => measured(phase, "mean_s")), colour: "#d55e00" },
      { key: "predicted_max_load_s", label: "predicted maximum", values: phases.map((phase) => maximum(phase.after)), ...predicted },
    ],
  }));
  figure(host, { title: "Imbalance" }, (body) => lineChart(body, {
    ...shared, label: "Imbalance over phases", unit: "imbalance",
    series: [
      { key: "before", label: "before", values: phases.map((phase) => imbalance(phase.before)) },
      { key: "after", label: "predicted after", values: phases.map((phase) => imbalance(phase.after)), ...predicted },
    ],
  }));
  figure(host, { title: "Moved objects" }, (body) => barChart(body, {
    label: "Moved objects per phase", itemTitle: "phase", count: phases.length, unit: "", height: 150,
    itemLabel: (item) => String(phases[item]!.phase),
    series: [{ label: "moved objects", values: phases.map((phase) => phase.moved_objects) }],
  }));
}

function phaseTable(host: HTMLElement, phases: StatisticsRecord[]): void {
  tableFigure(host, "Phases", {
    length: phases.length,
    columns: [
      numbers("phase", "Phase", "id", (i) => phases[i]!.phase),
      numbers("max_load_s", "Max load", "s", (i) => measured(phases[i], "max_s")),
      numbers("mean_load_s", "Mean load", "s", (i) => measured(phases[i], "mean_s")),
      numbers("imbalance", "Imbalance", "imbalance", (i) => measured(phases[i], "imbalance")),
      numbers("moved_objects", "Moved objects", "", (i) => phases[i]!.moved_objects),
      numbers("predicted_max_load_s", "Predicted max load", "s", (i) => maximum(phases[i]!.after)),
      numbers("predicted_gain_s", "Gain predicted", "s", (i) => predictedGain(phases[i]!)),
      numbers("reached_gain_s", "Gain reached", "s", (i) => (phases[i]!.after ? reachedGain(phases, i) : null)),
    ],
  });
}
