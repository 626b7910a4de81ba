import type { Collectives } from "../../data/report";
import type { View } from "../../page/view";
import { call } from "./call";
import { calls } from "./calls";
import { lateArrivals } from "./late-arrivals";
import { matrix } from "./matrix";
import { messages } from "./messages";
import { overview } from "./overview";
import { overTime } from "./over-time";
import { patterns } from "./patterns";
import { hasParts, runParts } from "./run-parts";
import { site } from "./site";
import { sites } from "./sites";

/** The views of a profile; those without anything to show are omitted. */
export function collectivesViews({ summary, calls: list, matrix: traffic, sites: places, timeline }: Collectives): View<Collectives>[] {
  const hasCalls = list?.calls.length > 0;
  const hasSites = places?.sites.length > 0;
  return [
    overview,
    ...(summary.mpi && hasParts(summary.mpi) ? [runParts] : []),
    ...(hasCalls || timeline ? [overTime] : []),
    ...(hasCalls ? [calls, call] : []),
    ...(summary.waiting ? [lateArrivals] : []),
    ...(hasCalls ? [patterns] : []),
    ...(traffic?.total_bytes > 0 ? [matrix] : []),
    ...(summary.sent ? [messages] : []),
    ...(hasSites ? [sites, site] : []),
  ];
}
