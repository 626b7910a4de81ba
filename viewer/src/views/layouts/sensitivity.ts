import { barChart } from "../../charts/bar-chart";
import { figure } from "../../charts/figure";
import { tableFigure } from "../../charts/table-figure";
import type { Layout } from "../../data/report";
import { numbers, texts, type DataTable } from "../../format/dataset";
import { countOf } from "../../format/words";
import type { View } from "../../page/view";
import { facts, findings, notes } from "../facts";
import { expectedTime, formatTime } from "./components";
import type { Sensitivity, StudyInfo } from "../../data/document-types";

export const sensitivity: View<Layout> = {
  id: "sensitivity",
  title: "Sensitivity",
  purpose: "What limits the layout, and whether another one is faster.",
  render(host, { section }) {
    const solution = section.solution as StudyInfo;
    const found = solution.sensitivity;
    if (!found) {
      notes(host, ["An external solver computed this layout. Its sensitivity is unknown."]);
      return;
    }
    findings(host, [answerOf(solution, found)]);
    const blocks = countOf(found.block, "processor");
    facts(host, [
      { label: "Time of the components", value: solution.time, unit: "s", detail: "as the next two: by the models" },
      { label: "With one block more", value: found.time_with_one_block_more, unit: "s", detail: `a block: ${blocks}` },
      { label: "With one block less", value: found.time_with_one_block_less, unit: "s", detail: `a block: ${blocks}` },
      { label: "Idle processor time", value: found.idle, unit: "share" },
    ]);
    showAlternatives(host, solution, found);
    showSlack(host, solution);
    tableFigure(host, "Alternatives", alternativeTable(solution, found));
  },
};

function answerOf(solution: StudyInfo, found: Sensitivity): string {
  if (found.layout_hardly_matters) return "The layout hardly matters: the best and the worst layout differ by less than 5 %.";
  const [fastest] = found.alternatives;
  return fastest
    ? `The fastest of ${countOf(found.alternatives.length, "other layout")}, ${fastest.name}, is expected to take ${formatTime(solution, fastest.time)}, this layout ${formatTime(solution, expectedTime(solution))}.`
    : "No other layout was compared.";
}

function showAlternatives(host: HTMLElement, solution: StudyInfo, found: Sensitivity): void {
  const layouts = [{ name: `this layout: ${solution.layout.name}`, time: expectedTime(solution) }, ...found.alternatives];
  const options = { title: "Expected time of other layouts", caption: "Each layout has its own best task counts for the same total." };
  figure(host, options, (body) => barChart(body, {
    label: "Time of this layout and of the alternatives", itemTitle: "layout", count: layouts.length,
    itemLabel: (i) => (i === 0 ? "this layout" : shortened(layouts[i]!.name)), unit: "s", height: 180,
    series: [{ label: "Time", values: layouts.map((layout) => layout.time) }],
    lines: [{ label: "this layout", value: expectedTime(solution) }],
  }));
}

function shortened(name: string): string {
  return name.length > 40 ? `${name.slice(0, 39)}…` : name;
}

function showSlack(host: HTMLElement, solution: StudyInfo): void {
  const { places } = solution;
  const options = {
    title: "Time and slack of components",
    caption: "A component may slow down by its slack before the whole model does. A large slack means too many processors, or an unsuitable layout.",
  };
  figure(host, options, (body) => barChart(body, {
    label: "Time and slack of each component", itemTitle: "component", count: places.length,
    itemLabel: (i) => places[i]!.component, unit: "s", height: 200,
    series: [
      { label: "Time", values: places.map((place) => place.cost) },
      { label: "Slack", values: places.map((place) => place.slack ?? null) },
    ],
  }));
}

function alternativeTable(solution: StudyInfo, found: Sensitivity): DataTable {
  const others = found.alternatives;
  const components = [...new Set(others.flatMap((other) => other.places.map((place) => place.component)))];
  const tasks = (row: number, name: string) => others[row]!.places.find((place) => place.component === name)?.tasks;
  return {
    length: others.length,
    columns: [
      texts("name", "Layout", (row) => others[row]!.name),
      ...(others.some((other) => other.expression !== other.name) ? [texts("expression", "Expression", (row) => others[row]!.expression)] : []),
      numbers("time", "Expected time", "s", (row) => others[row]!.time),
      numbers("change", "Change", "share", (row) => others[row]!.time / expectedTime(solution) - 1),
      numbers("simulated_years_per_day", "Simulated years per day", "", (row) => others[row]!.simulated_years_per_day),
      numbers("core_hours_per_simulated_year", "Core hours per year", "", (row) => others[row]!.core_hours_per_simulated_year),
      ...components.map((name) => numbers(`tasks_${name}`, name, "", (row) => tasks(row, name))),
    ],
  };
}
