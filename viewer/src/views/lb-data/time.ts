import { figure } from "../../charts/figure";
import { lineChart, type LineChart, type LineChartOptions } from "../../charts/line-chart";
import { phaseNumber, selectedPosition } from "../../data/lb-data";
import type { LbData } from "../../data/report";
import { button, element } from "../../page/dom";
import { redrawOn, toggle } from "../../page/redraw";
import { themeColour } from "../../page/theme";
import type { View, ViewContext } from "../../page/view";

export const time: View<LbData> = {
  id: "time",
  title: "Time",
  purpose: "How load and imbalance change from phase to phase. Drag over a chart to zoom; click a phase to select it in all views.",
  render(host, context) {
    const { selection } = context;
    redrawOn(host, selection, () => selection.text("log"), (part) => drawCharts(part, context));
  },
};

function drawCharts(host: HTMLElement, { section, selection, position }: ViewContext<LbData>): void {
  const { phases } = section.info;
  const charts: LineChart[] = [];
  const logarithmic = selection.isOn("log");
  const add = (title: string, caption: string, chart: Pick<LineChartOptions, "unit" | "series" | "logarithmic"> & { height?: number }) => {
    figure(host, { title, caption }, (body) => {
      const result = lineChart(body, {
        label: title,
        xTitle: "phase",
        x: phases.map((phase) => phase.phase),
        xLabel: (phase) => (Number.isInteger(phase) ? String(phase) : ""),
        syncKey: `time-${position}`,
        selected: selectedPosition(section, selection),
        onSelect: (index) => selection.select({ phase: phaseNumber(section, index) }),
        ...chart,
      });
      charts.push(result);
      return result;
    });
  };
  host.append(element("div", { class: "controls" },
    button("Show all phases", "Undo zooming", () => charts.forEach((chart) => chart.resetZoom())),
    toggle(selection, "log", "Logarithmic loads")));

  add("Load per rank", "A phase ends when its most loaded rank ends. The gap between maximum and mean is lost time.", {
    unit: "s", logarithmic,
    series: [
      { key: "max_load_s", label: "maximum", values: phases.map((phase) => phase.max_load_s) },
      { key: "mean_load_s", label: "mean", values: phases.map((phase) => phase.mean_load_s), colour: "#d55e00" },
      { key: "min_load_s", label: "minimum", values: phases.map((phase) => phase.rank_loads.min_s), colour: "#009e73" },
      {
        key: "lower_bound_s", label: "lower bound", values: phases.map((phase) => phase.lower_bound_s),
        colour: themeColour("text-soft"), dashed: true,
      },
    ],
  });
  add("Imbalance", "Maximum over mean load, less 1. A perfectly balanced phase has 0.", {
    unit: "imbalance",
    series: [{ key: "imbalance", label: "imbalance", values: phases.map((phase) => phase.imbalance) }],
  });
  add("Data between ranks", "Bytes that objects sent to objects on other ranks.", {
    unit: "bytes", height: 170,
    series: [{ key: "off_rank_bytes", label: "off-rank data", values: phases.map((phase) => phase.off_rank_bytes) }],
  });
  add("Migrations", "Objects that are on another rank than in the phase before.", {
    unit: "", height: 170,
    series: [{ key: "migrations", label: "migrated objects", values: section.migrations }],
  });
  const stop = selection.subscribe(() => {
    if (host.isConnected) charts.forEach((chart) => chart.mark(selectedPosition(section, selection)));
    else stop();
  });
}
