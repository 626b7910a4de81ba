import { checkBox, element } from "./dom";
import type { Selection } from "./selection";

/** Draws a part of a view again whenever the value that it depends on changes. */
export function redrawOn<Value>(
  host: HTMLElement,
  selection: Selection,
  value: () => Value,
  draw: (part: HTMLElement, value: Value) => void,
): void {
  const part = element("div");
  host.append(part);
  let last: Value | undefined;
  let first = true;
  const update = () => {
    // A part of a view that was drawn again itself is gone.
    if (!first && !part.isConnected) return stop();
    const now = value();
    if (!first && now === last) return;
    first = false;
    last = now;
    part.replaceChildren();
    draw(part, now);
  };
  const stop = selection.subscribe(update);
  update();
}

/** A check box that switches something which the address of the page carries under this name. */
export function toggle(selection: Selection, name: string, label: string): HTMLLabelElement {
  return checkBox(label, selection.isOn(name), (on) => selection.select({ [name]: on ? 1 : null }));
}
