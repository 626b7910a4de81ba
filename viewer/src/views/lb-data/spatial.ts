import { Canvas } from "../../charts/canvas";
import { figure, type Chart } from "../../charts/figure";
import { drawLegend } from "../../charts/heat-map";
import { makeInteractive, stepInRow } from "../../charts/interaction";
import { valueScale } from "../../charts/scale";
import { objectName, objectsAt, phaseNumber, rowOfRank, selectedPosition } from "../../data/lb-data";
import type { LbData, Quantity } from "../../data/report";
import { numbers, texts, type DataTable } from "../../format/dataset";
import { formatNumber } from "../../format/numbers";
import { button, checkBox, choice, element } from "../../page/dom";
import { redrawOn } from "../../page/redraw";
import { themeColour } from "../../page/theme";
import type { View, ViewContext } from "../../page/view";
import { capital } from "../facts";
import { phasePicker } from "./phase-picker";
import { drawScene, mostObjects, objectRadius, type Scene, type Viewport } from "./spatial-drawing";
import { gridSize, placeObjects, rankCorner, squareGrid, type Grid } from "./spatial-layout";
import { colouring, objectQuantities } from "./spatial-quantity";

const height = 560;

export const spatial: View<LbData> = {
  id: "spatial",
  title: "Spatial",
  purpose: "Ranks on a grid, with their objects inside: circles can migrate, squares cannot; areas show loads.",
  render(host, context) {
    const { section, selection } = context;
    const controls = element("div", { class: "controls" });
    host.append(controls);
    phasePicker(host, section, selection);
    redrawOn(host, selection,
      () => ["grid", "rankcolour", "colour", "edges"].map((name) => selection.text(name)).join(" ") + selectedPosition(section, selection),
      (part) => {
        controls.replaceChildren(...controlsOf(context));
        drawSpatial(part, context);
      });
  },
};

function gridOf({ section, selection }: ViewContext<LbData>): Grid {
  const [x = 0, y = 0, z = 1] = (selection.text("grid") ?? "").split(",").map(Number);
  return x * y * z >= section.info.ranks && x > 0 && y > 0 && z > 0 ? { x, y, z } : squareGrid(section.info.ranks);
}

function rankQuantity({ section, selection }: ViewContext<LbData>): Quantity | undefined {
  return section.quantities.find((each) => each.key === selection.text("rankcolour")) ?? section.quantities[0];
}

function controlsOf(context: ViewContext<LbData>): HTMLElement[] {
  const { section, selection } = context;
  const position = selectedPosition(section, selection);
  const grid = gridOf(context);
  const input = element("input", { type: "text", size: 9, value: `${grid.x},${grid.y},${grid.z}` });
  input.addEventListener("change", () => selection.select({ grid: input.value.replaceAll(/\s/g, "") }));
  const objects = objectsAt(section, position);
  const options = (list: { key: string; label: string }[]) => list.map((each) => ({ value: each.key, label: each.label }));
  return [
    choice("Colour ranks by", options(section.quantities), rankQuantity(context)?.key ?? "", (key) => selection.select({ rankcolour: key })),
    ...(objects ? [choice("Colour objects by", options(objectQuantities(objects, edgesAt(section, position))),
      selection.text("colour") ?? "load_s", (key) => selection.select({ colour: key }))] : []),
    element("label", { class: "control", title: "Ranks along x, y and z; their product must be at least the number of ranks" }, "Grid x,y,z", input),
    checkBox("Edges", selection.text("edges") !== "0", (show) => selection.select({ edges: show ? null : 0 })),
  ];
}

function edgesAt(section: LbData, position: number) {
  return section.edges.find((each) => each.phase === position);
}

function sceneOf(context: ViewContext<LbData>): Scene {
  const { section, selection } = context;
  const position = selectedPosition(section, selection);
  const grid = gridOf(context);
  const objects = objectsAt(section, position);
  const edges = edgesAt(section, position);
  const rankValues = rankQuantity(context)?.values[position] ?? [];
  const quantities = objects ? objectQuantities(objects, edges) : [];
  return {
    section, grid, rankValues, objects, edges,
    rankScale: valueScale(rankValues, false),
    places: objects ? placeObjects(objects, grid) : null,
    colours: objects ? colouring(section, objects, edges, quantities.find((each) => each.key === selection.text("colour")) ?? quantities[0]!) : null,
    heaviest: objects ? objects.load_s.reduce((a, b) => Math.max(a, b), 0) : 0,
    traffic: section.traffic.find((each) => each.phase === position),
    showEdges: selection.text("edges") !== "0",
  };
}

function drawSpatial(host: HTMLElement, context: ViewContext<LbData>): void {
  const { section, selection } = context;
  const scene = sceneOf(context);
  const phase = phaseNumber(section, selectedPosition(section, selection));
  figure(host, {
    title: `Ranks and objects in phase ${phase}`,
    caption: "Drag to move; zoom with the buttons, the keys + and −, or the wheel while Ctrl is pressed. Click a rank or an object to see it in detail.",
  }, (body) => spatialChart(body, context, scene));
}

function spatialChart(host: HTMLElement, context: ViewContext<LbData>, scene: Scene): Chart {
  const { section, selection, open } = context;
  const { ranks } = section.info;
  const canvas = new Canvas();
  const legend = new Canvas();
  const status = element("p", { class: "note", role: "status" });
  const main = element("div", { class: "spatial-canvas" });
  const port: Viewport = { left: 0, top: 0, zoom: 1 };
  const size = gridSize(scene.grid);
  let dragged = false;

  function fit(): void {
    port.zoom = Math.min((canvas.width - 16) / size.width, (canvas.height - 16) / size.height);
    port.left = (size.width - canvas.width / port.zoom) / 2;
    port.top = (size.height - canvas.height / port.zoom) / 2;
  }

  function zoomBy(factor: number, x = canvas.width / 2, y = canvas.height / 2): void {
    port.left += x / port.zoom * (1 - 1 / factor);
    port.top += y / port.zoom * (1 - 1 / factor);
    port.zoom *= factor;
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
  drawLegends(legend, scene, rankQuantity(context));
  canvas.drawIn(main, (width) => {
    canvas.resize(width, height);
    fit();
    draw(-1);
  });
  makeInteractive(canvas, {
    locate, centre,
    describe: (item) => describeItem(scene, item, rankQuantity(context)),
    step: (item, key) => stepInRow(item < ranks ? item : -1, key, ranks),
    select: (item) => {
      if (dragged) return;
      if (item < ranks) selection.select({ rank: item });
      else selection.select({ object: String(section.entities.number[scene.objects!.entity[item - ranks]!]) });
      open(item < ranks ? "ranks" : "objects");
    },
  }, draw);
  makeMovable(canvas, port, zoomBy, () => draw(-1), (moved) => { dragged = moved; });
  return { canvases: () => [canvas.element, legend.element], data: () => spatialTable(scene) };
}

function rankAt(scene: Scene, x: number, y: number): number {
  for (let rank = 0; rank < scene.section.info.ranks; rank++) {
    const corner = rankCorner(scene.grid, rank);
    if (x >= corner.x && x <= corner.x + 1 && y >= corner.y && y <= corner.y + 1) return rank;
  }
  return -1;
}

function makeMovable(canvas: Canvas, port: Viewport, zoomBy: (factor: number, x?: number, y?: number) => void, draw: () => void, onDrag: (moved: boolean) => void): void {
  let last: { x: number; y: number } | null = null;
  let distance = 0;
  canvas.element.addEventListener("pointerdown", (event) => {
    last = { x: event.clientX, y: event.clientY };
    distance = 0;
    onDrag(false);
    canvas.element.setPointerCapture(event.pointerId);
  });
  canvas.element.addEventListener("pointermove", (event) => {
    if (!last) return;
    distance += Math.abs(event.clientX - last.x) + Math.abs(event.clientY - last.y);
    port.left -= (event.clientX - last.x) / port.zoom;
    port.top -= (event.clientY - last.y) / port.zoom;
    last = { x: event.clientX, y: event.clientY };
    onDrag(distance > 4);
    draw();
  });
  canvas.element.addEventListener("pointerup", () => { last = null; });
  canvas.element.addEventListener("pointercancel", () => { last = null; });
  canvas.element.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const { x, y } = canvas.position(event);
    zoomBy(event.deltaY < 0 ? 1.2 : 1 / 1.2, x, y);
  }, { passive: false });
  canvas.element.addEventListener("keydown", (event) => {
    if (event.key === "+") zoomBy(1.5);
    else if (event.key === "-") zoomBy(1 / 1.5);
    else return;
    event.preventDefault();
  });
}

function sceneNote({ objects, edges, showEdges }: Scene, detailed: boolean): string {
  if (!objects) return "The report lists no objects of this phase: only ranks are drawn.";
  if (!detailed) return `More than ${formatNumber(mostObjects)} objects are in view: only ranks and the traffic between them are drawn. Zoom in to see objects.`;
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
  const lines = [capital(objectName(section, objects!.entity[object]!)), `rank ${objects!.rank[object]}`, `load: ${formatNumber(objects!.load_s[object], "s")}`];
  if (colours && colours.quantity.key !== "load_s") lines.push(`${colours.quantity.label}: ${colours.text(object)}`);
  if (!section.entities.migratable[objects!.entity[object]!]) lines.push("cannot migrate");
  return lines;
}

function drawLegends(legend: Canvas, scene: Scene, quantity: Quantity | undefined): void {
  legend.element.setAttribute("aria-hidden", "true");
  if (quantity) {
    legend.text(`Ranks: ${quantity.label}`, 16, 10);
    legend.context.globalAlpha = 0.4;
    drawLegend(legend, scene.rankScale, quantity.unit, 16, 26, 150);
    legend.context.globalAlpha = 1;
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
