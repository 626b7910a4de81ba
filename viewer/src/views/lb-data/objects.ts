import { tableFigure } from "../../charts/table-figure";
import { objectsAt, phaseNumber, selectedPosition, unitOfUserNumber } from "../../data/lb-data";
import type { LbData, PhaseObjects } from "../../data/report";
import { numbers, texts, type Column, type DataTable } from "../../format/dataset";
import { choice, element } from "../../page/dom";
import { redrawOn } from "../../page/redraw";
import type { View, ViewContext } from "../../page/view";
import { objectLife } from "./object-life";
import { phasePicker } from "./phase-picker";

export const objects: View<LbData> = {
  id: "objects",
  title: "Objects",
  purpose: "Find an object and follow it through the run: its load, its rank and its partners.",
  render(host, context) {
    const { section, selection } = context;
    if (section.objects.length === 0) {
      host.append(element("p", { class: "empty" }, "The report lists no objects."));
      return;
    }
    phasePicker(host, section, selection);
    redrawOn(host, selection, () => selectedPosition(section, selection), (part, position) => objectList(part, context, position));
    redrawOn(host, selection, () => selection.text("object"), (part) => {
      const entity = selectedEntity(context);
      if (entity >= 0) objectLife(part, context, entity);
      else part.append(element("p", { class: "empty" }, "Select an object in the table to see its life."));
    });
  },
};

function selectedEntity({ section, selection }: ViewContext<LbData>): number {
  const number = selection.text("object");
  return number === null ? -1 : section.entities.number.findIndex((each) => String(each) === number);
}

function objectList(host: HTMLElement, context: ViewContext<LbData>, position: number): void {
  const { section, selection } = context;
  const listed = objectsAt(section, position);
  const title = `Objects in phase ${phaseNumber(section, position)}`;
  if (!listed) {
    host.append(element("p", { class: "empty" }, "The report lists no objects of this phase."));
    return;
  }
  const table = objectTable(section, listed);
  const controls = element("div", { class: "controls" });
  const view = tableFigure(host, title, table, {
    controls, filter: true,
    filterHint: "Number, index or collection",
    sortBy: { key: "load_s", descending: true },
    note: !listed.complete && "Only the heaviest objects of each rank are listed.",
    onSelect: (row) => selection.select({ object: String(section.entities.number[listed.entity[row]!]) }),
  });
  const collections = collectionsOf(section, listed);
  if (collections.length > 1) {
    const options = [{ value: "", label: "all" }, ...collections.map((name) => ({ value: name, label: name }))];
    controls.append(choice("Collection", options, "", (name) => {
      view?.keepOnly(name === "" ? null : (row) => collectionName(section, listed.entity[row]!) === name);
    }));
  }
  view?.select(listed.entity.indexOf(selectedEntity(context)));
}

function objectTable(section: LbData, listed: PhaseObjects): DataTable {
  const { entities } = section;
  const entity = (row: number) => listed.entity[row]!;
  let heaviest = 0;
  for (const load of listed.load_s) if (load > heaviest) heaviest = load;
  const columns: Column[] = [
    { key: "object", label: "Object", unit: "id", get: (row) => entities.number[entity(row)]! },
    texts("collection", "Collection", (row) => entities.collection[entity(row)] ?? null),
    texts("index", "Index", (row) => entities.index[entity(row)] ?? null),
    { ...numbers("load_s", "Load", "s", listed.load_s), bar: heaviest },
    numbers("rank", "Rank", "id", listed.rank),
    numbers("home", "Home", "id", (row) => entities.home[entity(row)]),
    texts("migratable", "Migratable", (row) => (entities.migratable[entity(row)] ? "yes" : "no")),
    ...Object.entries(listed.fields).map(([name, values]) => numbers(name, name, unitOfUserNumber(name), values)),
  ];
  return { length: listed.entity.length, columns };
}

function collectionsOf(section: LbData, listed: PhaseObjects): string[] {
  const names = new Set<string>();
  for (const entity of listed.entity) names.add(collectionName(section, entity));
  return [...names].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
}

function collectionName(section: LbData, entity: number): string {
  return String(section.entities.collection[entity] ?? "none");
}
