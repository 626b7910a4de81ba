import { tableFigure } from "../../charts/table-figure";
import type { Layout } from "../../data/report";
import { formatNumber } from "../../format/numbers";
import { sentencesOf } from "../../format/sentences";
import { countOf } from "../../format/words";
import type { View } from "../../page/view";
import { facts, findings, notes, type Fact } from "../facts";
import { expectedTime, formatTime } from "./components";
import type { StudyInfo } from "../../data/document-types";
import { placeTable, showTimeline } from "./timeline";

export const overview: View<Layout> = {
  id: "overview",
  title: "Layout",
  purpose: "How many processors each component gets, when it runs, and how fast the model is.",
  render(host, { section }) {
    const solution = section.solution as StudyInfo;
    findings(host, [answerOf(solution), ...remarksOf(solution)]);
    facts(host, factsOf(solution));
    showTimeline(host, solution);
    tableFigure(host, "Components", placeTable(solution));
    notes(host, sentencesOf(solution.warnings));
  },
};

function answerOf(solution: StudyInfo): string {
  const counted = solution.counts_threads ? "processors" : "tasks";
  const total = `On ${formatNumber(solution.total_tasks)} ${counted}`;
  if (!solution.expected) return `${total}, the model takes ${formatTime(solution, solution.time)}.`;
  const { time, range } = solution.expected;
  if (solution.own && solution.computed) {
    const own = `Keep your layout on ${formatNumber(solution.own.total)} ${counted}: it took ${formatTime(solution, solution.own.time)}`;
    return `${own}, and the layout chosen among the computed ones is expected to take ${formatTime(solution, solution.computed.time)}.`;
  }
  const answer = `${total}, the model is expected to take ${formatTime(solution, time)}`;
  return isUseful(range)
    ? `${answer} (${formatNumber(range[0], "s")} to ${formatNumber(range[1], "s")} with a probability of 90 %).`
    : `${answer}, which is uncertain by more than a factor of 2: see the recommended runs.`;
}

/** Whether a range is narrow enough to be stated, as in the text of the command. */
function isUseful(range: [number, number]): boolean {
  return range[1] <= 4 * range[0];
}

function remarksOf(solution: StudyInfo): string[] {
  const counted = solution.counts_threads ? "processors" : "tasks";
  const remarks: string[] = [];
  if (solution.expected && !solution.computed
    && formatTime(solution, solution.expected.time) !== formatTime(solution, solution.time)) {
    const { run } = solution.expected;
    remarks.push(`By the models, the components take ${formatTime(solution, solution.time)}, as shown below. The expected time also `
      + `accounts for concurrent parts that may be late${run ? `, and for your run on ${formatNumber(run.total)} ${counted}` : ""}.`);
  }
  const namesOf = (places: { component: string }[]) => places.map((place) => place.component).join(", ");
  const limiting = solution.places.filter((place) => place.limiting);
  if (limiting.length) remarks.push(`Critical path: ${namesOf(limiting)}. If one of these takes longer, so does the model.`);
  const hasCoreHours = solution.unit === "seconds_per_day" && solution.partitions.length === 0;
  const waiting = solution.places.filter((place) => place.waiting && hasCoreHours);
  if (waiting.length) {
    const hours = waiting.map((place) => `${place.component} ${formatNumber(coreHours(place))}`).join(", ");
    remarks.push(`Core hours per simulated year in which processors wait for concurrent parts: ${hours}.`);
  }
  const faster = (solution.sensitivity?.alternatives ?? []).find((other) => other.time < expectedTime(solution));
  if (solution.sensitivity?.layout_hardly_matters) {
    remarks.push("The layout hardly matters: the best and the worst layout differ by less than 5 %.");
  } else if (faster && !solution.computed) {
    const gain = formatNumber(1 - faster.time / expectedTime(solution), "share");
    const atMost = (range: [number, number]) => formatTime(solution, range[1]);
    const certainty = solution.expected ? `: it may take up to ${atMost(faster.range)}, this layout up to ${atMost(solution.expected.range)} (90 %)` : "";
    remarks.push(`The layout ${faster.name} is expected to take ${formatTime(solution, faster.time)}, ${gain} less${certainty}.`);
  }
  const extrapolated = solution.places.filter((place) => place.extrapolated);
  if (extrapolated.length) remarks.push(`Outside the measured task counts: ${namesOf(extrapolated)}.`);
  for (const missing of solution.left_out) {
    remarks.push(`The layout lacks ${missing.component}, which takes ${formatTime(solution, missing.cost)} `
      + `on ${countOf(missing.tasks, "task")}.`);
  }
  return remarks;
}

/** Core hours per simulated year in which the processors of a component wait, from seconds per model day. */
function coreHours(place: { tasks: number; threads: number; waiting?: number }): number {
  return (place.tasks * place.threads * (place.waiting ?? 0) * 365) / 3600;
}

function factsOf(solution: StudyInfo): Fact[] {
  const { nodes, partitions, solver, model } = solution;
  const used = partitions.map((kind) => `${formatNumber(kind.used)} of ${countOf(kind.nodes, `${kind.name} node`)}`).join(", ");
  const speed = solution.expected ?? solution;
  return [
    { label: "Time of the model", value: speed.time, unit: "s", detail: solution.unit === "seconds_per_day" ? "per model day" : "in total" },
    { label: "Simulated years per day", value: speed.simulated_years_per_day },
    { label: "Core hours per simulated year", value: speed.core_hours_per_simulated_year },
    { label: "Idle processor time", value: solution.sensitivity?.idle ?? null, unit: "share" },
    partitions.length
      ? { label: "Nodes used", value: partitions.reduce((sum, kind) => sum + kind.used, 0), detail: used }
      : { label: "Processors used", value: solution.processors, ...(nodes && { detail: `${countOf(nodes.used, "node")} of ${countOf(nodes.tasks_per_node, "task")}` }) },
    { label: "Solver", value: solver, detail: `cost model: ${model}` },
  ];
}
