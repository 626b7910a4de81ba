import { figure } from "../../charts/figure";
import { lineChart } from "../../charts/line-chart";
import { tableFigure } from "../../charts/table-figure";
import { lifeOf, objectName, objectsAt, phaseNumber, selectedPosition } from "../../data/lb-data";
import type { LbData } from "../../data/report";
import { numbers, texts, type DataTable } from "../../format/dataset";
import { element } from "../../page/dom";
import { redrawOn } from "../../page/redraw";
import type { ViewContext } from "../../page/view";
import { capital } from "../../format/words";
import { facts } from "../facts";

/** One object over the phases: key numbers, load, rank, and the objects with which it communicates. */
export function objectLife(host: HTMLElement, context: ViewContext<LbData>, entity: number): void {
  const { section, selection } = context;
  const { entities } = section;
  const life = lifeOf(section, entity);
  const migrations = life.ranks.filter((rank, i) => i > 0 && rank !== life.ranks[i - 1]).length;
  const sum = life.loads.reduce((total, load) => total + load, 0);
  host.append(element("h2", { class: "part-title" }, capital(objectName(section, entity))));
  facts(host, [
    { label: "Phases listed", value: life.positions.length },
    { label: "Load in all of them", value: sum, unit: "s" },
    { label: "Largest load", value: life.loads.reduce((a, b) => Math.max(a, b), 0), unit: "s" },
    { label: "Migrations", value: migrations },
    { label: "Home", value: entities.home[entity] ?? null, unit: "id" },
    { label: "Migratable", value: entities.migratable[entity] ? "yes" : "no" },
  ]);
  if (life.positions.length > 1) {
    const shared = {
      xTitle: "phase",
      x: life.positions.map((position) => phaseNumber(section, position)),
      xLabel: (phase: number) => (Number.isInteger(phase) ? String(phase) : ""),
      syncKey: `life-${context.position}`, height: 180,
      onSelect: (index: number) => selection.select({ phase: phaseNumber(section, life.positions[index]!) }),
    };
    const columns = element("div", { class: "columns" });
    host.append(columns);
    figure(columns, { title: "Load" }, (body) => lineChart(body, {
      ...shared, label: "Load of the object over phases", unit: "s",
      series: [{ key: "load_s", label: "load", values: life.loads }],
    }));
    figure(columns, { title: "Rank" }, (body) => lineChart(body, {
      ...shared, label: "Rank of the object over phases", unit: "id",
      series: [{ key: "rank", label: "rank", values: life.ranks, stepped: true }],
    }));
  }
  redrawOn(host, selection, () => selectedPosition(section, selection), (part, position) => partnerTable(part, context, entity, position));
}

function partnerTable(host: HTMLElement, context: ViewContext<LbData>, entity: number, position: number): void {
  const { section, selection } = context;
  const title = `Partners in phase ${phaseNumber(section, position)}`;
  const edges = section.edges.find((each) => each.phase === position);
  const partners = edges ? partnersOf(section, entity, position) : null;
  if (!edges || !partners) {
    host.append(element("p", { class: "empty" }, `The report lists no communication of phase ${phaseNumber(section, position)}.`));
    return;
  }
  tableFigure(host, title, partners.table, {
    visibleRows: 10,
    empty: "The object communicates with no other object.",
    note: !edges.complete && "Only the largest edges of the phase are listed.",
    sortBy: { key: "sent_bytes", descending: true },
    onSelect: (row) => selection.select({ object: String(section.entities.number[partners.entities[row]!]) }),
  });
}

/** The entities with which an entity exchanged data in a phase, with sums of both directions. */
function partnersOf(section: LbData, entity: number, position: number): { entities: number[]; table: DataTable } {
  const edges = section.edges.find((each) => each.phase === position)!;
  const sent = new Map<number, number>();
  const received = new Map<number, number>();
  const add = (sums: Map<number, number>, partner: number, bytes: number) => sums.set(partner, (sums.get(partner) ?? 0) + bytes);
  edges.from.forEach((from, i) => {
    const to = edges.to[i]!;
    if (from === entity) add(sent, to, edges.bytes[i]!);
    if (to === entity) add(received, from, edges.bytes[i]!);
  });
  const partners = [...new Set([...sent.keys(), ...received.keys()])];
  const placed = objectsAt(section, position);
  const rankOf = new Map<number, number>(partners.map((partner) => [partner, placed?.entity.indexOf(partner) ?? -1]));
  const table = {
    length: partners.length,
    columns: [
      { key: "object", label: "Object", unit: "id", get: (row: number) => section.entities.number[partners[row]!]! },
      texts("index", "Index", (row) => section.entities.index[partners[row]!] ?? null),
      numbers("rank", "Rank", "id", (row) => placed?.rank[rankOf.get(partners[row]!)!]),
      numbers("sent_bytes", "Sent to it", "bytes", (row) => sent.get(partners[row]!) ?? 0),
      numbers("received_bytes", "Received from it", "bytes", (row) => received.get(partners[row]!) ?? 0),
    ],
  };
  return { entities: partners, table };
}
