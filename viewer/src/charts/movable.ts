import type { Canvas } from "./canvas";

/** Window onto a drawing: position of its origin and pixels per unit. */
export interface Viewport {
  left: number;
  top: number;
  zoom: number;
}

/** Zooms around a point of the canvas. */
export function zoomAt(port: Viewport, factor: number, x: number, y: number): void {
  port.left += (x / port.zoom) * (1 - 1 / factor);
  port.top += (y / port.zoom) * (1 - 1 / factor);
  port.zoom *= factor;
}

/**
 * Lets the user drag a drawing and zoom with + and - or with the wheel while Ctrl is pressed. Returns a function that tells
 * whether the last press was a drag, not a click.
 */
export function makeMovable(canvas: Canvas, port: Viewport, draw: () => void): () => boolean {
  const zoomBy = (factor: number, x = canvas.width / 2, y = canvas.height / 2) => {
    zoomAt(port, factor, x, y);
    draw();
  };
  let last: { x: number; y: number } | null = null;
  let distance = 0;
  canvas.element.addEventListener("pointerdown", (event) => {
    last = { x: event.clientX, y: event.clientY };
    distance = 0;
    canvas.element.setPointerCapture(event.pointerId);
  });
  canvas.element.addEventListener("pointermove", (event) => {
    if (!last) return;
    distance += Math.abs(event.clientX - last.x) + Math.abs(event.clientY - last.y);
    port.left -= (event.clientX - last.x) / port.zoom;
    port.top -= (event.clientY - last.y) / port.zoom;
    last = { x: event.clientX, y: event.clientY };
    draw();
  });
  canvas.element.addEventListener("pointerup", () => { last = null; });
  canvas.element.addEventListener("pointercancel", () => { last = null; });
  canvas.element.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const { x, y } = canvas.position(event);
    zoomBy(event.deltaY < 0 ? 1.2 : 1 / 1.2, x, y);
  }, { passive: false });
  canvas.element.addEventListener("keydown", (event) => {
    if (event.key === "+") zoomBy(1.5);
    else if (event.key === "-") zoomBy(1 / 1.5);
    else return;
    event.preventDefault();
  });
  return () => distance > 4;
}
