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
        && toggle(selection, "all", "All phases"),
      categoriesOf(section).length > 1 && choice("Category", [
        { value: "", label: "all" }, ...categoriesOf(section).map((name) => ({ value: name, label: name })),
      ], selection.text("category") ?? "", (name) => selection.select({ category: name || null }))));
    phasePicker(host, section, selection);
    const shown = () => (allPhases(section, selection) ? `all ${selection.text("category")}` : String(selectedPosition(section, selection)));
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

/** More rows than a screen shows are joined. */
const mostRows = 1024;

/** The categories of the traffic, in the order of their numbers. */
function categoriesOf({ total_traffic: total }: LbData): string[] {
  return [...new Set(total.category)].sort((a, b) => a - b).map((category) => total.category_names[category]!);
}

/** Traffic of all phases in one category, or in all. */
function totalTraffic({ total_traffic: total }: LbData, category: string | null): Traffic {
  const sums = new Map<string, number>();
  const sum: Traffic = { from: [], to: [], bytes: [], messages: [] };
  total.from.forEach((from, i) => {
    if (category && total.category_names[total.category[i]!] !== category) return;
    const pair = `${from} ${total.to[i]}`;
    let position = sums.get(pair);
    if (position === undefined) {
      position = sum.from.length;
      sums.set(pair, position);
      sum.from.push(from);
      sum.to.push(total.to[i]!);
      sum.bytes.push(0);
      sum.messages.push(0);
    }
    sum.bytes[position] += total.bytes[i]!;
    sum.messages[position] += total.messages[i]!;
  });
  return sum;
}

/** Traffic of the selected phase, or that of all phases if the user chose it or the page has no other. */
function selectedTraffic({ section, selection }: ViewContext<LbData>): Traffic | undefined {
  if (allPhases(section, selection)) return totalTraffic(section, selection.text("category"));
  return section.traffic.find((each) => each.phase === selectedPosition(section, selection));
}

/** The page has the traffic of each category for all phases together only. */
function allPhases(section: LbData, selection: Selection): boolean {
  return section.traffic.length === 0 || selection.isOn("all") || Boolean(selection.text("category"));
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
  const block = Math.ceil(rowCount(section) / mostRows);
  const rows = Math.ceil(rowCount(section) / block);
  const values = new Float64Array(rows * rows).fill(NaN);
  const local = selection.isOn("local");
  traffic.from.forEach((from, i) => {
    const to = traffic.to[i]!;
    if (from === to && !local) return;
    const cell = Math.floor(from / block) * rows + Math.floor(to / block);
    values[cell] = (values[cell]! || 0) + traffic[measure][i]!;
  });
  const label = (row: number) => (block === 1 ? rowLabel(section, row)
    : `${rowLabel(section, row * block)} to ${rowLabel(section, Math.min((row + 1) * block, rowCount(section)) - 1)}`);
  const phases = allPhases(section, selection) && section.info.phases.length > 1 ? " in all phases" : "";
  const category = selection.text("category");
  const title = `${measure === "bytes" ? "Bytes" : "Messages"} from rank to rank${phases}${category ? `, ${category}` : ""}`;
  const caption = `Rows send, columns receive.${block > 1 ? ` Each cell is the sum of ${block} × ${block} pairs.` : ""}`;
  figure(host, { title, caption }, (body) => heatMap(body, {
    label: title, rows, columns: rows, values, square: true,
    unit: measure === "bytes" ? "bytes" : "",
    rowTitle: `from ${rowTitle(section)}`, columnTitle: `to ${rowTitle(section)}`,
    rowLabel: label, columnLabel: label,
    logarithmic: selection.isOn("log"),
    onSelect: (row) => selection.select({ rank: row * block * section.ranks_per_row }),
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
