import type { Layout } from "../../data/report";
import type { View } from "../../page/view";
import { nextRuns } from "./next-runs";
import { overview } from "./overview";
import { prediction } from "./prediction";
import { scaling } from "./scaling";
import { sensitivity } from "./sensitivity";
import { sweep } from "./sweep";

/** The views of a layout; those without anything to show are omitted. */
export function layoutViews({ solution }: Layout): View<Layout>[] {
  return [
    overview, scaling,
    ...(solution.sweep ? [sweep] : []),
    ...(solution.sensitivity ? [sensitivity] : []),
    ...(solution.prediction || solution.runs?.length > 0 ? [prediction] : []),
    ...(solution.next_runs ? [nextRuns] : []),
  ];
}
