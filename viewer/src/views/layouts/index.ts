import type { Layout } from "../../data/report";
import type { View } from "../../page/view";
import { nextRuns } from "./next-runs";
import { overview } from "./overview";
import { prediction } from "./prediction";
import { scaling } from "./scaling";
import { sensitivity } from "./sensitivity";
import { sweep } from "./sweep";

export const layoutViews: View<Layout>[] = [overview, scaling, sweep, sensitivity, prediction, nextRuns];
