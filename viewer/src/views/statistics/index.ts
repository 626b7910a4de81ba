import type { Statistics } from "../../data/report";
import { element } from "../../page/dom";
import type { View } from "../../page/view";

const history: View<Statistics> = {
  id: "history",
  title: "Balancing history",
  purpose: "What load balancing gained in the run.",
  render(host, { section }) {
    host.append(element("p", {}, section.name));
  },
};

export const statisticsViews: View<Statistics>[] = [history];
