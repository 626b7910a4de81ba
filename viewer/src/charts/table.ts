// A table that can be sorted, filtered and scrolled with hundreds of thousands of rows: only the visible rows are
// elements, and they are reused.
import type { Cell, Column, DataTable } from "../format/dataset";
import { formatNumber, unitSuffix } from "../format/numbers";
import { countOf } from "../format/words";
import { element, watchWidth } from "../page/dom";
import { isPaper } from "../page/theme";
import { font } from "./canvas";

export interface TableOptions {
  label: string;
  table: DataTable;
  /** Rows shown at once (fewer if the table is shorter). */
  visibleRows?: number;
  /** Shows a field that keeps the rows that contain a text. */
  filter?: boolean;
  /** What the filter finds, shown in its empty field. */
  filterHint?: string;
  /** Column by which the table is sorted at first. */
  sortBy?: { key: string; descending: boolean };
  onSelect?: (row: number) => void;
}

export interface TableView {
  /** Marks a row of the table and scrolls to it; -1 marks none. */
  select(row: number): void;
  /** Keeps only rows for which `keep` is true, in addition to the filter. */
  keepOnly(keep: ((row: number) => boolean) | null): void;
}

const rowHeight = 28;
const cellPadding = 8;
/** Borders on both sides. */
const frameWidth = 4;
const maximumWidth = 300;
/** Width to which long texts may be cut if the table would be too wide. */
const narrowestText = 110;
/** Browsers limit the height of elements; the scroll bar of longer tables stands for more rows per pixel. */
const maximumHeight = 12_000_000;

export function tableView(host: HTMLElement, options: TableOptions): TableView {
  const { table } = options;
  const available = contentWidth(host) - frameWidth;
  const { widths, headHeight } = columnWidths(table, available);
  const totalWidth = widths.reduce((sum, width) => sum + width, 0);
  let keep: ((row: number) => boolean) | null = null;
  let filterText = "";
  let sort = options.sortBy ?? null;
  let order = new Uint32Array(0);
  let selected = -1;

  const visible = Math.max(1, Math.min(options.visibleRows ?? 14, table.length));
  const body = element("tbody");
  const headers = table.columns.map((column) => headerCell(column));
  for (const { cell } of headers) cell.style.height = `${headHeight}px`;
  const grid = element("table", { role: "grid", tabindex: 0, "aria-label": options.label, class: "data-table" },
    element("colgroup", {}, ...widths.map((width) => element("col", { style: `width:${width}px` }))),
    element("thead", {}, element("tr", { "aria-rowindex": 1 }, ...headers.map((header) => header.cell))),
    body);
  const frame = element("div", { class: "table-frame" }, grid);
  const spacer = element("div", { class: "table-spacer" }, frame);
  spacer.style.minWidth = `${totalWidth}px`;
  frame.style.height = `${visible * rowHeight + headHeight}px`;
  const scroller = element("div", { class: "table-scroller", scroll: () => requestDraw() }, spacer);
  const hint = element("span", { class: "table-hint" });
  scroller.style.height = `${visible * rowHeight + headHeight + 14}px`;
  // Paper cannot scroll.
  if (isPaper() && totalWidth > available) scroller.style.zoom = String(available / totalWidth);
  const status = element("p", { class: "table-status", role: "status" });
  const rows = Array.from({ length: visible + 1 }, () => createRow(table.columns));
  body.append(...rows.map((row) => row.element));
  if (options.filter) host.append(filterField());
  host.append(scroller, element("div", { class: "table-foot" }, status, hint));

  const viewHeight = visible * rowHeight;
  const totalHeight = () => Math.min(order.length * rowHeight, maximumHeight);
  const scrollRange = () => Math.max(totalHeight() - viewHeight, 0);
  const lastTop = () => Math.max(order.length - visible, 0);
  const topRow = () => (scrollRange() > 0 ? Math.min(scroller.scrollTop / scrollRange(), 1) * lastTop() : 0);

  let drawRequested = false;
  function requestDraw(): void {
    if (drawRequested) return;
    drawRequested = true;
    requestAnimationFrame(() => {
      drawRequested = false;
      draw();
    });
  }

  function draw(): void {
    const top = topRow();
    const first = Math.floor(top);
    body.style.transform = `translateY(${-Math.round((top - first) * rowHeight)}px)`;
    rows.forEach((row, i) => {
      const position = first + i;
      const index = position < order.length ? order[position]! : -1;
      row.show(index, position, index >= 0 && index === selected);
    });
  }

  function update(): void {
    order = sortedRows(table, sort, matchingRows(table, filterText, keep));
    grid.setAttribute("aria-rowcount", String(order.length + 1));
    spacer.style.height = `${totalHeight() + headHeight}px`;
    headers.forEach((header) => header.show(sort));
    const count = order.length === table.length
      ? countOf(table.length, "row")
      : `${formatNumber(order.length)} of ${countOf(table.length, "row")}`;
    status.textContent = isPaper() && visible < order.length ? `The first ${visible} of ${count}` : count;
    draw();
  }

  /** States which columns are beyond the right edge: not every browser shows scroll bars. */
  function showHidden(): void {
    let right = 0;
    const edge = scroller.scrollLeft + scroller.clientWidth;
    const hidden = widths.filter((width) => (right += width) > edge + 1).length;
    scroller.classList.toggle("continues", hidden > 0);
    hint.textContent = hidden > 0 ? `Scroll right for ${countOf(hidden, "more column")}.` : "";
  }

  function headerCell(column: Column) {
    const control = element("button", { type: "button" });
    wordsOf(column.label).forEach((word, i) => control.append(...(i > 0 ? [element("wbr")] : []), word));
    const cell = element("th", { scope: "col", class: column.unit === undefined ? "" : "numeric" }, control);
    control.title = `Sort by ${column.label}${column.unit ? unitSuffix(column.unit) : ""}`;
    control.addEventListener("click", () => {
      const numeric = column.unit !== undefined;
      sort = { key: column.key, descending: sort?.key === column.key ? !sort.descending : numeric };
      scroller.scrollTop = 0;
      update();
    });
    const show = (by: typeof sort) => {
      const direction = by?.key === column.key ? (by.descending ? "descending" : "ascending") : "none";
      cell.setAttribute("aria-sort", direction);
    };
    return { cell, show };
  }

  function filterField(): HTMLElement {
    let timer = 0;
    const input = element("input", { type: "search", placeholder: options.filterHint ?? "Filter rows", "aria-label": `Filter ${options.label}` });
    input.addEventListener("input", () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => {
        filterText = input.value.trim().toLowerCase();
        scroller.scrollTop = 0;
        update();
      }, 120);
    });
    return element("div", { class: "table-filter" }, input);
  }

  function mark(row: number): void {
    selected = row;
    draw();
  }

  function reveal(position: number): void {
    const top = topRow();
    const wanted = position < top ? position : position > top + visible - 1 ? position - visible + 1 : top;
    if (wanted !== top && lastTop() > 0) scroller.scrollTop = (wanted / lastTop()) * scrollRange();
  }

  body.addEventListener("click", (event) => {
    const index = Number((event.target as Element).closest("tr")?.dataset["row"] ?? -1);
    if (index < 0) return;
    mark(index);
    options.onSelect?.(index);
  });
  grid.addEventListener("keydown", (event) => {
    if (event.target !== grid) return;
    const steps: { [key: string]: number } = {
      ArrowDown: 1, ArrowUp: -1, PageDown: visible, PageUp: -visible, Home: -Infinity, End: Infinity,
    };
    const step = steps[event.key];
    if (step !== undefined) {
      const now = order.indexOf(selected);
      const next = Math.min(Math.max((now < 0 ? Math.floor(topRow()) - (step > 0 ? 1 : 0) : now) + step, 0), order.length - 1);
      selected = order[next] ?? -1;
      reveal(next);
      draw();
      const row = rows.find((candidate) => candidate.element.dataset["row"] === String(selected));
      if (row) grid.setAttribute("aria-activedescendant", row.element.id);
    } else if (event.key === "Enter" && selected >= 0) {
      options.onSelect?.(selected);
    } else {
      return;
    }
    event.preventDefault();
  });
  update();
  scroller.addEventListener("scroll", showHidden);
  watchWidth(scroller, showHidden);
  return {
    select: (row) => {
      const position = row >= 0 ? order.indexOf(row) : -1;
      if (position >= 0) reveal(position);
      mark(row);
    },
    keepOnly: (condition) => {
      keep = condition;
      scroller.scrollTop = 0;
      update();
    },
  };
}

/** Where a label may continue on the next line: after spaces and underscores. */
function wordsOf(label: string): string[] {
  return label.match(/[^ _]*[ _]+|[^ _]+$/g) ?? [label];
}

let rowNumber = 0;

function createRow(columns: Column[]) {
  const cells = columns.map((column) => element("td", { class: column.unit === undefined ? "" : "numeric" }));
  const row = element("tr", { id: `row-${rowNumber++}` }, ...cells);
  const show = (index: number, position: number, isSelected: boolean) => {
    row.style.visibility = index < 0 ? "hidden" : "";
    row.dataset["row"] = String(index);
    row.setAttribute("aria-selected", String(isSelected));
    if (index < 0) return;
    row.setAttribute("aria-rowindex", String(position + 2));
    columns.forEach((column, i) => showCell(cells[i]!, column, column.get(index), column.unitOf?.(index) ?? column.unit));
  };
  return { element: row, show };
}

function showCell(target: HTMLElement, column: Column, value: Cell, unit: string | undefined): void {
  const text = typeof value === "number" && unit !== undefined ? formatNumber(value, unit) : String(value ?? "–");
  if (target.textContent !== text) target.textContent = text;
  if (column.bar) {
    const share = typeof value === "number" ? Math.max(0, Math.min(1, value / column.bar)) : 0;
    target.style.setProperty("--share", `${(share * 100).toFixed(2)}%`);
    target.classList.add("bar-cell");
  }
  target.title = value === null ? "" : `${value}${typeof value === "number" ? unitSuffix(unit ?? "") : ""}`;
}

function contentWidth(host: HTMLElement): number {
  const { paddingLeft, paddingRight } = getComputedStyle(host);
  return host.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
}

/**
 * Widths in pixels from the labels and a sample of the values, so that columns stay in place while scrolling. If the table
 * is wider than `available`, labels have two lines; if that does not suffice, texts are cut, whose cells show them in full as
 * their titles.
 */
function columnWidths(table: DataTable, available: number): { widths: number[]; headHeight: number } {
  const context = document.createElement("canvas").getContext("2d")!;
  const valueWidths = table.columns.map((column) => valueWidth(table, column, context));
  const widthsOf = (labelWidth: (words: string[]) => number, mostOfTexts: number) => table.columns.map((column, i) => {
    context.font = font(13.5, "600");
    const head = labelWidth(wordsOf(column.label));
    const most = column.unit === undefined ? mostOfTexts : maximumWidth;
    return Math.ceil(Math.max(Math.min(head, maximumWidth), Math.min(valueWidths[i]!, most)) + 2 * cellPadding);
  });
  const oneLine = (words: string[]) => context.measureText(words.join("")).width;
  const twoLines = (words: string[]) => Math.min(...words.map((_, i) =>
    Math.max(context.measureText(words.slice(0, i).join("")).width, oneLine(words.slice(i)))));
  const fits = (widths: number[]) => widths.reduce((sum, width) => sum + width, 0) <= available;
  const wide = widthsOf(oneLine, maximumWidth);
  if (fits(wide)) return { widths: wide, headHeight: rowHeight };
  let mostOfTexts = maximumWidth;
  let widths = widthsOf(twoLines, mostOfTexts);
  while (!isPaper() && !fits(widths) && mostOfTexts > narrowestText) widths = widthsOf(twoLines, mostOfTexts -= 10);
  return { widths, headHeight: 1.6 * rowHeight };
}

/** Width of the widest of some values. */
function valueWidth(table: DataTable, column: Column, context: CanvasRenderingContext2D): number {
  context.font = font(13.5);
  let widest = 0;
  const step = Math.max(1, Math.floor(table.length / 50));
  for (let row = 0; row < table.length; row += step) {
    const value = column.get(row);
    const text = typeof value === "number" ? formatNumber(value, column.unitOf?.(row) ?? column.unit ?? "") : String(value ?? "");
    widest = Math.max(widest, context.measureText(text.slice(0, 200)).width);
  }
  return widest;
}

function matchingRows(table: DataTable, text: string, keep: ((row: number) => boolean) | null): Uint32Array {
  const result = new Uint32Array(table.length);
  let count = 0;
  for (let row = 0; row < table.length; row++) {
    if (keep && !keep(row)) continue;
    if (text && !table.columns.some((column) => contains(column, column.get(row), text))) continue;
    result[count++] = row;
  }
  return result.subarray(0, count);
}

function contains(column: Column, cell: Cell, text: string): boolean {
  if (cell === null) return false;
  // Measured numbers are not searched: nobody looks for digits in the middle of a load.
  if (typeof cell === "number" && column.unit !== undefined && column.unit !== "id") return false;
  return String(cell).toLowerCase().includes(text);
}

function sortedRows(table: DataTable, sort: { key: string; descending: boolean } | null, rows: Uint32Array): Uint32Array<ArrayBuffer> {
  const order = new Uint32Array(rows);
  const column = sort && table.columns.find((candidate) => candidate.key === sort.key);
  if (!column) return order;
  const sign = sort.descending ? -1 : 1;
  if (column.unit !== undefined) {
    const keys = new Float64Array(table.length);
    for (const row of rows) keys[row] = Number(column.get(row) ?? -Infinity);
    return order.sort((a, b) => sign * (keys[a]! - keys[b]!) || a - b);
  }
  const keys: string[] = new Array<string>(table.length);
  for (const row of rows) keys[row] = String(column.get(row) ?? "");
  // Collation is slow: long tables are sorted by code units.
  const compare = rows.length > 20_000
    ? (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
    : new Intl.Collator("en", { numeric: true }).compare;
  return order.sort((a, b) => sign * compare(keys[a]!, keys[b]!) || a - b);
}
