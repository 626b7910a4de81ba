import { numbers, texts } from "../format/dataset";
import { formatNumber, formatTick } from "../format/numbers";
import { themeColour } from "../page/theme";
import { Canvas, fitText } from "./canvas";
import { classColours } from "./colour";
import type { Chart } from "./figure";
import { labelled } from "./heat-map";
import { makeInteractive, stepInRow } from "./interaction";
import { ticks } from "./scale";

export interface BarChartOptions {
  /** What the chart shows, for screen readers. */
  label: string;
  /** Name of the horizontal axis, such as "rank". */
  itemTitle: string;
  count: number;
  itemLabel(item: number): string;
  unit: string;
  /** One or more values per item, drawn side by side. */
  series: { label: string; values: ArrayLike<number | null>; colour?: string }[];
  /** Horizontal lines, such as the mean. */
  lines?: { label: string; value: number }[];
  height?: number;
  selected?: number | null;
  onSelect?: (item: number) => void;
}

const margin = { left: 76, top: 26, right: 16, bottom: 44 };

/** Draws vertical bars. If there are more items than pixels, each bar shows the largest value behind it. */
export function barChart(host: HTMLElement, options: BarChartOptions): Chart {
  const { count, series } = options;
  const canvas = new Canvas();
  const values = series.flatMap((each) => Array.from(each.values, (value) => value ?? 0));
  const top = Math.max(...(options.lines ?? []).map((line) => line.value), values.reduce((a, b) => Math.max(a, b), 0), 0) * 1.04 || 1;
  canvas.element.setAttribute("aria-label", summary(options));
  let plot = { width: 0, height: options.height ?? 220 };
  let pointed = -1;

  const x = (item: number) => margin.left + (item / count) * plot.width;
  const y = (value: number) => margin.top + (1 - value / top) * plot.height;
  const colour = (i: number) => series[i]!.colour ?? (i === 0 ? themeColour("accent") : classColours[i % classColours.length]!);

  function draw(): void {
    const { context } = canvas;
    context.clearRect(0, 0, canvas.width, canvas.height);
    drawAxes();
    if (pointed >= 0) {
      context.fillStyle = themeColour("hover");
      context.fillRect(x(pointed), margin.top, Math.max(plot.width / count, 2), plot.height);
    }
    series.forEach((each, i) => drawSeries(each.values, i));
    drawLines();
    drawSeriesNames();
    if (options.selected !== null && options.selected !== undefined) {
      context.strokeStyle = themeColour("mark");
      context.lineWidth = 2;
      context.strokeRect(x(options.selected), margin.top, Math.max(plot.width / count, 2), plot.height);
      context.lineWidth = 1;
    }
  }

  function drawAxes(): void {
    const { context } = canvas;
    for (const tick of ticks(0, top, 4, options.unit)) {
      context.strokeStyle = themeColour("line");
      context.beginPath();
      context.moveTo(margin.left, Math.round(y(tick)) + 0.5);
      context.lineTo(margin.left + plot.width, Math.round(y(tick)) + 0.5);
      context.stroke();
      canvas.text(formatTick(tick, options.unit), margin.left - 8, y(tick), "right");
    }
    const items = labelled(count, plot.width / 60);
    const room = x(items[1] ?? count) - x(items[0] ?? 0) - 8;
    for (const item of items) {
      canvas.text(fitText(context, options.itemLabel(item), room), x(item + 0.5), margin.top + plot.height + 13, "center");
    }
    canvas.text(options.itemTitle, margin.left + plot.width / 2, margin.top + plot.height + 33, "center");
  }

  function drawSeries(values: ArrayLike<number | null>, position: number): void {
    const { context } = canvas;
    const slot = plot.width / count;
    const gap = slot > 6 ? Math.min(slot * 0.2, 8) : 0;
    const width = (slot - gap) / series.length;
    context.fillStyle = colour(position);
    for (let item = 0; item < count; item++) {
      const value = values[item];
      if (!value) continue;
      const left = x(item) + gap / 2 + position * width;
      context.fillRect(left, y(value), Math.max(width - (width > 4 ? 1 : 0), 0.7), margin.top + plot.height - y(value));
    }
  }

  function drawLines(): void {
    const { context } = canvas;
    let lastLabel = -Infinity;
    for (const line of mergedLines(options.lines ?? [], top)) {
      context.strokeStyle = themeColour("text");
      context.setLineDash([5, 4]);
      context.beginPath();
      context.moveTo(margin.left, y(line.value));
      context.lineTo(margin.left + plot.width, y(line.value));
      context.stroke();
      context.setLineDash([]);
      const labelY = Math.max(y(line.value) - 8, lastLabel + 14);
      lastLabel = labelY;
      outlined(`${line.label} ${formatNumber(line.value, options.unit)}`, margin.left + plot.width - 6, labelY);
    }
  }

  function outlined(text: string, right: number, textY: number): void {
    canvas.context.textAlign = "right";
    canvas.context.lineWidth = 4;
    canvas.context.strokeStyle = themeColour("surface");
    canvas.context.strokeText(text, right, textY);
    canvas.context.lineWidth = 1;
    canvas.text(text, right, textY, "right", themeColour("text"));
  }

  function drawSeriesNames(): void {
    if (series.length < 2) return;
    let left = margin.left;
    series.forEach((each, i) => {
      canvas.context.fillStyle = colour(i);
      canvas.context.fillRect(left, 6, 10, 10);
      const label = fitText(canvas.context, each.label, plot.width / series.length - 34);
      canvas.text(label, left + 15, 11);
      left += canvas.context.measureText(label).width + 34;
    });
  }

  canvas.drawIn(host, (width) => {
    plot = { width: Math.max(width - margin.left - margin.right, 40), height: plot.height };
    canvas.resize(width, plot.height + margin.top + margin.bottom);
    draw();
  });
  makeInteractive(canvas, {
    locate: (px, py) => {
      const item = Math.floor(((px - margin.left) / plot.width) * count);
      return item >= 0 && item < count && py >= margin.top && py <= margin.top + plot.height ? item : -1;
    },
    describe: (item) => [
      `${options.itemTitle} ${options.itemLabel(item)}`,
      ...series.map((each) => `${series.length > 1 ? `${each.label}: ` : ""}${formatNumber(each.values[item], options.unit)}`),
    ],
    step: (item, key) => stepInRow(item, key, count),
    centre: (item) => ({ x: x(item + 0.5), y: y(series[0]!.values[item] ?? 0) }),
    ...(options.onSelect && { select: options.onSelect }),
  }, (item) => {
    pointed = item;
    draw();
  });
  return {
    canvases: () => [canvas.element],
    data: () => ({
      length: count,
      columns: [
        texts(options.itemTitle, options.itemTitle, (i) => options.itemLabel(i)),
        ...series.map((each) => numbers(each.label, each.label, options.unit, each.values)),
      ],
    }),
  };
}

/** Lines from the top; those that would be drawn over each other become one with both names. */
function mergedLines(lines: { label: string; value: number }[], top: number): { label: string; value: number }[] {
  const result: { label: string; value: number }[] = [];
  for (const line of [...lines].sort((a, b) => b.value - a.value)) {
    const last = result[result.length - 1];
    if (last && last.value - line.value < top * 0.005) last.label += `, ${line.label}`;
    else result.push({ ...line });
  }
  return result;
}

function summary(options: BarChartOptions): string {
  const parts = options.series.map((each) => {
    let peak = 0;
    for (let i = 1; i < options.count; i++) if ((each.values[i] ?? 0) > (each.values[peak] ?? 0)) peak = i;
    return `${each.label}: at most ${formatNumber(each.values[peak], options.unit)}, at ${options.itemTitle} ${options.itemLabel(peak)}`;
  });
  const lines = (options.lines ?? []).map((line) => `${line.label} ${formatNumber(line.value, options.unit)}`);
  return `${options.label}. ${[...parts, ...lines].join("; ")}. Use the arrow keys to read values.`;
}
