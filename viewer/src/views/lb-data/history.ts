import { barChart } from "../../charts/bar-chart";
import { figure } from "../../charts/figure";
import { lineChart } from "../../charts/line-chart";
import { tableFigure } from "../../charts/table-figure";
import { phaseNumber, selectedPosition } from "../../data/lb-data";
import type { LbData } from "../../data/report";
import { numbers, texts } from "../../format/dataset";
import { formatNumber } from "../../format/numbers";
import type { View, ViewContext } from "../../page/view";
import { facts } from "../facts";

/** Load balancing in the run that recorded the data. */
export const history: View<LbData> = {
  id: "history",
  title: "Balancing history",
  purpose: "What load balancing in the run moved, what it cost, and how the load followed.",
  render(host, context) {
    const { section } = context;
    const balancing = section.info.load_balancing!;
    facts(host, [
      { label: "Strategy", value: balancing.strategies.join(", ") },
      { label: "Phases balanced", value: balancing.phases, detail: `of ${formatNumber(section.info.phases.length)}` },
      { label: "Migrations", value: balancing.migrations, detail: `${formatNumber(balancing.migrations / Math.max(balancing.phases, 1))} each time` },
      { label: "Time to decide", value: balancing.decision_s, unit: "s" },
      { label: "Time to migrate", value: balancing.migration_s, unit: "s" },
      { label: "Gain predicted", value: sumOf(section, (balanced) => balanced.predicted_gain_s), unit: "s" },
      {
        label: "Gain reached", unit: "s", detail: "less maximum load in the phase after each",
        value: sumOf(section, (balanced) => reachedGain(section, balanced.phase)),
      },
    ]);
    charts(host, context);
    phaseTable(host, section);
  },
};

/** Decrease of the maximum load from the phase at a position to the next one. */
function reachedGain({ info: { phases } }: LbData, position: number): number | null {
  const [before, after] = [phases[position], phases[position + 1]];
  return before && after ? before.max_load_s - after.max_load_s : null;
}

/** Sum over the balanced phases; null if it is unknown for all. */
function sumOf(section: LbData, value: (balanced: LbData["balancing"][number]) => number | null): number | null {
  const known = section.balancing.map(value).filter((each) => each !== null);
  return known.length > 0 ? known.reduce((sum, each) => sum + each, 0) : null;
}

function charts(host: HTMLElement, { section, selection }: ViewContext<LbData>): void {
  const { phases } = section.info;
  const onSelect = (index: number) => selection.select({ phase: phaseNumber(section, index) });
  figure(host, { title: "Load per rank", caption: "The load follows migrations one phase later." }, (body) => lineChart(body, {
    label: "Load per rank over phases", xTitle: "phase", unit: "s", onSelect,
    x: phases.map((phase) => phase.phase),
    xLabel: (phase) => (Number.isInteger(phase) ? String(phase) : ""),
    selected: selectedPosition(section, selection),
    series: [
      { key: "max_load_s", label: "maximum", values: phases.map((phase) => phase.max_load_s) },
      { key: "mean_load_s", label: "mean", values: phases.map((phase) => phase.mean_load_s), colour: "#d55e00" },
    ],
  }));
  figure(host, { title: "Migrations", caption: "Objects that are on another rank than in the phase before." }, (body) => barChart(body, {
    label: "Migrated objects per phase", itemTitle: "phase", count: phases.length, unit: "", height: 150, onSelect,
    itemLabel: (item) => String(phases[item]!.phase),
    series: [{ label: "migrations", values: section.migrations }],
  }));
}

function phaseTable(host: HTMLElement, section: LbData): void {
  const { balancing } = section;
  tableFigure(host, "Phases balanced", {
    length: balancing.length,
    columns: [
      numbers("phase", "Phase", "id", (i) => phaseNumber(section, balancing[i]!.phase)),
      texts("strategy", "Strategy", (i) => balancing[i]!.strategy),
      numbers("migrations", "Migrations", "", (i) => balancing[i]!.migrations),
      numbers("decision_s", "Time to decide", "s", (i) => balancing[i]!.decision_s),
      numbers("migration_s", "Time to migrate", "s", (i) => balancing[i]!.migration_s),
      numbers("predicted_gain_s", "Gain predicted", "s", (i) => balancing[i]!.predicted_gain_s),
      numbers("reached_gain_s", "Gain reached", "s", (i) => reachedGain(section, balancing[i]!.phase)),
      numbers("max_load_s", "Max load", "s", (i) => section.info.phases[balancing[i]!.phase]?.max_load_s),
      numbers("next_max_load_s", "Next max load", "s", (i) => section.info.phases[balancing[i]!.phase + 1]?.max_load_s),
    ],
  }, { empty: "The report lists no phases." });
}
