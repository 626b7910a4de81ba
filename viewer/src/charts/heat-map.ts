import { formatNumber, formatTick } from "../format/numbers";
import { numbers, type DataTable } from "../format/dataset";
import { themeColour } from "../page/theme";
import { Canvas } from "./canvas";
import { css, sequentialColour, sequentialPalette } from "./colour";
import type { Chart } from "./figure";
import { makeInteractive } from "./interaction";
import { ticks, valueScale, type ValueScale } from "./scale";

export interface HeatMapOptions {
  /** What the map shows, for screen readers. */
  label: string;
  rows: number;
  columns: number;
  /** Values row by row; NaN where there is none. */
  values: Float64Array;
  unit: string;
  rowTitle: string;
  columnTitle: string;
  rowLabel(row: number): string;
  columnLabel(column: number): string;
  logarithmic?: boolean;
  /** Draws square cells, for a matrix whose rows and columns are the same things. */
  square?: boolean;
  selected?: { row: number | null; column: number | null };
  onSelect?: (row: number, column: number) => void;
}

const margin = { left: 64, top: 10, right: 96, bottom: 44 };

/**
 * Draws a matrix as colours. If it has more rows or columns than pixels, each pixel shows the largest value behind it, so
 * that no peak is lost.
 */
export function heatMap(host: HTMLElement, options: HeatMapOptions): Chart & { mark(row: number | null, column: number | null): void } {
  const { rows, columns, values } = options;
  const scale = valueScale(present(values), options.logarithmic ?? false);
  const canvas = new Canvas();
  canvas.element.setAttribute("aria-label", summary(options, values));
  let selected = options.selected ?? { row: null, column: null };
  let pointed = -1;
  let plot = { width: 0, height: 0 };
  let image: HTMLCanvasElement | null = null;

  function layOut(width: number): void {
    const available = Math.max(width - margin.left - margin.right, 60);
    const height = options.square ? Math.min(available, 520) : Math.min(Math.max(rows * 14, 96), 448);
    plot = { width: options.square ? height : available, height };
    canvas.resize(options.square ? height + margin.left + margin.right : width, height + margin.top + margin.bottom);
    image = cellImage(options, scale, plot);
    draw();
  }

  function draw(): void {
    if (!image) return;
    const { context } = canvas;
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.imageSmoothingEnabled = false;
    context.drawImage(image, margin.left, margin.top, plot.width, plot.height);
    context.strokeStyle = themeColour("line");
    context.strokeRect(margin.left - 0.5, margin.top - 0.5, plot.width + 1, plot.height + 1);
    drawLabels();
    drawLegend(canvas, scale, options.unit, margin.left + plot.width + 18, margin.top, plot.height);
    drawMarks();
  }

  function drawLabels(): void {
    const cell = { width: plot.width / columns, height: plot.height / rows };
    for (const row of labelled(rows, plot.height / 22)) {
      canvas.text(options.rowLabel(row), margin.left - 8, margin.top + (row + 0.5) * cell.height, "right");
    }
    for (const column of labelled(columns, plot.width / 56)) {
      canvas.text(options.columnLabel(column), margin.left + (column + 0.5) * cell.width, margin.top + plot.height + 13, "center");
    }
    canvas.text(options.columnTitle, margin.left + plot.width / 2, margin.top + plot.height + 33, "center");
    canvas.context.save();
    canvas.context.translate(14, margin.top + plot.height / 2);
    canvas.context.rotate(-Math.PI / 2);
    canvas.text(options.rowTitle, 0, 0, "center");
    canvas.context.restore();
  }

  function drawMarks(): void {
    const { context } = canvas;
    const cell = { width: plot.width / columns, height: plot.height / rows };
    context.lineWidth = 2;
    context.strokeStyle = themeColour("mark");
    if (selected.column !== null && selected.column < columns) {
      context.strokeRect(margin.left + selected.column * cell.width, margin.top, cell.width, plot.height);
    }
    if (selected.row !== null && selected.row < rows) {
      context.strokeRect(margin.left, margin.top + selected.row * cell.height, plot.width, cell.height);
    }
    if (pointed >= 0) {
      const row = Math.floor(pointed / columns);
      context.strokeStyle = themeColour("text");
      context.strokeRect(margin.left + (pointed % columns) * cell.width, margin.top + row * cell.height,
        Math.max(cell.width, 3), Math.max(cell.height, 3));
    }
    context.lineWidth = 1;
  }

  canvas.drawIn(host, layOut);
  makeInteractive(canvas, {
    locate: (x, y) => {
      const column = Math.floor(((x - margin.left) / plot.width) * columns);
      const row = Math.floor(((y - margin.top) / plot.height) * rows);
      return row >= 0 && row < rows && column >= 0 && column < columns ? row * columns + column : -1;
    },
    describe: (item) => {
      const row = Math.floor(item / columns);
      const value = values[item]!;
      return [
        formatNumber(value, options.unit),
        `${options.rowTitle} ${options.rowLabel(row)}`,
        `${options.columnTitle} ${options.columnLabel(item % columns)}`,
      ];
    },
    step: (item, key) => stepInGrid(item, key, rows, columns),
    centre: (item) => ({
      x: margin.left + (((item % columns) + 0.5) / columns) * plot.width,
      y: margin.top + ((Math.floor(item / columns) + 0.5) / rows) * plot.height,
    }),
    ...(options.onSelect && { select: (item: number) => options.onSelect!(Math.floor(item / columns), item % columns) }),
  }, (item) => {
    pointed = item;
    draw();
  });
  return {
    canvases: () => [canvas.element],
    data: () => cellTable(options),
    mark: (row, column) => {
      selected = { row, column };
      draw();
    },
  };
}

function* present(values: Float64Array): Iterable<number> {
  for (const value of values) if (!Number.isNaN(value)) yield value;
}

/** The cells as an image with at most one pixel per pixel of the plot. */
function cellImage(options: HeatMapOptions, scale: ValueScale, plot: { width: number; height: number }): HTMLCanvasElement {
  const { rows, columns, values } = options;
  const image = document.createElement("canvas");
  image.width = Math.max(1, Math.min(columns, Math.floor(plot.width)));
  image.height = Math.max(1, Math.min(rows, Math.floor(plot.height)));
  const largest = new Float64Array(image.width * image.height).fill(NaN);
  for (let row = 0; row < rows; row++) {
    const y = Math.floor((row * image.height) / rows);
    for (let column = 0; column < columns; column++) {
      const value = values[row * columns + column]!;
      const pixel = y * image.width + Math.floor((column * image.width) / columns);
      if (!Number.isNaN(value) && !(largest[pixel]! >= value)) largest[pixel] = value;
    }
  }
  const palette = sequentialPalette();
  const context = image.getContext("2d")!;
  const pixels = context.createImageData(image.width, image.height);
  largest.forEach((value, pixel) => {
    if (Number.isNaN(value)) return;
    const colour = palette[Math.round(scale.share(value) * 255)]!;
    pixels.data.set([...colour, 255], pixel * 4);
  });
  context.putImageData(pixels, 0, 0);
  return image;
}

/** Draws the colour bar of a scale with round numbers. */
export function drawLegend(canvas: Canvas, scale: ValueScale, unit: string, left: number, top: number, height: number, opacity = 1): void {
  const { context } = canvas;
  const barHeight = Math.min(height, 220);
  const width = 12;
  context.globalAlpha = opacity;
  for (let y = 0; y < barHeight; y++) {
    context.fillStyle = css(sequentialColour(1 - y / (barHeight - 1)));
    context.fillRect(left, top + y, width, 1);
  }
  context.globalAlpha = 1;
  const shown = scale.logarithmic
    ? [scale.minimum, scale.maximum, ...powers(scale.minimum, scale.maximum, unit === "bytes" ? 32 : 10)]
    : ticks(scale.minimum, scale.maximum, Math.max(2, Math.floor(barHeight / 48)), unit);
  const taken: number[] = [];
  for (const value of shown) {
    const y = top + (1 - scale.share(value)) * (barHeight - 1);
    if (taken.some((other) => Math.abs(other - y) < 14)) continue;
    canvas.text(formatTick(value, unit), left + width + 6, Math.min(Math.max(y, top + 5), top + barHeight - 5));
    taken.push(y);
  }
}

/** Powers of a base between two values. */
function powers(minimum: number, maximum: number, base: number): number[] {
  const result: number[] = [];
  const first = Math.ceil(Math.log(minimum) / Math.log(base));
  for (let power = first; base ** power < maximum; power++) result.push(base ** power);
  return result;
}

/** Positions of labels: evenly spaced, at most `most`. */
export function labelled(count: number, most: number): number[] {
  return ticks(0, count - 1, Math.max(1, most)).filter((tick) => Number.isInteger(tick) && tick < count);
}

function stepInGrid(item: number, key: string, rows: number, columns: number): number {
  if (item < 0) return 0;
  const row = Math.floor(item / columns);
  const column = item % columns;
  switch (key) {
    case "ArrowLeft": return row * columns + Math.max(column - 1, 0);
    case "ArrowRight": return row * columns + Math.min(column + 1, columns - 1);
    case "ArrowUp": return Math.max(row - 1, 0) * columns + column;
    case "ArrowDown": return Math.min(row + 1, rows - 1) * columns + column;
    case "Home": return row * columns;
    default: return row * columns + columns - 1;
  }
}

function summary(options: HeatMapOptions, values: Float64Array): string {
  let peak = -1;
  values.forEach((value, i) => {
    if (!Number.isNaN(value) && (peak < 0 || value > values[peak]!)) peak = i;
  });
  if (peak < 0) return `${options.label}: no data`;
  const row = options.rowLabel(Math.floor(peak / options.columns));
  const column = options.columnLabel(peak % options.columns);
  return `${options.label}: ${options.rows} by ${options.columns} values. The largest, `
    + `${formatNumber(values[peak]!, options.unit)}, is at ${options.rowTitle} ${row}, ${options.columnTitle} ${column}. `
    + "Use the arrow keys to read values.";
}

function cellTable(options: HeatMapOptions): DataTable {
  const { columns, values } = options;
  const present: number[] = [];
  values.forEach((value, i) => { if (!Number.isNaN(value)) present.push(i); });
  return {
    length: present.length,
    columns: [
      { key: options.rowTitle, label: options.rowTitle, get: (i) => options.rowLabel(Math.floor(present[i]! / columns)) },
      { key: options.columnTitle, label: options.columnTitle, get: (i) => options.columnLabel(present[i]! % columns) },
      numbers("value", "value", options.unit, (i) => values[present[i]!]),
    ],
  };
}
