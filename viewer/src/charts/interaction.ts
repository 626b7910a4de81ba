// One way to point at the items of a canvas, with mouse, touch or keyboard.
import { announce } from "../page/dom";
import type { Canvas } from "./canvas";
import { hideTooltip, showTooltip } from "./tooltip";

export interface Items {
  /** The item at a position in CSS pixels, or -1. */
  locate(x: number, y: number): number;
  /** Lines of the tooltip; the first is the title. */
  describe(item: number): string[];
  /** The item after `item` (-1: none yet) in the direction of an arrow key, Home or End. */
  step(item: number, key: string): number;
  /** Centre of an item in CSS pixels, for its tooltip. */
  centre(item: number): { x: number; y: number };
  select?(item: number): void;
}

const keys = new Set(["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"]);

/** Makes the items of a canvas reachable. `redraw` draws the mark of the current item (-1: none). */
export function makeInteractive(canvas: Canvas, items: Items, redraw: (current: number) => void): void {
  const target = canvas.element;
  target.tabIndex = 0;
  if (items.select) target.style.cursor = "pointer";
  let current = -1;

  function point(item: number): void {
    if (item === current) return;
    current = item;
    redraw(item);
  }

  function leave(): void {
    hideTooltip();
    point(-1);
  }

  target.addEventListener("pointermove", (event) => {
    const { x, y } = canvas.position(event);
    const item = items.locate(x, y);
    point(item);
    if (item < 0) hideTooltip();
    else showTooltip(event.clientX, event.clientY, items.describe(item));
  });
  target.addEventListener("pointerleave", leave);
  target.addEventListener("blur", leave);
  target.addEventListener("click", (event) => {
    const { x, y } = canvas.position(event);
    const item = items.locate(x, y);
    if (item >= 0) items.select?.(item);
  });
  target.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return leave();
    if ((event.key === "Enter" || event.key === " ") && current >= 0) {
      event.preventDefault();
      items.select?.(current);
      return;
    }
    if (!keys.has(event.key)) return;
    event.preventDefault();
    const item = items.step(current, event.key);
    if (item < 0) return;
    point(item);
    const box = target.getBoundingClientRect();
    const { x, y } = items.centre(item);
    const lines = items.describe(item);
    showTooltip(box.left + x, box.top + y, lines);
    announce(lines.join(", "));
  });
}

/** Steps through a row of `count` items with the arrow keys. */
export function stepInRow(item: number, key: string, count: number): number {
  switch (key) {
    case "Home": return 0;
    case "End": return count - 1;
    case "ArrowLeft": case "ArrowUp": return item < 0 ? count - 1 : Math.max(item - 1, 0);
    default: return Math.min(item + 1, count - 1);
  }
}
