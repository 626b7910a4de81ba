import type { LbData } from "../../data/report";
import type { View } from "../../page/view";
import { communication } from "./communication";
import { objects } from "./objects";
import { overview } from "./overview";
import { ranks } from "./ranks";
import { spatial } from "./spatial";
import { time } from "./time";
import { whatIf } from "./what-if";

/** The views of a data set; those without anything to show are left out. */
export function lbDataViews(_section: LbData): View<LbData>[] {
  return [overview, time, ranks, objects, communication, whatIf, spatial];
}
