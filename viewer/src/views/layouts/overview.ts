import { tableFigure } from "../../charts/table-figure";
import type { Layout } from "../../data/report";
import { formatNumber } from "../../format/numbers";
import { sentencesOf } from "../../format/sentences";
import { countOf } from "../../format/words";
import type { View } from "../../page/view";
import { facts, findings, notes, type Fact } from "../facts";
import { periodOf } from "./components";
import type { StudyInfo } from "../../data/document-types";
import { placeTable, showTimeline } from "./timeline";

export const overview: View<Layout> = {
  id: "overview",
  title: "Layout",
  purpose: "How many processors each component gets, when it runs, and how fast the model is.",
  render(host, { section }) {
    const solution = section.solution as StudyInfo;
    const { headline, remarks, notes: details } = solution.answer;
    findings(host, [`${headline}.`, ...remarks, ...details]);
    facts(host, factsOf(solution));
    showTimeline(host, solution);
    tableFigure(host, "Components", placeTable(solution));
    notes(host, sentencesOf(solution.warnings));
  },
};

function factsOf(solution: StudyInfo): Fact[] {
  const { nodes, partitions, solver, model } = solution;
  const used = partitions.map((kind) => `${formatNumber(kind.used)} of ${countOf(kind.nodes, `${kind.name} node`)}`).join(", ");
  const speed = solution.expected ?? solution;
  return [
    { label: "Time of the model", value: speed.time, unit: "s", detail: periodOf(solution) || "in total" },
    { label: "Simulated years per day", value: speed.simulated_years_per_day },
    { label: "Core hours per simulated year", value: speed.core_hours_per_simulated_year },
    { label: "Idle processor time", value: solution.sensitivity?.idle ?? null, unit: "share" },
    partitions.length
      ? { label: "Nodes used", value: partitions.reduce((sum, kind) => sum + kind.used, 0), detail: used }
      : { label: "Processors used", value: solution.processors, ...(nodes && { detail: `${countOf(nodes.used, "node")} of ${countOf(nodes.tasks_per_node, "task")}` }) },
    { label: "Solver", value: solver, detail: `cost model: ${model}` },
  ];
}
