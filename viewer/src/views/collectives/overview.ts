import type { Collectives } from "../../data/report";
import { element } from "../../page/dom";
import type { View } from "../../page/view";

export const overview: View<Collectives> = {
  id: "overview",
  title: "Overview",
  purpose: "",
  render(host, { section }) {
    host.append(element("p", {}, section.name));
  },
};
