import { figure } from "../../charts/figure";
import { lineChart } from "../../charts/line-chart";
import { scatterChart } from "../../charts/scatter-chart";
import { tableFigure } from "../../charts/table-figure";
import type { Layout } from "../../data/report";
import { numbers, texts, type DataTable } from "../../format/dataset";
import { formatNumber } from "../../format/numbers";
import type { View } from "../../page/view";
import { findings, notes } from "../facts";
import { componentColours } from "./components";
import type { StudyInfo, SweepPoint, TotalChoice } from "../../data/document-types";

export const sweep: View<Layout> = {
  id: "sweep",
  title: "Number of tasks",
  purpose: "How throughput and cost change with the number of tasks, and which numbers are worth choosing.",
  render(host, { section }) {
    const solution = section.solution as StudyInfo;
    const found = solution.sweep;
    if (!found) {
      notes(host, [`This layout was solved for ${formatNumber(solution.total_tasks)} tasks only. To compare numbers of tasks, use --total_tasks FROM:TO:STEP.`]);
      return;
    }
    findings(host, answersOf(found));
    notes(host, [solution.expected ? "Times are expected times, as on the page Layout." : "Times are by the models."]);
    if (found.infeasible.length) {
      notes(host, [`No layout exists for ${found.infeasible.map((total) => formatNumber(total)).join(", ")} tasks.`]);
    }
    showFront(host, found);
    showTimes(host, found);
    showShares(host, solution, found);
    tableFigure(host, "All numbers of tasks", pointTable(found));
  },
};

function answersOf(found: TotalChoice): string[] {
  const about = (total: number | null) => {
    const point = found.points.find((candidate) => candidate.total_tasks === total);
    return point && `${formatNumber(point.total_tasks)} tasks simulate ${formatNumber(point.simulated_years_per_day)} years per day, `
      + `for ${formatNumber(point.core_hours_per_simulated_year)} core hours per year.`;
  };
  const chosen = about(found.chosen);
  const knee = found.knee === found.chosen ? undefined : about(found.knee);
  return [
    ...(chosen ? [`Chosen (${found.objective}): ${chosen}`] : []),
    ...(knee ? [`Beyond the knee, returns diminish: ${knee}`] : []),
  ];
}

function showFront(host: HTMLElement, found: TotalChoice): void {
  const options = {
    title: "Throughput and cost",
    caption: "Each point is a number of tasks. Filled points are the Pareto front: no other number is both faster and cheaper. The chosen number is marked.",
  };
  figure(host, options, (body) => scatterChart(body, {
    label: "Throughput and cost of each number of tasks",
    xTitle: "simulated years per day", yTitle: "core hours per simulated year", xUnit: "", yUnit: "", height: 320,
    points: found.points.map((point) => ({
      label: formatNumber(point.total_tasks), x: point.simulated_years_per_day!, y: point.core_hours_per_simulated_year!,
      filled: point.pareto, marked: point.total_tasks === found.chosen,
    })),
  }));
}

function showTimes(host: HTMLElement, found: TotalChoice): void {
  const options = { title: "Time over the number of tasks", caption: "Both axes are logarithmic." };
  figure(host, options, (body) => lineChart(body, {
    label: "Time of the best layout over the number of tasks",
    xTitle: "tasks", x: found.points.map((point) => point.total_tasks), unit: "s", logarithmic: true, xLogarithmic: true, height: 260,
    selected: found.points.findIndex((point) => point.total_tasks === found.chosen),
    series: [{ key: "time", label: "time of the best layout", values: found.points.map((point) => point.time) }],
  }));
}

function showShares(host: HTMLElement, solution: StudyInfo, found: TotalChoice): void {
  const colours = componentColours(solution);
  const options = { title: "Tasks of each component", caption: "Tasks that the best layout of each number of tasks gives to each component." };
  figure(host, options, (body) => lineChart(body, {
    label: "Tasks of each component over the number of tasks",
    xTitle: "tasks in total", x: found.points.map((point) => point.total_tasks), unit: "", logarithmic: true, xLogarithmic: true, height: 300,
    series: solution.places.map(({ component }) => ({
      key: component, label: component, colour: colours.get(component)!, values: found.points.map((point) => point.tasks[component] ?? null),
    })),
  }));
}

function pointTable(found: TotalChoice): DataTable {
  const { points } = found;
  const components = Object.keys(points[0]?.tasks ?? {});
  const marks = (point: SweepPoint) => [
    point.total_tasks === found.chosen && "chosen", point.total_tasks === found.knee && "knee", point.pareto && "Pareto front",
  ].filter(Boolean).join(", ");
  return {
    length: points.length,
    columns: [
      numbers("total_tasks", "Tasks", "", (row) => points[row]!.total_tasks),
      ...(points.some((point) => point.nodes !== null) ? [numbers("nodes", "Nodes", "", (row) => points[row]!.nodes)] : []),
      numbers("time", "Time", "s", (row) => points[row]!.time),
      numbers("simulated_years_per_day", "Simulated years per day", "", (row) => points[row]!.simulated_years_per_day),
      numbers("core_hours_per_simulated_year", "Core hours per year", "", (row) => points[row]!.core_hours_per_simulated_year),
      texts("marks", "Remarks", (row) => marks(points[row]!) || null),
      ...components.map((name) => numbers(`tasks_${name}`, name, "", (row) => points[row]!.tasks[name] ?? null)),
    ],
  };
}
