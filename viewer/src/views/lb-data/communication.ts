import { figure } from "../../charts/figure";
import { heatMap } from "../../charts/heat-map";
import { tableFigure } from "../../charts/table-figure";
import { objectLabel, phaseNumber, rowCount, rowLabel, rowTitle, selectedPosition } from "../../data/lb-data";
import type { LbData, PhaseEdges, PhaseTraffic } from "../../data/report";
import { numbers, texts, type DataTable } from "../../format/dataset";
import { choice, element } from "../../page/dom";
import { redrawOn, toggle } from "../../page/redraw";
import type { Selection } from "../../page/selection";
import type { View, ViewContext } from "../../page/view";
import { facts } from "../facts";
import { phasePicker } from "./phase-picker";
import { trafficTotals } from "./traffic-totals";

export const communication: View<LbData> = {
  id: "communication",
  title: "Communication",
  purpose: "Which ranks and objects exchange the most data, and how much of it leaves ranks and nodes.",
  render(host, context) {
    const { section, selection } = context;
    if (section.total_traffic.from.length === 0 && section.edges.length === 0) {
      host.append(element("p", { class: "empty" }, "The report contains no communication."));
      return;
    }
    const measure = () => (selection.text("measure") === "messages" ? "messages" : "bytes");
    host.append(element("div", { class: "controls" },
      choice("Show", ["bytes", "messages"].map((name) => ({ value: name, label: name })), measure(),
        (name) => selection.select({ measure: name })),
      toggle(selection, "log", "Logarithmic colours"),
      toggle(selection, "local", "Within ranks too"),
      section.info.phases.length > 1 && section.traffic.length > 0
        && toggle(selection, "all", "All phases")));
    phasePicker(host, section, selection);
    const shown = () => (allPhases(section, selection) ? "all" : String(selectedPosition(section, selection)));
    redrawOn(host, selection, shown, (part) => totals(part, context));
    const left = element("div");
    const right = element("div");
    host.append(element("div", { class: "columns" }, left, right));
    const options = () => `${shown()} ${measure()} ${selection.text("log")} ${selection.text("local")}`;
    redrawOn(left, selection, options, (part) => matrix(part, context, measure()));
    redrawOn(right, selection, options, (part) => rankPairs(part, context, measure()));
    redrawOn(left, selection, () => selectedPosition(section, selection), (part, position) => categories(part, section, position));
    redrawOn(right, selection, () => selectedPosition(section, selection), (part, position) => objectPairs(part, context, position));
  },
};

type Traffic = Omit<PhaseTraffic, "phase">;

/** Traffic of the selected phase or, if chosen or if there is no other, of all phases. */
function selectedTraffic({ section, selection }: ViewContext<LbData>): Traffic | undefined {
  if (allPhases(section, selection)) return section.total_traffic;
  return section.traffic.find((each) => each.phase === selectedPosition(section, selection));
}

function allPhases(section: LbData, selection: Selection): boolean {
  return section.traffic.length === 0 || selection.isOn("all");
}

function totals(host: HTMLElement, context: ViewContext<LbData>): void {
  const { section } = context;
  const traffic = selectedTraffic(context);
  if (!traffic) return;
  const total = trafficTotals(traffic, section.nodes, section.ranks_per_row);
  const share = (bytes: number) => (total.all > 0 ? `${((100 * bytes) / total.all).toFixed(1)} % of all bytes` : "");
  const fact = (label: string, bytes: number) => ({ label, value: bytes, unit: "bytes", detail: share(bytes) });
  facts(host, [
    { label: "All bytes", value: total.all, unit: "bytes" },
    fact(section.ranks_per_row > 1 ? "Within blocks of ranks" : "Within ranks", total.withinRows),
    ...(total.nodes === null ? [fact("Between ranks", total.all - total.withinRows)] : [
      fact("Between ranks of a node", total.nodes.within),
      fact("Between nodes", total.nodes.between),
    ]),
  ]);
}

function matrix(host: HTMLElement, context: ViewContext<LbData>, measure: "bytes" | "messages"): void {
  const { section, selection } = context;
  const traffic = selectedTraffic(context);
  if (!traffic) {
    host.append(element("p", { class: "empty" }, "The report contains no traffic between ranks in this phase."));
    return;
  }
  const rows = rowCount(section);
  const values = new Float64Array(rows * rows).fill(NaN);
  const local = selection.isOn("local");
  traffic.from.forEach((from, i) => {
    const to = traffic.to[i]!;
    if (from !== to || local) values[from * rows + to] = traffic[measure][i]!;
  });
  const phases = allPhases(section, selection) && section.info.phases.length > 1 ? " in all phases" : "";
  const title = `${measure === "bytes" ? "Bytes" : "Messages"} from rank to rank${phases}`;
  figure(host, { title, caption: "Rows send, columns receive." }, (body) => heatMap(body, {
    label: title, rows, columns: rows, values, square: true,
    unit: measure === "bytes" ? "bytes" : "",
    rowTitle: `from ${rowTitle(section)}`, columnTitle: `to ${rowTitle(section)}`,
    rowLabel: (row) => rowLabel(section, row), columnLabel: (row) => rowLabel(section, row),
    logarithmic: selection.isOn("log"),
    onSelect: (row) => selection.select({ rank: row * section.ranks_per_row }),
  }));
}

function rankPairs(host: HTMLElement, context: ViewContext<LbData>, measure: "bytes" | "messages"): void {
  const { section, selection } = context;
  const traffic = selectedTraffic(context);
  if (!traffic) return;
  tableFigure(host, `Pairs of ${section.ranks_per_row > 1 ? "blocks of ranks" : "ranks"}`, pairTable(section, traffic, selection.isOn("local")), {
    sortBy: { key: measure, descending: true },
  });
}

function pairTable(section: LbData, traffic: Traffic, local: boolean): DataTable {
  const kept = traffic.from.map((_, i) => i).filter((i) => local || traffic.from[i] !== traffic.to[i]);
  const most = kept.reduce((maximum, i) => Math.max(maximum, traffic.bytes[i]!), 0);
  return {
    length: kept.length,
    columns: [
      texts("from", "From", (row) => rowLabel(section, traffic.from[kept[row]!]!)),
      texts("to", "To", (row) => rowLabel(section, traffic.to[kept[row]!]!)),
      { ...numbers("bytes", "Bytes", "bytes", (row) => traffic.bytes[kept[row]!]), bar: most },
      numbers("messages", "Messages", "", (row) => traffic.messages[kept[row]!]),
    ],
  };
}

function categories(host: HTMLElement, section: LbData, position: number): void {
  const rows = section.categories.filter((each) => each.phase === position);
  tableFigure(host, `Categories in phase ${phaseNumber(section, position)}`, {
    length: rows.length,
    columns: [
      texts("category", "Category", (row) => rows[row]!.category),
      numbers("edges", "Edges", "", (row) => rows[row]!.edges),
      numbers("bytes", "Bytes", "bytes", (row) => rows[row]!.bytes),
      numbers("messages", "Messages", "", (row) => rows[row]!.messages),
    ],
  });
}

function objectPairs(host: HTMLElement, { section, selection, open }: ViewContext<LbData>, position: number): void {
  const edges = section.edges.find((each) => each.phase === position);
  if (!edges) return;
  tableFigure(host, `Pairs of objects in phase ${phaseNumber(section, position)}`, edgeTable(section, edges), {
    sortBy: { key: "bytes", descending: true },
    note: !edges.complete && "Only the largest edges of the phase are listed.",
    onSelect: (row) => {
      selection.select({ object: String(section.entities.number[edges.from[row]!]) });
      open("objects");
    },
  });
}

function edgeTable(section: LbData, edges: PhaseEdges): DataTable {
  return {
    length: edges.from.length,
    columns: [
      texts("from", "From", (row) => objectLabel(section, edges.from[row]!)),
      texts("to", "To", (row) => objectLabel(section, edges.to[row]!)),
      numbers("bytes", "Bytes", "bytes", edges.bytes),
      numbers("messages", "Messages", "", edges.messages),
    ],
  };
}
