import type { Layout } from "../../data/report";
import type { View } from "../../page/view";
import { overview } from "./overview";

export const layoutViews: View<Layout>[] = [overview];
