import type { Layout } from "../../data/report";
import { element } from "../../page/dom";
import type { View } from "../../page/view";

export const overview: View<Layout> = {
  id: "overview",
  title: "Overview",
  purpose: "",
  render(host, { section }) {
    host.append(element("p", {}, section.name));
  },
};
