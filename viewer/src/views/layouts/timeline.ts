// The layout drawn as boxes over processors (left to right) and time (top to bottom), as CIME's documents draw it. Processors
// of two kinds of nodes differ, so nodes take their place.
import { Canvas, fitText, font } from "../../charts/canvas";
import { figure, type Chart } from "../../charts/figure";
import { ticks } from "../../charts/scale";
import { hideTooltip, showTooltip } from "../../charts/tooltip";
import { numbers, texts, type DataTable } from "../../format/dataset";
import { formatNumber } from "../../format/numbers";
import { countOf } from "../../format/words";
import { themeColour } from "../../page/theme";
import { componentColours, formatTime, timeLabel } from "./components";
import { extentOf, widthOf } from "./extent";
import type { PlaceInfo, StudyInfo } from "../../data/document-types";

const left = 64;
const top = 8;
const bottom = 42;
const height = 440;

/** Borders of more nodes than this would hide the boxes. */
const mostNodeBorders = 64;

export function showTimeline(host: HTMLElement, solution: StudyInfo): void {
  const idle = solution.sensitivity ? ` Processors are idle outside the boxes: ${formatNumber(solution.sensitivity.idle, "share")} of the area.` : "";
  const options = {
    title: "Layout over time",
    caption: `Each box is a component on its processors while it runs. A thick border marks the critical path.${idle}`,
  };
  figure(host, options, (body) => timelineChart(body, solution));
}

function timelineChart(body: HTMLElement, solution: StudyInfo): Chart {
  const canvas = new Canvas();
  canvas.element.setAttribute("aria-label", describe(solution));
  const colours = componentColours(solution);
  const span = Math.max(...solution.places.map((place) => place.end), 0);
  const xOf = (processor: number) => left + (processor / widthOf(solution)) * (canvas.width - left - 8);
  const yOf = (time: number) => top + (span > 0 ? time / span : 0) * (height - top - bottom);

  canvas.drawIn(body, (width) => {
    canvas.resize(width, height);
    drawAxes(canvas, solution, span, xOf, yOf);
    for (const place of solution.places) {
      const { from, to } = extentOf(solution, place);
      const box = { x: xOf(from), y: yOf(place.start), right: xOf(to), bottom: yOf(place.end) };
      drawBox(canvas, place, box, colours.get(place.component)!);
    }
  });
  canvas.element.addEventListener("pointermove", (event) => {
    const { x, y } = canvas.position(event);
    const place = solution.places.find((candidate) => {
      const { from, to } = extentOf(solution, candidate);
      return xOf(from) <= x && x < xOf(to) && yOf(candidate.start) <= y && y < yOf(candidate.end);
    });
    if (place) showTooltip(event.clientX, event.clientY, tooltipOf(solution, place));
    else hideTooltip();
  });
  canvas.element.addEventListener("pointerleave", hideTooltip);
  return { canvases: () => [canvas.element], data: () => placeTable(solution) };
}

interface Box {
  x: number;
  y: number;
  right: number;
  bottom: number;
}

function drawBox(canvas: Canvas, place: PlaceInfo, { x, y, right, bottom }: Box, colour: string): void {
  const context = canvas.context;
  const width = right - x;
  const boxHeight = bottom - y;
  context.fillStyle = colour;
  context.globalAlpha = 0.28;
  context.fillRect(x, y, width, boxHeight);
  context.globalAlpha = 1;
  context.strokeStyle = colour;
  context.lineWidth = place.limiting ? 3 : 1;
  const inset = Math.min(context.lineWidth / 2, boxHeight / 2);
  context.strokeRect(x + inset, y + inset, Math.max(width - 2 * inset, 0.5), Math.max(boxHeight - 2 * inset, 0.5));
  if (boxHeight < 14 || width < 24) return;
  const lines = [place.component, countOf(place.tasks, "task"), formatNumber(place.cost, "s")];
  const shown = boxHeight >= 54 ? lines : [lines.join(" · ")];
  context.save();
  shown.forEach((line, i) => {
    context.font = font(boxHeight < 18 ? 11 : 12, i === 0 && shown.length > 1 ? "600" : "400");
    const text = fitText(context, line, width - 12);
    const middle = y + boxHeight / 2 + (i - (shown.length - 1) / 2) * 16;
    canvas.text(text, x + width / 2, middle, "center", themeColour("text"));
  });
  context.restore();
}

function drawAxes(canvas: Canvas, solution: StudyInfo, span: number, xOf: (processor: number) => number, yOf: (time: number) => number): void {
  const context = canvas.context;
  const width = widthOf(solution);
  const end = xOf(width);
  context.fillStyle = themeColour("page");
  context.fillRect(left, top, end - left, yOf(span) - top);
  context.strokeStyle = themeColour("line");
  context.lineWidth = 1;
  const perNode = solution.nodes?.tasks_per_node ?? 0;
  if (perNode > 0 && solution.processors / perNode <= mostNodeBorders) {
    for (let border = perNode; border < solution.processors; border += perNode) line(context, xOf(border), top, xOf(border), yOf(span));
  }
  for (const time of ticks(0, span, 5)) canvas.text(formatNumber(time, "s"), left - 8, Math.max(yOf(time), top + 6), "right");
  const [firstKind] = solution.partitions;
  if (firstKind) line(context, xOf(firstKind.nodes), top, xOf(firstKind.nodes), yOf(span));
  for (const processor of ticks(0, width, 6)) {
    const x = xOf(processor);
    line(context, x, yOf(span), x, yOf(span) + 4);
    canvas.text(formatNumber(processor), x, yOf(span) + 13, processor === 0 ? "left" : x > end - 12 ? "right" : "center");
  }
  canvas.text(axisLabel(solution), (left + end) / 2, height - 9, "center");
}

function axisLabel(solution: StudyInfo): string {
  const kinds = solution.partitions.map((kind) => `${countOf(kind.nodes, `${kind.name} node`)} of ${countOf(kind.tasks_per_node, "task")}`);
  if (kinds.length) return `nodes: ${kinds.join(", then ")}`;
  return solution.nodes ? `processors (${solution.nodes.tasks_per_node} per node)` : "processors";
}

function line(context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

function tooltipOf(solution: StudyInfo, place: PlaceInfo): string[] {
  return [
    place.component,
    `${countOf(place.tasks, "task")} on ${place.partition
      ? countOf(place.nodes ?? 0, `${place.partition} node`) : `processors ${place.root}–${place.root + place.processors - 1}`}`,
    `takes ${formatTime(solution, place.cost)}, from ${formatNumber(place.start, "s")} to ${formatNumber(place.end, "s")}`,
    place.limiting ? "on the critical path" : `may slow down by ${formatNumber(place.slack, "s")}`,
  ];
}

function describe(solution: StudyInfo): string {
  const parts = solution.places.map((place) => `${place.component} on ${place.tasks} tasks from ${formatNumber(place.start, "s")} to ${formatNumber(place.end, "s")}`);
  return `Timeline of ${solution.partitions.length ? axisLabel(solution) : `${solution.processors} processors`}, in ${timeLabel(solution)}: ${parts.join("; ")}`;
}

/** The places as a table, also for the view of the solution. */
export function placeTable(solution: StudyInfo): DataTable {
  const places = solution.places;
  const differsFromTasks = (of: (place: PlaceInfo) => number) => places.some((place) => of(place) !== place.tasks);
  const columns = [
    texts("component", "Component", (row) => places[row]!.component),
    numbers("tasks", "Tasks", "", (row) => places[row]!.tasks),
    ...(places.some((place) => place.threads !== 1) ? [numbers("threads", "Threads", "", (row) => places[row]!.threads)] : []),
    ...(differsFromTasks((place) => place.blocks) ? [numbers("blocks", "Blocks", "", (row) => places[row]!.blocks)] : []),
    ...(solution.partitions.length ? [texts("partition", "Kind of nodes", (row) => places[row]!.partition ?? "")] : []),
    numbers("root", "First processor", "", (row) => places[row]!.root),
    ...(differsFromTasks((place) => place.processors) ? [numbers("processors", "Processors", "", (row) => places[row]!.processors)] : []),
    ...(solution.nodes || solution.partitions.length ? [numbers("nodes", "Nodes", "", (row) => places[row]!.nodes)] : []),
    numbers("cost", "Time", "s", (row) => places[row]!.cost),
    numbers("start", "Starts at", "s", (row) => places[row]!.start),
    numbers("end", "Ends at", "s", (row) => places[row]!.end),
    texts("limiting", "Critical path", (row) => (places[row]!.limiting ? "yes" : "no")),
    numbers("slack", "Slack", "s", (row) => places[row]!.slack),
    numbers("gain_of_block", "Gain of one block", "s", (row) => places[row]!.gain_of_block),
    numbers("share", "Share of processor time", "share", (row) => places[row]!.share),
    texts("extrapolated", "Measured", (row) => (places[row]!.extrapolated ? "extrapolated" : "yes")),
  ];
  return { length: places.length, columns };
}
