import { Canvas } from "../../charts/canvas";
import type { Chart } from "../../charts/figure";
import { drawLegend } from "../../charts/heat-map";
import { makeInteractive, stepInRow } from "../../charts/interaction";
import { makeMovable, zoomAt, type Viewport } from "../../charts/movable";
import { objectName, rowOfRank } from "../../data/lb-data";
import type { LbData, Quantity } from "../../data/report";
import { numbers, texts, type DataTable } from "../../format/dataset";
import { formatNumber } from "../../format/numbers";
import { button, element } from "../../page/dom";
import { themeColour } from "../../page/theme";
import type { ViewContext } from "../../page/view";
import { capital } from "../../format/words";
import { drawScene, mostObjects, objectRadius, rankOpacity, type Scene } from "./spatial-drawing";
import { gridSize, rankCorner } from "./spatial-layout";

const height = 560;

/** Ranks and objects of a scene, which can be moved and zoomed, with the legends of their colours. */
export function spatialChart(host: HTMLElement, context: ViewContext<LbData>, scene: Scene, quantity: Quantity | undefined): Chart {
  const { section, selection, open } = context;
  const { ranks } = section.info;
  const canvas = new Canvas();
  const legend = new Canvas();
  const status = element("p", { class: "note", role: "status" });
  const main = element("div", { class: "spatial-canvas" });
  const port: Viewport = { left: 0, top: 0, zoom: 1 };
  const size = gridSize(scene.grid);

  function fit(): void {
    port.zoom = Math.min((canvas.width - 16) / size.width, (canvas.height - 16) / size.height);
    port.left = (size.width - canvas.width / port.zoom) / 2;
    port.top = (size.height - canvas.height / port.zoom) / 2;
  }

  function zoomBy(factor: number): void {
    zoomAt(port, factor, canvas.width / 2, canvas.height / 2);
    draw(-1);
  }

  function draw(current: number): void {
    const detailed = drawScene(canvas, scene, port);
    status.textContent = sceneNote(scene, detailed);
    if (current >= 0) drawCursor(current);
  }

  function centre(item: number): { x: number; y: number } {
    const corner = item < ranks ? rankCorner(scene.grid, item) : null;
    const x = corner ? corner.x + 0.5 : scene.places!.x[item - ranks]!;
    const y = corner ? corner.y + 0.5 : scene.places!.y[item - ranks]!;
    return { x: (x - port.left) * port.zoom, y: (y - port.top) * port.zoom };
  }

  function drawCursor(item: number): void {
    const { x, y } = centre(item);
    const half = item < ranks ? port.zoom / 2 : objectRadius(scene, item - ranks, port) + 2;
    canvas.context.strokeStyle = themeColour("mark");
    canvas.context.lineWidth = 2;
    canvas.context.strokeRect(x - half, y - half, 2 * half, 2 * half);
    canvas.context.lineWidth = 1;
  }

  /** The object at a position, or else its rank. Items 0 to ranks - 1 are ranks, and objects follow. */
  function locate(px: number, py: number): number {
    const x = px / port.zoom + port.left;
    const y = py / port.zoom + port.top;
    const rank = rankAt(scene, x, y);
    const { objects, places } = scene;
    if (rank < 0 || !objects || !places) return rank;
    for (let i = objects.rank.indexOf(rank); i >= 0 && objects.rank[i] === rank; i++) {
      if (places.half[i]! * port.zoom < 2) break;
      if (Math.abs(places.x[i]! - x) <= places.half[i]! && Math.abs(places.y[i]! - y) <= places.half[i]!) return ranks + i;
    }
    return rank;
  }

  canvas.element.setAttribute("aria-label", `${formatNumber(ranks)} ranks and ${formatNumber(scene.objects?.entity.length ?? 0)} objects. `
    + "Use the arrow keys to read ranks and Enter to open one; + and − zoom.");
  host.append(
    element("div", { class: "controls spatial-zoom" },
      button("+", "Zoom in", () => zoomBy(1.5)), button("−", "Zoom out", () => zoomBy(1 / 1.5)),
      button("All", "Show all ranks", () => { fit(); draw(-1); })),
    element("div", { class: "spatial" }, main, legend.element), status);
  legend.resize(170, height);
  drawLegends(legend, scene, quantity);
  canvas.drawIn(main, (width) => {
    canvas.resize(width, height);
    fit();
    draw(-1);
  });
  const dragged = makeMovable(canvas, port, () => draw(-1));
  makeInteractive(canvas, {
    locate, centre,
    describe: (item) => describeItem(scene, item, quantity),
    step: (item, key) => stepInRow(item < ranks ? item : -1, key, ranks),
    select: (item) => {
      if (dragged()) return;
      if (item < ranks) selection.select({ rank: item });
      else selection.select({ object: String(section.entities.number[scene.objects!.entity[item - ranks]!]) });
      open(item < ranks ? "ranks" : "objects");
    },
  }, draw);
  return { canvases: () => [canvas.element, legend.element], data: () => spatialTable(scene) };
}

function rankAt(scene: Scene, x: number, y: number): number {
  for (let rank = 0; rank < scene.section.info.ranks; rank++) {
    const corner = rankCorner(scene.grid, rank);
    if (x >= corner.x && x <= corner.x + 1 && y >= corner.y && y <= corner.y + 1) return rank;
  }
  return -1;
}

function sceneNote({ objects, edges, showEdges }: Scene, detailed: boolean): string {
  if (!objects) return "The report lists no objects of this phase: only ranks are drawn.";
  if (!detailed) {
    return `More than ${formatNumber(mostObjects)} objects are in view: only ranks and the traffic between them are drawn. `
      + "Zoom in to see objects.";
  }
  const parts = [];
  if (!objects.complete) parts.push("Only the heaviest objects of each rank are drawn.");
  if (showEdges && edges && !edges.complete) parts.push("Only the largest edges are drawn.");
  return parts.join(" ");
}

function describeItem(scene: Scene, item: number, quantity: Quantity | undefined): string[] {
  const { section, objects, colours, rankValues } = scene;
  const { ranks } = section.info;
  if (item < ranks) {
    return [`Rank ${item}`, ...(quantity ? [`${quantity.label}: ${formatNumber(rankValues[rowOfRank(section, item)], quantity.unit)}`] : [])];
  }
  const object = item - ranks;
  const lines = [
    capital(objectName(section, objects!.entity[object]!)),
    `rank ${objects!.rank[object]}`,
    `load: ${formatNumber(objects!.load_s[object], "s")}`,
  ];
  if (colours && colours.quantity.key !== "load_s") lines.push(`${colours.quantity.label}: ${colours.text(object)}`);
  if (!section.entities.migratable[objects!.entity[object]!]) lines.push("cannot migrate");
  return lines;
}

function drawLegends(legend: Canvas, scene: Scene, quantity: Quantity | undefined): void {
  legend.element.setAttribute("aria-hidden", "true");
  if (quantity) {
    legend.text(`Ranks: ${quantity.label}`, 16, 10);
    drawLegend(legend, scene.rankScale, quantity.unit, 16, 26, 150, rankOpacity);
  }
  const { colours } = scene;
  if (!colours) return;
  legend.text(`Objects: ${colours.quantity.label}`.slice(0, 26), 16, 214);
  if (colours.scale) drawLegend(legend, colours.scale, colours.quantity.unit, 16, 230, 150);
  colours.classes.slice(0, 12).forEach((each, i) => {
    legend.context.fillStyle = each.colour;
    legend.context.fillRect(16, 230 + i * 20, 12, 12);
    legend.text(each.name.slice(0, 18), 36, 236 + i * 20);
  });
}

function spatialTable({ section, objects }: Scene): DataTable {
  const { entities } = section;
  if (!objects) return { length: 0, columns: [] };
  return {
    length: objects.entity.length,
    columns: [
      { key: "object", label: "Object", unit: "id", get: (i) => entities.number[objects.entity[i]!]! },
      numbers("rank", "Rank", "id", objects.rank),
      numbers("load_s", "Load", "s", objects.load_s),
      texts("migratable", "Migratable", (i) => (entities.migratable[objects.entity[i]!] ? "yes" : "no")),
    ],
  };
}
