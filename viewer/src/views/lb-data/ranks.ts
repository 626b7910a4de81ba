import { barChart } from "../../charts/bar-chart";
import { figure } from "../../charts/figure";
import { heatMap } from "../../charts/heat-map";
import { phaseNumber, rowCount, rowLabel, rowOfRank, rowTitle, selectedPosition } from "../../data/lb-data";
import type { LbData, Quantity } from "../../data/report";
import { choice, element } from "../../page/dom";
import { redrawOn, toggle } from "../../page/redraw";
import type { View, ViewContext } from "../../page/view";
import { phasePicker } from "./phase-picker";
import { rankDetail } from "./rank-detail";

export const ranks: View<LbData> = {
  id: "ranks",
  title: "Ranks",
  purpose: "Which ranks carry the load, in which phase. Click a rank to see its objects.",
  render(host, context) {
    const { section, selection } = context;
    if (section.quantities.length === 0) {
      host.append(element("p", { class: "empty" }, "The report contains no values per rank."));
      return;
    }
    const quantity = () => section.quantities.find((each) => each.key === selection.text("quantity")) ?? section.quantities[0]!;
    const controls = element("div", { class: "controls" },
      choice("Quantity", section.quantities.map((each) => ({ value: each.key, label: each.label })), quantity().key,
        (key) => selection.select({ quantity: key })));
    host.append(controls);
    const several = section.info.phases.length > 1;
    if (several) {
      controls.append(toggle(selection, "log", "Logarithmic colours"));
      redrawOn(host, selection, () => `${quantity().key} ${selection.text("log")}`, (part) => phaseMap(part, context, quantity()));
      phasePicker(host, section, selection);
    }
    redrawOn(host, selection, () => `${quantity().key} ${selectedPosition(section, selection)} ${selection.text("rank")} ${selection.text("sorted")}`,
      (part) => rankBars(part, context, quantity()));
    redrawOn(host, selection, () => `${selectedPosition(section, selection)} ${selectedRow(context)}`,
      (part) => rankDetail(part, context, selectedPosition(section, selection), selectedRow(context)));
  },
};

/** The selected row; without selection, the one with the largest load in the selected phase. */
export function selectedRow({ section, selection }: ViewContext<LbData>): number {
  const rank = selection.number("rank");
  if (rank !== null && rank >= 0 && rank < section.info.ranks) return rowOfRank(section, rank);
  const loads = section.quantities[0]?.values[selectedPosition(section, selection)] ?? [];
  let heaviest = 0;
  loads.forEach((load, row) => { if ((load ?? 0) > (loads[heaviest] ?? 0)) heaviest = row; });
  return heaviest;
}

function phaseMap(host: HTMLElement, context: ViewContext<LbData>, quantity: Quantity): void {
  const { section, selection } = context;
  const rows = rowCount(section);
  const columns = section.info.phases.length;
  const values = new Float64Array(rows * columns).fill(NaN);
  quantity.values.forEach((ofPhase, column) => ofPhase.forEach((value, row) => {
    if (value !== null && row < rows) values[row * columns + column] = value;
  }));
  figure(host, { title: `${quantity.label} by rank and phase` }, (body) => {
    const map = heatMap(body, {
      label: `${quantity.label} by rank and phase`,
      rows, columns, values,
      unit: quantity.unit,
      rowTitle: rowTitle(section),
      columnTitle: "phase",
      rowLabel: (row) => rowLabel(section, row),
      columnLabel: (column) => String(phaseNumber(section, column)),
      logarithmic: selection.isOn("log"),
      selected: { row: selectedRow(context), column: selectedPosition(section, selection) },
      onSelect: (row, column) => selection.select({ rank: row * section.ranks_per_row, phase: phaseNumber(section, column) }),
    });
    const stop = selection.subscribe(() => (host.isConnected ? map.mark(selectedRow(context), selectedPosition(section, selection)) : stop()));
    return map;
  });
}

function rankBars(host: HTMLElement, context: ViewContext<LbData>, quantity: Quantity): void {
  const { section, selection } = context;
  const position = selectedPosition(section, selection);
  const values = quantity.values[position] ?? [];
  const sorted = selection.isOn("sorted");
  const order = values.map((_, row) => row);
  if (sorted) order.sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0));
  const sum = values.reduce<number>((total, value) => total + (value ?? 0), 0);
  const lines = [{ label: "mean", value: values.length > 0 ? sum / values.length : 0 }];
  if (quantity.key === "load_s" && section.ranks_per_row === 1) {
    lines.push({ label: "lower bound", value: section.info.phases[position]!.lower_bound_s });
  }
  const title = `${quantity.label} per rank in phase ${phaseNumber(section, position)}`;
  const control = toggle(selection, "sorted", "Sorted");
  figure(host, { title, controls: [control] }, (body) => barChart(body, {
    label: title,
    itemTitle: rowTitle(section),
    count: values.length,
    itemLabel: (item) => rowLabel(section, order[item]!),
    unit: quantity.unit,
    series: [{ label: quantity.label, values: order.map((row) => values[row] ?? null) }],
    lines,
    selected: order.indexOf(selectedRow(context)),
    onSelect: (item) => selection.select({ rank: order[item]! * section.ranks_per_row }),
  }));
}
