// Names, colours and units that all views of a layout share.
import { classColours } from "../../charts/colour";
import { formatNumber } from "../../format/numbers";
import type { StudyInfo } from "../../data/document-types";

/** Colour of each component, the same in all views. */
export function componentColours(solution: StudyInfo): Map<string, string> {
  const placed = solution.places.map((place) => place.component);
  const others = solution.models.map((model) => model.component).filter((name) => !placed.includes(name));
  return new Map([...placed, ...others].map((name, i) => [name, classColours[i % classColours.length]!]));
}

/** What a time of the solution covers; empty for the whole run. */
export function periodOf({ unit }: StudyInfo): string {
  return unit === "seconds_per_day" ? "per model day" : unit === "seconds_per_step" ? "per coupling step" : "";
}

/** What a time of the solution counts, for labels of axes. */
export function timeLabel(solution: StudyInfo): string {
  return `seconds ${periodOf(solution)}`.trim();
}

/** The time of the first line. Without analysis, it is the time by the models. */
export function expectedTime(solution: StudyInfo): number {
  return (solution.expected ?? solution).time;
}

export function formatTime(solution: StudyInfo, time: number): string {
  return `${formatNumber(time, "s")} ${periodOf(solution)}`.trim();
}
