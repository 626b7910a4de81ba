import type { Report, Section } from "../data/report";
import type { Selection } from "./selection";

/** One view of a section. Views are drawn when they are opened, and again when the theme changes. */
export interface View<S extends Section = Section> {
  /** Name in the address. */
  id: string;
  title: string;
  /** One sentence under the title: what the view answers. */
  purpose: string;
  render(host: HTMLElement, context: ViewContext<S>): void;
}

export interface ViewContext<S extends Section = Section> {
  report: Report;
  section: S;
  /** Position of the section in the report. */
  position: number;
  selection: Selection;
  /** Opens another view of this section with the same selection. */
  open(view: string): void;
}
