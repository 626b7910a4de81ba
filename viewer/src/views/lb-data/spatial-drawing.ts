// Draws ranks, objects and edges of one phase onto a canvas that can be panned and zoomed.
import type { Canvas } from "../../charts/canvas";
import { css, sequentialColour } from "../../charts/colour";
import type { Viewport } from "../../charts/movable";
import type { ValueScale } from "../../charts/scale";
import { rowOfRank } from "../../data/lb-data";
import type { LbData, PhaseEdges, PhaseObjects, PhaseTraffic } from "../../data/report";
import { themeColour } from "../../page/theme";
import { rankCorner, type Grid, type ObjectPlaces } from "./spatial-layout";
import type { Colouring } from "./spatial-quantity";

/** Objects drawn at once; with more in view, only ranks are drawn. */
export const mostObjects = 20_000;
const mostEdges = 4_000;
/** Ranks are paler than objects. */
export const rankOpacity = 0.4;

export interface Scene {
  section: LbData;
  grid: Grid;
  rankValues: (number | null)[];
  rankScale: ValueScale;
  objects: PhaseObjects | undefined;
  places: ObjectPlaces | null;
  colours: Colouring | null;
  /** Radius of an object in units, divided by the square root of its load. */
  radiusPerRoot: number;
  edges: PhaseEdges | undefined;
  traffic: PhaseTraffic | undefined;
  showEdges: boolean;
}

/** Draws the scene and tells whether objects were drawn. */
export function drawScene(canvas: Canvas, scene: Scene, port: Viewport): boolean {
  const { context } = canvas;
  context.clearRect(0, 0, canvas.width, canvas.height);
  drawRanks(canvas, scene, port);
  const visible = visibleObjects(canvas, scene, port);
  const detailed = visible !== null;
  if (scene.showEdges && !detailed) drawTraffic(canvas, scene, port);
  if (scene.showEdges && detailed) drawEdges(canvas, scene, port);
  if (detailed) drawObjects(canvas, scene, port, visible);
  return detailed;
}

function drawRanks(canvas: Canvas, { section, grid, rankValues, rankScale }: Scene, port: Viewport): void {
  const { context } = canvas;
  const side = port.zoom;
  for (let rank = 0; rank < section.info.ranks; rank++) {
    const corner = rankCorner(grid, rank);
    const x = (corner.x - port.left) * port.zoom;
    const y = (corner.y - port.top) * port.zoom;
    if (x + side < 0 || y + side < 0 || x > canvas.width || y > canvas.height) continue;
    context.globalAlpha = rankOpacity;
    context.fillStyle = css(sequentialColour(rankScale.share(rankValues[rowOfRank(section, rank)] ?? 0)));
    context.fillRect(x, y, side, side);
    context.globalAlpha = 1;
    context.strokeStyle = themeColour("line");
    context.strokeRect(x, y, side, side);
    if (side > 44) canvas.text(String(rank), x + 4, y + 9);
  }
}

/** Objects inside the canvas, or null if there are too many to draw. */
function visibleObjects(canvas: Canvas, { objects, places }: Scene, port: Viewport): number[] | null {
  if (!objects || !places) return null;
  const visible: number[] = [];
  const right = port.left + canvas.width / port.zoom;
  const bottom = port.top + canvas.height / port.zoom;
  for (let i = 0; i < objects.entity.length; i++) {
    if (places.x[i]! < port.left || places.x[i]! > right || places.y[i]! < port.top || places.y[i]! > bottom) continue;
    visible.push(i);
    if (visible.length > mostObjects) return null;
  }
  return visible;
}

/** Radius of an object in pixels: its area is in proportion to its load. */
export function objectRadius({ objects, radiusPerRoot }: Scene, object: number, port: Viewport): number {
  return Math.max(radiusPerRoot * Math.sqrt(objects!.load_s[object]!) * port.zoom, 1.3);
}

function drawObjects(canvas: Canvas, scene: Scene, port: Viewport, visible: number[]): void {
  const { context } = canvas;
  const { migratable } = scene.section.entities;
  const outline = themeColour("text");
  for (const object of visible) {
    const x = (scene.places!.x[object]! - port.left) * port.zoom;
    const y = (scene.places!.y[object]! - port.top) * port.zoom;
    const radius = objectRadius(scene, object, port);
    context.fillStyle = scene.colours!.colour(object);
    if (migratable[scene.objects!.entity[object]!]) {
      context.beginPath();
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.fill();
    } else {
      context.beginPath();
      context.rect(x - radius * 0.886, y - radius * 0.886, radius * 1.772, radius * 1.772);
      context.fill();
    }
    if (radius < 4) continue;
    context.globalAlpha = 0.45;
    context.strokeStyle = outline;
    context.stroke();
    context.globalAlpha = 1;
  }
}

function drawEdges(canvas: Canvas, { section, objects, places, edges }: Scene, port: Viewport): void {
  if (!edges || !objects || !places) return;
  const at = new Int32Array(section.entities.number.length).fill(-1);
  objects.entity.forEach((entity, i) => { at[entity] = i; });
  const count = Math.min(edges.from.length, mostEdges);
  const largest = edges.bytes[0] ?? 0;
  for (let i = count - 1; i >= 0; i--) {
    const from = at[edges.from[i]!]!;
    const to = at[edges.to[i]!]!;
    if (from < 0 || to < 0 || from === to) continue;
    drawLine(canvas, port, places.x[from]!, places.y[from]!, places.x[to]!, places.y[to]!, largest > 0 ? edges.bytes[i]! / largest : 0);
  }
}

function drawTraffic(canvas: Canvas, { section, grid, traffic }: Scene, port: Viewport): void {
  if (!traffic || section.ranks_per_row > 1) return;
  const order = traffic.from.map((_, i) => i).filter((i) => traffic.from[i] !== traffic.to[i]).sort((a, b) => traffic.bytes[b]! - traffic.bytes[a]!);
  const largest = traffic.bytes[order[0] ?? -1] ?? 0;
  for (const i of order.slice(0, mostEdges).reverse()) {
    const from = rankCorner(grid, traffic.from[i]!);
    const to = rankCorner(grid, traffic.to[i]!);
    drawLine(canvas, port, from.x + 0.5, from.y + 0.5, to.x + 0.5, to.y + 0.5, largest > 0 ? traffic.bytes[i]! / largest : 0);
  }
}

/** A line whose width and opacity grow with the volume (`share` of the largest). */
function drawLine(canvas: Canvas, port: Viewport, fromX: number, fromY: number, toX: number, toY: number, share: number): void {
  const { context } = canvas;
  context.globalAlpha = 0.05 + 0.5 * share;
  context.lineWidth = 0.6 + 1.6 * share;
  context.strokeStyle = themeColour("text");
  context.beginPath();
  context.moveTo((fromX - port.left) * port.zoom, (fromY - port.top) * port.zoom);
  context.lineTo((toX - port.left) * port.zoom, (toY - port.top) * port.zoom);
  context.stroke();
  context.globalAlpha = 1;
  context.lineWidth = 1;
}
