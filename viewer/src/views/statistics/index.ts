import type { Statistics } from "../../data/report";
import type { View } from "../../page/view";
import { history } from "./history";
import { distributions } from "./distributions";

export const statisticsViews: View<Statistics>[] = [history, distributions];
