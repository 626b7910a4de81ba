import { download, fileName } from "../format/download";
import { toCsv, type DataTable } from "../format/dataset";
import { button, element } from "../page/dom";
import { themeColour } from "../page/theme";
import { font } from "./canvas";
import { tableView } from "./table";

export interface Chart {
  /** The drawing, or its parts from left to right. */
  canvases(): HTMLCanvasElement[];
  data(): DataTable;
}

interface FigureOptions {
  title: string;
  /** A sentence that says how to read the chart. */
  caption?: string;
  /** Controls of the chart, shown beside the title. */
  controls?: HTMLElement[];
}

/**
 * A figure with title, caption and the buttons of every chart: its data as a table and as CSV, and itself as PNG. `draw`
 * fills the body and returns the chart.
 */
export function figure(host: HTMLElement, options: FigureOptions, draw: (body: HTMLElement) => Chart): HTMLElement {
  const body = element("div", { class: "figure-body" });
  const tableHost = element("div", { class: "figure-table", hidden: true });
  const tools = element("div", { class: "figure-tools" });
  const heading = element("h2", {}, options.title);
  const result = element("figure", { class: "figure", "aria-label": options.title },
    element("div", { class: "figure-head" }, heading, element("div", { class: "controls" }, ...(options.controls ?? [])), tools),
    body, tableHost);
  if (options.caption) result.append(element("figcaption", {}, options.caption));
  host.append(result);
  const chart = draw(body);
  const dataButton = button("Data", `Show the data of “${options.title}” as a table`, () => {
    tableHost.hidden = !tableHost.hidden;
    dataButton.setAttribute("aria-expanded", String(!tableHost.hidden));
    tableHost.replaceChildren();
    if (!tableHost.hidden) tableView(tableHost, { label: options.title, table: chart.data() });
  });
  dataButton.setAttribute("aria-expanded", "false");
  tools.append(
    dataButton,
    button("CSV", `Save the data of “${options.title}” as CSV`, () => saveCsv(options.title, chart.data())),
    button("PNG", `Save “${options.title}” as PNG`, () => savePng(options.title, chart.canvases())),
  );
  return result;
}

export function saveCsv(title: string, table: DataTable): void {
  download(fileName(title, "csv"), new Blob([toCsv(table)], { type: "text/csv" }));
}

/** Saves canvases side by side under a title, on the background of the page. */
function savePng(title: string, parts: HTMLCanvasElement[]): void {
  const ratio = window.devicePixelRatio || 1;
  const head = 36 * ratio;
  const canvas = document.createElement("canvas");
  canvas.width = parts.reduce((sum, part) => sum + part.width, 0) + 24 * ratio;
  canvas.height = Math.max(...parts.map((part) => part.height)) + head + 12 * ratio;
  const context = canvas.getContext("2d")!;
  context.fillStyle = themeColour("surface");
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = themeColour("text");
  context.font = font(15 * ratio, "600");
  context.fillText(title, 12 * ratio, 23 * ratio);
  let left = 12 * ratio;
  for (const part of parts) {
    context.drawImage(part, left, head);
    left += part.width;
  }
  canvas.toBlob((image) => image && download(fileName(title, "png"), image), "image/png");
}
