import { watchWidth } from "../page/dom";
import { themeColour } from "../page/theme";

/** A canvas whose context uses CSS pixels. */
export class Canvas {
  readonly element = document.createElement("canvas");
  readonly context: CanvasRenderingContext2D;
  width = 0;
  height = 0;

  constructor() {
    this.context = this.element.getContext("2d")!;
    this.element.setAttribute("role", "img");
  }

  /** Sets the size in CSS pixels and clears the canvas. */
  resize(width: number, height: number): void {
    const ratio = window.devicePixelRatio || 1;
    this.width = width;
    this.height = height;
    this.element.width = Math.round(width * ratio);
    this.element.height = Math.round(height * ratio);
    this.element.style.width = `${width}px`;
    this.element.style.height = `${height}px`;
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.context.font = font();
    this.context.textBaseline = "middle";
  }

  /** Draws now and whenever the width of `host` changes. */
  drawIn(host: HTMLElement, draw: (width: number) => void): void {
    host.append(this.element);
    watchWidth(host, draw);
  }

  text(text: string, x: number, y: number, align: CanvasTextAlign = "left", colour = themeColour("text-soft")): void {
    this.context.fillStyle = colour;
    this.context.textAlign = align;
    this.context.fillText(text, x, y);
  }

  /** Position of a pointer event in CSS pixels of the canvas. */
  position(event: MouseEvent): { x: number; y: number } {
    const box = this.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }
}

export function font(size = 12, weight = "400"): string {
  return `${weight} ${size}px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif`;
}

/** Shortens text to a width in pixels, with an ellipsis. */
export function fitText(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (text.length > 200) text = text.slice(0, 200);
  if (context.measureText(text).width <= width) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(text.slice(0, middle) + "…").width <= width) low = middle;
    else high = middle - 1;
  }
  return low > 0 ? text.slice(0, low) + "…" : "";
}
