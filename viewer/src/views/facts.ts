import { numberElement } from "../format/numbers";
import { element } from "../page/dom";

export interface Fact {
  label: string;
  value: number | string | null;
  unit?: string;
  detail?: string;
}

/** A row of key numbers. */
export function facts(host: HTMLElement, list: Fact[]): void {
  host.append(element("dl", { class: "facts" }, ...list.map((fact) => element("div", { class: "fact" },
    element("dt", { title: fact.label }, fact.label),
    element("dd", {},
      typeof fact.value === "string" ? fact.value : numberElement(fact.value, fact.unit),
      fact.detail ? element("span", { class: "detail" }, fact.detail) : null)))));
}

/** Sentences in order of importance. */
export function findings(host: HTMLElement, sentences: string[]): void {
  if (sentences.length === 0) return;
  host.append(element("ol", { class: "findings", "aria-label": "Findings" },
    ...sentences.map((sentence) => element("li", {}, sentence))));
}

/** Remarks about what the section lacks or summarises. */
export function notes(host: HTMLElement, sentences: string[]): void {
  for (const sentence of sentences) host.append(element("p", { class: "note" }, sentence));
}
