import type { LbData, Report } from "../../data/report";
import type { View } from "../../page/view";
import { communication } from "./communication";
import { history } from "./history";
import { objects } from "./objects";
import { overview } from "./overview";
import { ranks } from "./ranks";
import { spatial } from "./spatial";
import { time } from "./time";
import { whatIf } from "./what-if";

/** The views of a data set; those without anything to show are omitted. */
export function lbDataViews(section: LbData, report: Report): View<LbData>[] {
  const comparable = section.comparison !== null || report.sections.filter((each) => each.kind === "lb_data").length > 1;
  const balanced = (section.info.load_balancing?.phases ?? 0) > 0;
  const development = section.info.phases.length > 1 ? [time] : [];
  return [overview, ...development, ranks, objects, communication, ...(comparable ? [whatIf] : []), spatial, ...(balanced ? [history] : [])];
}
