import { barChart } from "../../charts/bar-chart";
import { figure } from "../../charts/figure";
import { tableFigure } from "../../charts/table-figure";
import type { Layout } from "../../data/report";
import { numbers, texts } from "../../format/dataset";
import { formatNumber } from "../../format/numbers";
import type { View } from "../../page/view";
import { facts, findings, notes } from "../facts";
import type { Prediction, StudyInfo } from "../../data/document-types";

export const prediction: View<Layout> = {
  id: "prediction",
  title: "Predicted and measured",
  purpose: "How well the models reproduce runs of the model.",
  render(host, { section }) {
    const solution = section.solution as StudyInfo;
    if (!solution.prediction && !solution.runs.length) {
      notes(host, ["The data contain no total times of runs. To compare with a run, use --check FILE."]);
      return;
    }
    if (solution.prediction) showCheck(host, solution.prediction);
    if (solution.runs.length) showRuns(host, solution);
  },
};

function showCheck(host: HTMLElement, found: Prediction): void {
  const { measured, predicted } = found;
  if (measured !== null) {
    findings(host, [`The models predict ${formatNumber(predicted, "s")} for ${found.file}. The run took ${formatNumber(measured, "s")}, ${difference(predicted, measured)}.`]);
  }
  facts(host, [
    { label: "Predicted", value: predicted, unit: "s" },
    { label: "From measured components", value: found.from_measured_components, unit: "s" },
    { label: "Measured", value: measured, unit: "s" },
  ]);
  const parts = found.components;
  figure(host, { title: `Components of ${found.file}` }, (body) => barChart(body, {
    label: "Predicted and measured time of each component", itemTitle: "component", count: parts.length,
    itemLabel: (i) => parts[i]!.component, unit: "s",
    series: [
      { label: "Predicted", values: parts.map((part) => part.predicted) },
      { label: "Measured", values: parts.map((part) => part.measured) },
    ],
  }));
  tableFigure(host, "Components", {
    length: parts.length,
    columns: [
      texts("component", "Component", (row) => parts[row]!.component),
      numbers("tasks", "Tasks", "", (row) => parts[row]!.tasks),
      numbers("threads", "Threads", "", (row) => parts[row]!.threads),
      numbers("predicted", "Predicted", "s", (row) => parts[row]!.predicted),
      numbers("measured", "Measured", "s", (row) => parts[row]!.measured),
      numbers("error", "Error", "share", (row) => parts[row]!.error),
    ],
  });
}

function difference(predicted: number, measured: number): string {
  const share = formatNumber(Math.abs(measured / predicted - 1), "share");
  return measured >= predicted ? `${share} more` : `${share} less`;
}

function showRuns(host: HTMLElement, { runs }: StudyInfo): void {
  const name = (file: string) => file.split("/").pop() ?? file;
  figure(host, { title: "Runs of the model", caption: "Predicted: the times of the models for the task counts of the run." }, (body) => barChart(body, {
    label: "Predicted and measured total time of each run", itemTitle: "run", count: runs.length,
    itemLabel: (i) => name(runs[i]!.file).slice(0, 40), unit: "s",
    series: [
      { label: "Predicted", values: runs.map((run) => run.predicted) },
      { label: "Measured", values: runs.map((run) => run.measured) },
    ],
  }));
  tableFigure(host, "Timing files", {
    length: runs.length,
    columns: [
      texts("file", "File", (row) => runs[row]!.file),
      numbers("tasks", "Tasks", "", (row) => runs[row]!.tasks),
      numbers("predicted", "Predicted", "s", (row) => runs[row]!.predicted),
      numbers("measured", "Measured", "s", (row) => runs[row]!.measured),
      numbers("error", "Error", "share", (row) => runs[row]!.error),
    ],
  });
}
