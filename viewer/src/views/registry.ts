import type { Report, Section } from "../data/report";
import type { View } from "../page/view";
import { collectivesViews } from "./collectives";
import { layoutViews } from "./layouts";
import { lbDataViews } from "./lb-data";
import { statisticsViews } from "./statistics";

/** The views of a section, in the order of the navigation. */
export function viewsOf(section: Section, report: Report): View[] {
  switch (section.kind) {
    case "lb_data": return lbDataViews(section, report) as View[];
    case "statistics": return statisticsViews as View[];
    case "collectives": return collectivesViews(section) as View[];
    case "layout": return layoutViews(section) as View[];
  }
}
