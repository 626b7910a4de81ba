import { numbers, texts } from "../format/dataset";
import { formatNumber } from "../format/numbers";
import { themeColour } from "../page/theme";
import { Canvas, fitText, font } from "./canvas";
import { css, sequentialColour, textOn } from "./colour";
import type { Chart } from "./figure";
import { makeInteractive, stepInRow } from "./interaction";
import { valueScale } from "./scale";
import { treeMapLayout, type Rectangle } from "./tree-map-layout";

export interface TreeMapOptions {
  /** What the map shows, for screen readers. */
  label: string;
  itemTitle: string;
  unit: string;
  /** Values, largest first; values of 0 take no area. */
  values: number[];
  itemLabel(item: number): string;
  height?: number;
  onSelect?: (item: number) => void;
}

/** Draws each value as a rectangle whose area is in proportion to it. */
export function treeMap(host: HTMLElement, options: TreeMapOptions): Chart {
  const height = options.height ?? 300;
  const values = options.values.filter((value) => value > 0);
  const scale = valueScale(values, false);
  const canvas = new Canvas();
  canvas.element.setAttribute("aria-label", `${options.label}: ${values.length} rectangles. `
    + (values.length > 0 ? `The largest is ${options.itemLabel(0)} with ${formatNumber(values[0], options.unit)}. ` : "")
    + "Use the arrow keys to read values.");
  let boxes: Rectangle[] = [];
  let pointed = -1;

  function draw(): void {
    const { context } = canvas;
    context.clearRect(0, 0, canvas.width, canvas.height);
    boxes.forEach((box, item) => drawBox(box, item));
    const box = boxes[pointed];
    if (!box) return;
    context.strokeStyle = themeColour("mark");
    context.lineWidth = 2;
    context.strokeRect(box.x + 1, box.y + 1, box.width - 2, box.height - 2);
  }

  function drawBox(box: Rectangle, item: number): void {
    const { context } = canvas;
    const colour = sequentialColour(0.15 + 0.7 * scale.share(values[item]!));
    context.fillStyle = css(colour);
    const gap = box.width > 4 && box.height > 4 ? 1 : 0.25;
    context.fillRect(box.x, box.y, Math.max(box.width - gap, 0.3), Math.max(box.height - gap, 0.3));
    if (box.width < 48 || box.height < 20) return;
    context.font = font(12);
    canvas.text(fitText(context, options.itemLabel(item), box.width - 12), box.x + 6, box.y + 12, "left", textOn(colour));
    if (box.height > 36) canvas.text(formatNumber(values[item], options.unit), box.x + 6, box.y + 28, "left", textOn(colour));
  }

  canvas.drawIn(host, (width) => {
    canvas.resize(width, height);
    boxes = treeMapLayout(values, { x: 0, y: 0, width, height });
    draw();
  });
  makeInteractive(canvas, {
    locate: (x, y) => boxes.findIndex((box) => x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height),
    describe: (item) => [options.itemLabel(item), formatNumber(values[item], options.unit)],
    step: (item, key) => stepInRow(item, key, values.length),
    centre: (item) => ({ x: boxes[item]!.x + boxes[item]!.width / 2, y: boxes[item]!.y + boxes[item]!.height / 2 }),
    ...(options.onSelect && { select: options.onSelect }),
  }, (item) => {
    pointed = item;
    draw();
  });
  return {
    canvases: () => [canvas.element],
    data: () => ({
      length: values.length,
      columns: [
        texts(options.itemTitle, options.itemTitle, (i) => options.itemLabel(i)),
        numbers("value", "value", options.unit, values),
      ],
    }),
  };
}
