import { phaseNumber, selectedPosition } from "../../data/lb-data";
import type { LbData } from "../../data/report";
import { button, element } from "../../page/dom";
import type { Selection } from "../../page/selection";

/** Slider and buttons that select the phase which a view shows; nothing if there is only one phase. */
export function phasePicker(host: HTMLElement, section: LbData, selection: Selection): void {
  const count = section.info.phases.length;
  if (count < 2) return;
  const slider = element("input", { type: "range", min: 0, max: count - 1, step: 1, "aria-label": "Phase" });
  const shown = element("output");
  const select = (position: number) => selection.select({ phase: phaseNumber(section, Math.min(Math.max(position, 0), count - 1)) });
  const show = () => {
    const position = selectedPosition(section, selection);
    slider.value = String(position);
    slider.setAttribute("aria-valuetext", `phase ${phaseNumber(section, position)}`);
    shown.textContent = `Phase ${phaseNumber(section, position)}`;
  };
  slider.addEventListener("input", () => select(Number(slider.value)));
  selection.subscribe(show);
  show();
  host.append(element("div", { class: "controls phase-picker" },
    shown,
    button("‹", "Previous phase", () => select(selectedPosition(section, selection) - 1)),
    slider,
    button("›", "Next phase", () => select(selectedPosition(section, selection) + 1)),
  ));
}
