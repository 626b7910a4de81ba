import { numbers, texts } from "../format/dataset";
import { formatNumber, formatTick } from "../format/numbers";
import { themeColour } from "../page/theme";
import { Canvas, fitText } from "./canvas";
import type { Chart } from "./figure";
import { makeInteractive, stepInRow } from "./interaction";
import { ticks } from "./scale";

export interface ScatterPoint {
  label: string;
  x: number;
  y: number;
  filled: boolean;
  /** Draws the point in the colour of marks. */
  marked?: boolean;
}

export interface ScatterChartOptions {
  /** What the chart shows, for screen readers. */
  label: string;
  xTitle: string;
  yTitle: string;
  xUnit: string;
  yUnit: string;
  points: ScatterPoint[];
  height?: number;
  onSelect?: (point: number) => void;
}

const margin = { left: 84, top: 28, right: 24, bottom: 46 };

/** Draws labelled points. Points at one place share their label; one that would overlap another is shown only by the tooltip. */
export function scatterChart(host: HTMLElement, options: ScatterChartOptions): Chart {
  const { points } = options;
  const height = options.height ?? 300;
  const canvas = new Canvas();
  const right = points.reduce((maximum, point) => Math.max(maximum, point.x), 0) * 1.06 || 1;
  const top = points.reduce((maximum, point) => Math.max(maximum, point.y), 0) * 1.06 || 1;
  canvas.element.setAttribute("aria-label", `${options.label}: ${points.length} points. `
    + points.slice(0, 5).map((point) => `${describe(point)[0]}: ${describe(point).slice(1).join(", ")}`).join("; ")
    + ". Use the arrow keys to read values.");
  let width = 0;
  let pointed = -1;
  const x = (value: number) => margin.left + (value / right) * width;
  const y = (value: number) => margin.top + (1 - value / top) * height;

  function describe(point: ScatterPoint): string[] {
    return [point.label, `${options.xTitle}: ${formatNumber(point.x, options.xUnit)}`, `${options.yTitle}: ${formatNumber(point.y, options.yUnit)}`];
  }

  function draw(): void {
    canvas.context.clearRect(0, 0, canvas.width, canvas.height);
    drawAxes();
    points.forEach((point, i) => drawPoint(point, i === pointed));
    const taken = points.map((point) => ({ left: x(point.x) - 6, top: y(point.y), right: x(point.x) + 6 }));
    const byPlace = new Map<string, ScatterPoint[]>();
    for (const point of points) {
      const place = `${Math.round(x(point.x) / 4)} ${Math.round(y(point.y) / 4)}`;
      byPlace.set(place, [...(byPlace.get(place) ?? []), point]);
    }
    const groups = [...byPlace.values()].sort((a, b) => Number(b.some((each) => each.filled)) - Number(a.some((each) => each.filled)));
    for (const group of groups) drawLabel(group[0]!, group.map(({ label }) => label).join(", "), taken);
  }

  function drawAxes(): void {
    const { context } = canvas;
    context.strokeStyle = themeColour("line");
    for (const tick of ticks(0, top, 4, options.yUnit)) {
      line(margin.left, y(tick), margin.left + width, y(tick));
      canvas.text(formatTick(tick, options.yUnit), margin.left - 8, y(tick), "right");
    }
    for (const tick of ticks(0, right, Math.max(2, width / 110), options.xUnit)) {
      line(x(tick), margin.top, x(tick), margin.top + height);
      canvas.text(formatTick(tick, options.xUnit), x(tick), margin.top + height + 14, "center");
    }
    canvas.text(options.xTitle, margin.left + width / 2, margin.top + height + 34, "center");
    canvas.text(options.yTitle, 12, 12);
  }

  function line(fromX: number, fromY: number, toX: number, toY: number): void {
    canvas.context.beginPath();
    canvas.context.moveTo(fromX, fromY);
    canvas.context.lineTo(toX, toY);
    canvas.context.stroke();
  }

  function drawPoint(point: ScatterPoint, large: boolean): void {
    const { context } = canvas;
    context.beginPath();
    context.arc(x(point.x), y(point.y), large ? 7 : 5, 0, 2 * Math.PI);
    context.fillStyle = point.filled ? themeColour(point.marked ? "mark" : "accent") : themeColour("surface");
    context.strokeStyle = themeColour(point.marked ? "mark" : "accent");
    context.lineWidth = 1.75;
    context.fill();
    context.stroke();
    context.lineWidth = 1;
  }

  function drawLabel(point: ScatterPoint, text: string, taken: { left: number; top: number; right: number }[]): void {
    const label = fitText(canvas.context, text, 320);
    const wide = canvas.context.measureText(label).width;
    const left = x(point.x) + 10 + wide > margin.left + width ? x(point.x) - 10 - wide : x(point.x) + 10;
    const box = { left, top: y(point.y), right: left + wide };
    if (taken.some((other) => Math.abs(other.top - box.top) < 14 && other.left < box.right + 4 && box.left < other.right + 4)) return;
    taken.push(box);
    canvas.text(label, left, y(point.y), "left", themeColour("text"));
  }

  canvas.drawIn(host, (available) => {
    width = Math.max(available - margin.left - margin.right, 60);
    canvas.resize(available, height + margin.top + margin.bottom);
    draw();
  });
  makeInteractive(canvas, {
    locate: (px, py) => nearest(points.map((point) => Math.hypot(x(point.x) - px, y(point.y) - py)), 14),
    describe: (item) => describe(points[item]!),
    step: (item, key) => stepInRow(item, key, points.length),
    centre: (item) => ({ x: x(points[item]!.x), y: y(points[item]!.y) }),
    ...(options.onSelect && { select: options.onSelect }),
  }, (item) => {
    pointed = item;
    draw();
  });
  return {
    canvases: () => [canvas.element],
    data: () => ({
      length: points.length,
      columns: [
        texts("label", "label", (i) => points[i]!.label),
        numbers(options.xTitle, options.xTitle, options.xUnit, (i) => points[i]!.x),
        numbers(options.yTitle, options.yTitle, options.yUnit, (i) => points[i]!.y),
      ],
    }),
  };
}

/** Index of the smallest distance, or -1 if all are above `limit`. */
function nearest(distances: number[], limit: number): number {
  let best = -1;
  distances.forEach((distance, i) => { if (distance <= limit && (best < 0 || distance < distances[best]!)) best = i; });
  return best;
}
