import type { Collectives } from "../../data/report";
import type { View } from "../../page/view";
import { overview } from "./overview";

export const collectivesViews: View<Collectives>[] = [overview];
