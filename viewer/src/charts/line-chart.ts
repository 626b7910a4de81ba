import uPlot from "uplot";
import { numbers, texts } from "../format/dataset";
import { formatNumber, formatTick } from "../format/numbers";
import { announce, watchWidth } from "../page/dom";
import { themeColour } from "../page/theme";
import { font } from "./canvas";
import { logarithmicTicks, ticks } from "./scale";
import { classColours } from "./colour";
import type { Chart } from "./figure";

export interface LineSeries {
  key: string;
  label: string;
  values: (number | null)[];
  colour?: string;
  dashed?: boolean;
  /** Keeps each value until the next one, instead of interpolating. */
  stepped?: boolean;
  /** Draws points without a line. */
  pointsOnly?: boolean;
  /** Draws a line without points, even if there are few. */
  lineOnly?: boolean;
}

export interface LineChartOptions {
  /** What the chart shows, for screen readers. */
  label: string;
  xTitle: string;
  /** Horizontal positions, ascending. */
  x: number[];
  xLabel?: (x: number) => string;
  unit: string;
  series: LineSeries[];
  height?: number;
  logarithmic?: boolean;
  xLogarithmic?: boolean;
  /** Charts with the same key share cursor and zoom. */
  syncKey?: string;
  /** Index in `x` that is marked. */
  selected?: number | null;
  onSelect?: (index: number) => void;
}

export interface LineChart extends Chart {
  mark(index: number | null): void;
  resetZoom(): void;
}

/** Distances of labels on an axis of integers. */
const integerSteps = [1, 2, 5].flatMap((digit) => Array.from({ length: 12 }, (_, power) => digit * 10 ** power)).sort((a, b) => a - b);

/** Round numbers on a logarithmic axis, at least `distance` pixels apart on average. */
function logarithmicAxis(unit: string, distance: number, direction: "width" | "height"): uPlot.Axis {
  return {
    splits: (plot, _, minimum, maximum) => logarithmicTicks(minimum, maximum, Math.floor(plot[direction] / distance), unit),
    filter: (_, splits) => splits,
  };
}

let livePlots: uPlot[] = [];

/** Destroys the plots of views that were left, which would otherwise stay in their group of synchronised charts. */
function destroyAbandonedPlots(): void {
  for (const plot of livePlots) if (!plot.root.isConnected) plot.destroy();
  livePlots = livePlots.filter((plot) => plot.root.isConnected);
}

/**
 * Lines over a common x. Drag to zoom, double-click or press Escape to see all, click or press Enter to select a point;
 * the arrow keys move the cursor, + and - zoom around it.
 */
export function lineChart(host: HTMLElement, options: LineChartOptions): LineChart {
  destroyAbandonedPlots();
  let selected = options.selected ?? null;
  const xLabel = options.xLabel ?? ((x: number) => formatNumber(x));
  const limits = { min: options.x[0] ?? 0, max: options.x[options.x.length - 1] ?? 1 };
  const integers = !options.xLogarithmic && options.x.every(Number.isInteger);
  const colours = options.series.map((series, i) => series.colour ?? (i === 0 ? themeColour("accent") : classColours[i % classColours.length]!));
  const plotted = options.series.map(({ values }) => (options.logarithmic ? positive(values) : values));
  const axis = { stroke: themeColour("text-soft"), font: font(), grid: { stroke: themeColour("line"), width: 1 }, ticks: { show: false } };

  const plot = new uPlot({
    width: 600,
    height: options.height ?? 220,
    padding: [12, 16, 0, 0],
    scales: {
      x: { time: false, ...(options.xLogarithmic ? { distr: 3 as const } : {}), range: (_, minimum, maximum) => (limits.min < limits.max ? [minimum, maximum] : around(limits.min)) },
      y: options.logarithmic ? { distr: 3, range: (_, minimum, maximum) => [minimum / 1.2, maximum * 1.2] } : { range: (_, minimum, maximum) => [Math.min(0, minimum), maximum > 0 ? maximum * 1.05 : 1] },
    },
    axes: [
      {
        ...axis, label: options.xTitle, labelFont: font(), labelSize: 20, size: 28,
        ...(integers ? { incrs: integerSteps } : {}), ...(options.xLogarithmic ? logarithmicAxis("", 80, "width") : {}), values: (_, splits) => splits.map((split) => (split === null ? "" : xLabel(split))),
      },
      {
        ...axis, size: 76,
        ...(options.logarithmic ? logarithmicAxis(options.unit, 40, "height") : {
          splits: (_: uPlot, __: number, minimum: number, maximum: number) => ticks(minimum, maximum, 4, options.unit),
        }),
        values: (_, splits) => splits.map((split) => (split === null ? "" : formatTick(split, options.unit))),
      },
    ],
    series: [
      { label: options.xTitle, value: (_, value) => (value === null ? "" : xLabel(value)) },
      ...options.series.map((series, i) => seriesOptions(series, colours[i]!, options)),
    ],
    cursor: {
      drag: { x: true, y: false, dist: 4 },
      focus: { prox: 24 },
      ...(options.syncKey ? { sync: { key: options.syncKey } } : {}),
    },
    legend: { markers: { width: 0, fill: (_, i) => colours[i - 1] ?? "" } },
    hooks: { draw: [drawMark] },
  }, [options.x, ...plotted] as uPlot.AlignedData, host);

  /** A range around the only position, for which uPlot would show 0 to 100. */
  function around(x: number): uPlot.Range.MinMax {
    return options.xLogarithmic ? [x / 2, x * 2] : [x - 0.5, x + 0.5];
  }

  function drawMark(chart: uPlot): void {
    const x = selected === null ? undefined : options.x[selected];
    if (x === undefined) return;
    const position = Math.round(chart.valToPos(x, "x", true));
    const { ctx, bbox } = chart;
    if (position < bbox.left || position > bbox.left + bbox.width) return;
    ctx.save();
    ctx.strokeStyle = themeColour("mark");
    ctx.lineWidth = 2 * devicePixelRatio;
    ctx.setLineDash([]);
    ctx.beginPath();
    ctx.moveTo(position, bbox.top);
    ctx.lineTo(position, bbox.top + bbox.height);
    ctx.stroke();
    ctx.restore();
  }

  livePlots.push(plot);
  makeReachable(plot, options, xLabel, limits);
  watchWidth(host, (width) => plot.setSize({ width, height: options.height ?? 220 }));
  return {
    canvases: () => [plot.ctx.canvas],
    data: () => ({
      length: options.x.length,
      columns: [
        texts(options.xTitle, options.xTitle, (i) => options.x[i] ?? null),
        ...options.series.map((series) => numbers(series.key, series.label, options.unit, series.values)),
      ],
    }),
    mark: (index) => {
      selected = index;
      plot.redraw(false);
    },
    resetZoom: () => plot.setScale("x", limits),
  };
}

/** The values that a logarithmic scale can show. */
function positive(values: (number | null)[]): (number | null)[] {
  return values.map((value) => (value !== null && value > 0 ? value : null));
}

function seriesOptions(series: LineSeries, colour: string, options: LineChartOptions): uPlot.Series {
  const few = options.x.length <= 60;
  return {
    label: series.label,
    stroke: colour,
    width: series.pointsOnly ? 0 : 1.75,
    ...(series.dashed ? { dash: [6, 4] } : {}),
    ...(series.stepped ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {}),
    ...(series.pointsOnly ? { paths: () => null } : {}),
    points: { show: series.pointsOnly || (few && !series.lineOnly), size: series.pointsOnly ? 8 : 5, fill: colour },
    value: (_, value) => formatNumber(value, options.unit),
  };
}

/** Gives the plot a name, a place in the tab order, keys and clicks. */
function makeReachable(plot: uPlot, options: LineChartOptions, xLabel: (x: number) => string, limits: { min: number; max: number }): void {
  const area = plot.over;
  area.tabIndex = 0;
  area.setAttribute("role", "img");
  area.setAttribute("aria-label", summary(options, xLabel));
  plot.ctx.canvas.setAttribute("aria-hidden", "true");
  if (options.onSelect) area.style.cursor = "pointer";
  let pressed = 0;
  area.addEventListener("mousedown", (event) => { pressed = event.clientX; });
  area.addEventListener("click", (event) => {
    const index = plot.cursor.idx;
    if (Math.abs(event.clientX - pressed) < 4 && index !== null && index !== undefined) options.onSelect?.(index);
  });

  function moveTo(index: number): void {
    const x = options.x[index]!;
    plot.setCursor({ left: plot.valToPos(x, "x"), top: area.clientHeight / 2 });
    const values = options.series.map((series) => `${series.label} ${formatNumber(series.values[index], options.unit)}`);
    announce(`${options.xTitle} ${xLabel(x)}: ${values.join(", ")}`);
  }

  function zoom(factor: number): void {
    const { min, max } = plot.scales["x"]!;
    if (min === undefined || max === undefined || min === null || max === null) return;
    const centre = options.x[plot.cursor.idx ?? -1] ?? (min + max) / 2;
    zoomTo({
      min: Math.max(centre - (centre - min) * factor, limits.min),
      max: Math.min(centre + (max - centre) * factor, limits.max),
    });
  }

  function zoomTo(range: { min: number; max: number }): void {
    const plots = options.syncKey ? uPlot.sync(options.syncKey).plots : [plot];
    for (const each of plots) each.setScale("x", range);
  }

  area.addEventListener("keydown", (event) => {
    const last = options.x.length - 1;
    const index = plot.cursor.idx ?? -1;
    switch (event.key) {
      case "ArrowRight": moveTo(Math.min(index + 1, last)); break;
      case "ArrowLeft": moveTo(Math.max(index - 1, 0)); break;
      case "Home": moveTo(0); break;
      case "End": moveTo(last); break;
      case "+": zoom(0.5); break;
      case "-": zoom(2); break;
      case "Escape": zoomTo(limits); break;
      case "Enter": if (index >= 0) options.onSelect?.(index); break;
      default: return;
    }
    event.preventDefault();
  });
}

function summary(options: LineChartOptions, xLabel: (x: number) => string): string {
  const parts = options.series.map((series) => {
    let peak = -1;
    series.values.forEach((value, i) => {
      if (value !== null && (peak < 0 || value > series.values[peak]!)) peak = i;
    });
    return peak < 0
      ? `${series.label}: no data`
      : `${series.label}: at most ${formatNumber(series.values[peak], options.unit)}, at ${options.xTitle} ${xLabel(options.x[peak]!)}`;
  });
  return `${options.label}. ${parts.join("; ")}. Use the arrow keys to read values.`;
}
