import { barChart } from "../../charts/bar-chart";
import { figure } from "../../charts/figure";
import { tableFigure } from "../../charts/table-figure";
import { objectsAt, phaseNumber, selectedPosition } from "../../data/lb-data";
import type { LbData, Report } from "../../data/report";
import { numbers, texts, type DataTable } from "../../format/dataset";
import { formatNumber } from "../../format/numbers";
import { countOf } from "../../format/words";
import { choice, element } from "../../page/dom";
import { shortNames } from "../../format/short-names";
import { themeColour } from "../../page/theme";
import { redrawOn } from "../../page/redraw";
import type { ViewContext } from "../../page/view";
import { facts } from "../facts";
import { movedObjects } from "./moved-objects";
import { phasePicker } from "./phase-picker";

/** Compares one phase of this data set with the same phase of another one in the report. */
export function otherDataSets(host: HTMLElement, context: ViewContext<LbData>): void {
  const { report, position, section, selection } = context;
  const others = dataSets(report).filter((each) => each.position !== position);
  const names = shortNames(report.sections.map((each) => each.name));
  const chosen = () => others.find((each) => each.position === selection.number("other")) ?? others[0]!;
  host.append(
    element("h2", { class: "part-title" }, "Other data sets"),
    element("div", { class: "controls" }, choice("Compare with",
      others.map((each) => ({ value: String(each.position), label: names[each.position]! })), String(chosen().position),
      (value) => selection.select({ other: value }))));
  phasePicker(host, section, selection);
  redrawOn(host, selection, () => `${selectedPosition(section, selection)} ${chosen().position}`,
    (part) => comparePhase(part, section, chosen().section, selectedPosition(section, selection), [names[position]!, names[chosen().position]!]));
}

function dataSets(report: Report): { position: number; section: LbData }[] {
  return report.sections.flatMap((section, position) => (section.kind === "lb_data" ? [{ position, section }] : []));
}

function comparePhase(host: HTMLElement, section: LbData, other: LbData, position: number, names: [string, string]): void {
  const phase = section.info.phases[position]!;
  const otherPosition = other.info.phases.findIndex((each) => each.phase === phase.phase);
  const otherPhase = other.info.phases[otherPosition];
  if (!otherPhase) {
    host.append(element("p", { class: "empty" }, `${other.name} has no phase ${phase.phase}.`));
    return;
  }
  facts(host, [
    { label: "Max load", value: otherPhase.max_load_s, unit: "s", detail: `here ${formatNumber(phase.max_load_s, "s")}` },
    { label: "Imbalance", value: otherPhase.imbalance, unit: "imbalance", detail: `here ${formatNumber(phase.imbalance, "imbalance")}` },
    { label: "Lower bound", value: otherPhase.lower_bound_s, unit: "s", detail: `here ${formatNumber(phase.lower_bound_s, "s")}` },
    { label: "Off-rank data", value: otherPhase.off_rank_bytes, unit: "bytes", detail: `here ${formatNumber(phase.off_rank_bytes, "bytes")}` },
    { label: "Objects", value: otherPhase.objects, detail: `here ${formatNumber(phase.objects)}` },
  ]);
  loadsSideBySide(host, section, other, position, otherPosition, names);
  movedTable(host, section, other, position, otherPosition);
}

function loadsSideBySide(host: HTMLElement, section: LbData, other: LbData, position: number, otherPosition: number, names: [string, string]): void {
  const loads = (of: LbData, at: number) => of.quantities.find((each) => each.key === "load_s")?.values[at];
  const before = loads(section, position);
  const after = loads(other, otherPosition);
  if (!before || !after || section.ranks_per_row !== other.ranks_per_row) return;
  figure(host, { title: "Load per rank here and there" }, (body) => barChart(body, {
    label: `Load per rank in ${section.name} and ${other.name}`,
    itemTitle: "rank", count: Math.max(before.length, after.length), unit: "s", height: 260,
    itemLabel: (row) => String(row * section.ranks_per_row),
    series: [{ label: names[0], values: before, colour: "#a8b3c2" }, { label: names[1], values: after, colour: themeColour("accent") }],
  }));
}

function movedTable(host: HTMLElement, section: LbData, other: LbData, position: number, otherPosition: number): void {
  const before = objectsAt(section, position);
  const after = objectsAt(other, otherPosition);
  if (!before || !after) return;
  const { common, moved } = movedObjects(section, before, other, after);
  const complete = before.complete && after.complete;
  const title = `Objects on other ranks in phase ${phaseNumber(section, position)}`;
  const table: DataTable = {
    length: moved.length,
    columns: [
      { key: "object", label: "Object", unit: "id", get: (row) => moved[row]!.number },
      texts("index", "Index", (row) => moved[row]!.index),
      numbers("load_s", "Load", "s", (row) => moved[row]!.load_s),
      numbers("rank_here", "Rank here", "id", (row) => moved[row]!.from),
      numbers("rank_there", "Rank there", "id", (row) => moved[row]!.to),
    ],
  };
  tableFigure(host, title, table, {
    filter: true, filterHint: "Number, index or rank", sortBy: { key: "load_s", descending: true },
    empty: sameRanks(common, Math.max(before.entity.length, after.entity.length)),
    note: !complete && "Only objects that both lists contain are compared: the heaviest of each rank.",
  });
}

/** What an empty table of moved objects means. */
function sameRanks(common: number, all: number): string {
  if (common === 0) return "The data sets have no object in common.";
  return common < all ? `The ${countOf(common, "object")} in both data sets are on the same ranks.` : "All objects are on the same ranks.";
}
