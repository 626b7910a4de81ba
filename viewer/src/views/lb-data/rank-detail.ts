import { barChart } from "../../charts/bar-chart";
import { figure } from "../../charts/figure";
import { heatMap } from "../../charts/heat-map";
import { tableFigure } from "../../charts/table-figure";
import { treeMap } from "../../charts/tree-map";
import { objectLabel, objectRange, objectsAt, phaseNumber, rowLabel, rowTitle } from "../../data/lb-data";
import type { LbData, PhaseObjects } from "../../data/report";
import { numbers, texts, type DataTable } from "../../format/dataset";
import { element } from "../../page/dom";
import type { ViewContext } from "../../page/view";
import { capital } from "../../format/words";
import { facts } from "../facts";

/** One rank (or block of ranks) in one phase: key numbers, its objects as list and tree map, and its subphases. */
export function rankDetail(host: HTMLElement, context: ViewContext<LbData>, position: number, row: number): void {
  const { section } = context;
  const name = `${rowTitle(section)} ${rowLabel(section, row)}`;
  const title = `${capital(name)} in phase ${phaseNumber(section, position)}`;
  host.append(element("h2", { class: "part-title" }, title));
  facts(host, section.quantities.map((quantity) => {
    const values = quantity.values[position] ?? [];
    const mean = values.reduce<number>((sum, value) => sum + (value ?? 0), 0) / Math.max(values.length, 1);
    const value = values[row] ?? null;
    return {
      label: quantity.label, value, unit: quantity.unit,
      ...(value !== null && mean > 0 ? { detail: `${(value / mean).toFixed(2)} × the mean` } : {}),
    };
  }));
  const objects = objectsAt(section, position);
  if (objects) rankObjects(host, context, objects, row, title);
  else host.append(element("p", { class: "empty" }, "The report lists no objects of this phase."));
  subphases(host, section, position, row, title);
}

function rankObjects(host: HTMLElement, context: ViewContext<LbData>, objects: PhaseObjects, row: number, title: string): void {
  const { section, selection, open } = context;
  const size = section.ranks_per_row;
  const [first, last] = objectRange(objects, row * size, (row + 1) * size);
  const order = Array.from({ length: last - first }, (_, i) => first + i).sort((a, b) => objects.load_s[b]! - objects.load_s[a]!);
  if (order.length === 0) {
    host.append(element("p", { class: "empty" }, "It has no objects in this phase."));
    return;
  }
  const select = (item: number) => {
    selection.select({ object: String(section.entities.number[objects.entity[order[item]!]!]) });
    open("objects");
  };
  const columns = element("div", { class: "columns" });
  host.append(columns);
  const table = objectTable(section, objects, order);
  tableFigure(columns, "Objects by load", table, {
    visibleRows: 10,
    note: !objects.complete && "Only the heaviest objects of each rank are listed.",
    onSelect: select,
  });
  figure(columns, {
    title: "Load of the objects",
    caption: "Area and colour show the load. Click an object to see its life.",
  }, (body) => treeMap(body, {
    label: `Load of the objects of ${title}`,
    itemTitle: "object",
    unit: "s",
    values: order.map((i) => objects.load_s[i]!),
    itemLabel: (item) => objectLabel(section, objects.entity[order[item]!]!),
    height: 310,
    onSelect: select,
  }));
}

function objectTable(section: LbData, objects: PhaseObjects, order: number[]): DataTable {
  const { entities } = section;
  const entity = (i: number) => objects.entity[order[i]!]!;
  return {
    length: order.length,
    columns: [
      { key: "object", label: "Object", unit: "id", get: (i) => entities.number[entity(i)]! },
      ...(entities.index.some((index) => index !== "") ? [texts("index", "Index", (i) => entities.index[entity(i)]!)] : []),
      { ...numbers("load_s", "Load", "s", (i) => objects.load_s[order[i]!]), bar: objects.load_s[order[0]!]! },
      texts("migratable", "Migratable", (i) => (entities.migratable[entity(i)] ? "yes" : "no")),
    ],
  };
}

function subphases(host: HTMLElement, section: LbData, position: number, row: number, title: string): void {
  const found = section.subphases.find((each) => each.phase === position);
  if (!found) return;
  const count = found.loads_s.length;
  const ranks = found.loads_s[0]?.length ?? 0;
  const means = found.loads_s.map((loads) => loads.reduce((a, b) => a + b, 0) / Math.max(ranks, 1));
  figure(host, {
    title: `Subphases of ${title.charAt(0).toLowerCase()}${title.slice(1)}`,
    caption: "Load of the rank in each subphase, beside the mean of all ranks.",
  }, (body) => barChart(body, {
    label: `Subphases of ${title}`,
    itemTitle: "subphase", count, itemLabel: (item) => String(found.ids[item]), unit: "s", height: 180,
    series: [
      { label: `${rowTitle(section)} ${rowLabel(section, row)}`, values: found.loads_s.map((loads) => loads[row] ?? null) },
      { label: "mean", values: means, colour: "#d55e00" },
    ],
  }));
  const values = Float64Array.from({ length: ranks * count }, (_, i) => found.loads_s[i % count]![Math.floor(i / count)]!);
  figure(host, { title: `Load by rank and subphase in phase ${phaseNumber(section, position)}` }, (body) => heatMap(body, {
    label: "Load by rank and subphase", rows: ranks, columns: count, values, unit: "s",
    rowTitle: rowTitle(section), columnTitle: "subphase",
    rowLabel: (rank) => rowLabel(section, rank), columnLabel: (item) => String(found.ids[item]),
    selected: { row, column: null },
  }));
}
