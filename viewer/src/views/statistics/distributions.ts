import { tableFigure } from "../../charts/table-figure";
import type { StatisticsRecord } from "../../data/document-types";
import type { Statistics } from "../../data/report";
import { numbers, texts, type Column } from "../../format/dataset";
import { element } from "../../page/dom";
import type { View } from "../../page/view";

export const distributions: View<Statistics> = {
  id: "distributions",
  title: "Distributions",
  purpose: "All statistics of the file: loads and traffic of objects and ranks, before and after load balancing.",
  render(host, { section }) {
    const rows = section.statistics.phases.flatMap(rowsOf);
    if (rows.length === 0) {
      host.append(element("p", { class: "empty" }, "The file contains no statistics."));
      return;
    }
    tableFigure(host, "Statistics", {
      length: rows.length,
      columns: [
        numbers("phase", "Phase", "id", (i) => rows[i]!.phase),
        texts("when", "When", (i) => rows[i]!.when),
        texts("name", "Statistics of", (i) => rows[i]!.name),
        numbers("count", "Number", "", (i) => rows[i]!.values["count"]),
        ...["sum", "mean", "std_deviation", "min", "max"].map((key) => valueColumn(rows, key)),
        numbers("imbalance", "Imbalance", "imbalance", (i) => rows[i]!.values["imbalance"]),
        numbers("skewness", "Skewness", "", (i) => rows[i]!.values["skewness"]),
        numbers("excess_kurtosis", "Excess kurtosis", "", (i) => rows[i]!.values["excess_kurtosis"]),
      ],
    }, { visibleRows: 20, filter: true, filterHint: "Name, before or after" });
  },
};

interface Row {
  phase: number;
  when: "before" | "after";
  name: string;
  values: { [key: string]: number | null };
}

function rowsOf(phase: StatisticsRecord): Row[] {
  return (["before", "after"] as const).flatMap((when) =>
    Object.entries(phase[when] ?? {}).map(([name, values]) => ({ phase: phase.phase, when, name, values })));
}

/** A column whose unit depends on the row: seconds for loads, bytes for traffic. */
function valueColumn(rows: Row[], key: string): Column {
  const label = key.charAt(0).toUpperCase() + key.slice(1).replace("_", " ");
  return {
    key, label, unit: "",
    unitOf: (i) => (rows[i]!.values[`${key}_s`] === undefined ? "bytes" : "s"),
    get: (i) => rows[i]!.values[`${key}_s`] ?? rows[i]!.values[`${key}_bytes`] ?? null,
  };
}
