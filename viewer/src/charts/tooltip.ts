import { element } from "../page/dom";

let tooltip: HTMLElement | null = null;

/** Shows lines of text beside a point of the window. The first line is the title. */
export function showTooltip(clientX: number, clientY: number, lines: string[]): void {
  if (!tooltip) {
    tooltip = element("div", { class: "tooltip", "aria-hidden": "true" });
    document.body.append(tooltip);
  }
  tooltip.replaceChildren(...lines.map((line, i) => element("div", i === 0 ? { class: "tooltip-title" } : {}, line)));
  tooltip.hidden = false;
  const { offsetWidth, offsetHeight } = tooltip;
  const left = clientX + 14 + offsetWidth > innerWidth ? clientX - offsetWidth - 14 : clientX + 14;
  const top = Math.min(clientY + 14, innerHeight - offsetHeight - 4);
  tooltip.style.left = `${Math.max(left, 4)}px`;
  tooltip.style.top = `${Math.max(top, 4)}px`;
}

export function hideTooltip(): void {
  if (tooltip) tooltip.hidden = true;
}
