// The patterns of calls in their order, as a strip of colours.
import { Canvas } from "../../charts/canvas";
import { classColours } from "../../charts/colour";
import { figure, type Chart } from "../../charts/figure";
import { labelled } from "../../charts/heat-map";
import { makeInteractive, stepInRow } from "../../charts/interaction";
import { texts } from "../../format/dataset";
import { formatNumber } from "../../format/numbers";
import { countOf } from "../../format/words";
import { themeColour } from "../../page/theme";
import type { LeadPatterns } from "../../data/document-types";
import { parseList } from "./rank-list";

const margin = { left: 8, top: 22, right: 8, bottom: 24 };
const stripHeight = 34;

/** More patterns than colours share grey. */
const grey = "#8a8f98";

export function showPatternStrip(host: HTMLElement, lead: LeadPatterns, onSelect: (call: number) => void): void {
  const cycles = lead.timeline.filter(({ repeats }) => repeats > 1).map(({ first_call, last_call, repeats, cycle }) => {
    const steps = cycle.map(({ pattern, calls }) => (calls === 1 ? `#${pattern}` : `#${pattern} ${formatNumber(calls)} times`));
    return `Calls ${first_call}-${last_call} repeat a cycle ${countOf(repeats, "time")}: ${steps.join(", ")}.`;
  });
  figure(host, {
    title: `Patterns in the order of calls: ${lead.operation}, led by rank ${lead.lead}`,
    caption: cycles.slice(0, 3).join(" "),
  }, (body) => strip(body, lead, onSelect));
}

function strip(host: HTMLElement, lead: LeadPatterns, onSelect: (call: number) => void): Chart {
  const calls = callsInOrder(lead);
  const canvas = new Canvas();
  canvas.element.setAttribute("aria-label", `Patterns of ${countOf(calls.length, "call")} in their order. Use the arrow keys to read values.`);
  let width = 0;
  let pointed = -1;
  const x = (position: number) => margin.left + (position / calls.length) * width;

  function draw(): void {
    const { context } = canvas;
    context.clearRect(0, 0, canvas.width, canvas.height);
    calls.forEach(({ pattern }, position) => {
      context.fillStyle = colourOf(pattern);
      context.fillRect(x(position), margin.top, Math.max(width / calls.length, 0.5), stripHeight);
    });
    for (const position of labelled(calls.length, width / 70)) {
      canvas.text(`${calls[position]!.call}`, x(position + 0.5), margin.top + stripHeight + 13, "center");
    }
    drawLegend();
    if (pointed >= 0) {
      context.strokeStyle = themeColour("text");
      context.lineWidth = 2;
      context.strokeRect(x(pointed), margin.top - 1, Math.max(width / calls.length, 3), stripHeight + 2);
    }
  }

  function drawLegend(): void {
    let left = margin.left;
    for (const { pattern } of lead.patterns.slice(0, classColours.length)) {
      canvas.context.fillStyle = colourOf(pattern);
      canvas.context.fillRect(left, 4, 10, 10);
      canvas.text(`#${pattern}`, left + 15, 9);
      left += 50;
    }
    if (lead.patterns.length > classColours.length) canvas.text(`grey: ${countOf(lead.patterns.length - classColours.length, "other")}`, left, 9);
  }

  canvas.drawIn(host, (available) => {
    width = available - margin.left - margin.right;
    canvas.resize(available, margin.top + stripHeight + margin.bottom);
    draw();
  });
  makeInteractive(canvas, {
    locate: (px, py) => {
      const position = Math.floor(((px - margin.left) / width) * calls.length);
      return position >= 0 && position < calls.length && py >= margin.top && py <= margin.top + stripHeight ? position : -1;
    },
    describe: (position) => [`Call ${calls[position]!.call}`, `Pattern #${calls[position]!.pattern}`],
    step: (position, key) => stepInRow(position, key, calls.length),
    centre: (position) => ({ x: x(position + 0.5), y: margin.top + stripHeight / 2 }),
    select: (position) => onSelect(calls[position]!.call),
  }, (position) => {
    pointed = position;
    draw();
  });
  return {
    canvases: () => [canvas.element],
    data: () => ({
      length: calls.length,
      columns: [texts("call", "Call", (row) => calls[row]!.call), texts("pattern", "Pattern", (row) => calls[row]!.pattern)],
    }),
  };
}

function colourOf(pattern: number): string {
  return classColours[pattern] ?? grey;
}

function callsInOrder({ patterns }: LeadPatterns): { call: number; pattern: number }[] {
  return patterns
    .flatMap(({ pattern, call_ids }) => parseList(call_ids).map((call) => ({ call, pattern })))
    .sort((a, b) => a.call - b.call);
}
