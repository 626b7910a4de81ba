import type { DataTable } from "../format/dataset";
import { button, element } from "../page/dom";
import { saveCsv } from "./figure";
import { tableView, type TableOptions, type TableView } from "./table";

interface TableFigureOptions extends Omit<TableOptions, "label" | "table"> {
  controls?: HTMLElement;
  /** Says why the table is empty, if it is. */
  empty?: string;
  note?: string | false | undefined;
}

/** A table with a title and the button that saves it as CSV. Returns null if it is empty. */
export function tableFigure(host: HTMLElement, title: string, table: DataTable, options: TableFigureOptions = {}): TableView | null {
  const tools = element("div", { class: "figure-tools" },
    button("CSV", `Save “${title}” as CSV`, () => saveCsv(title, table)));
  const result = element("section", { class: "figure", "aria-label": title },
    element("div", { class: "figure-head" }, element("h2", {}, title), options.controls ?? null, table.length > 0 && tools));
  host.append(result);
  let view: TableView | null = null;
  if (table.length === 0) result.append(element("p", { class: "empty" }, options.empty ?? "None."));
  else view = tableView(result, { label: title, table, ...options });
  if (options.note) result.append(element("p", { class: "note" }, options.note));
  return view;
}
