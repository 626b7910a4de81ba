import { figure } from "../../charts/figure";
import { lineChart, type LineSeries } from "../../charts/line-chart";
import { tableFigure } from "../../charts/table-figure";
import type { Layout } from "../../data/report";
import { numbers, texts, type DataTable } from "../../format/dataset";
import { formatNumber } from "../../format/numbers";
import { sentencesOf } from "../../format/sentences";
import { themeColour } from "../../page/theme";
import { choice, element } from "../../page/dom";
import type { View, ViewContext } from "../../page/view";
import { notes } from "../facts";
import { componentColours, timeLabel } from "./components";
import { fittedCost } from "./fitted-cost";
import type { ModelInfo, StudyInfo } from "../../data/document-types";

/** Points of a curve between its ends. */
const curvePoints = 64;

export const scaling: View<Layout> = {
  id: "scaling",
  title: "Scaling curves",
  purpose: "How long each component takes on how many tasks: measured points, and the curves that the solver used.",
  render(host, context) {
    const solution = context.section.solution as StudyInfo;
    if (!solution.models.length) {
      notes(host, ["The solution contains no models of components."]);
      return;
    }
    showCurves(host, context, solution);
    const caption = "The fitted time on n tasks is a / n + b nᶜ + d. R² is 1 for a perfect fit.";
    tableFigure(host, "Models", modelTable(solution), { note: caption });
    notes(host, sentencesOf(solution.models.flatMap((model) => model.warnings)));
  },
};

function showCurves(host: HTMLElement, { selection }: ViewContext<Layout>, solution: StudyInfo): void {
  const place = element("div");
  host.append(place);
  const draw = () => {
    const chosen = solution.models.find((model) => model.component === selection.text("component"));
    const shown = chosen ? [chosen] : solution.models.filter((model) => model.points.some((point) => point.cost > 0));
    const options = [{ value: "", label: "all" }, ...solution.models.map(({ component }) => ({ value: component, label: component }))];
    const control = choice("Component", options, chosen?.component ?? "", (value) => {
      selection.select({ component: value || null });
      draw();
    });
    place.replaceChildren();
    figure(place, {
      title: chosen ? `Time of ${chosen.component}` : "Time of each component",
      caption: "Points are measurements, lines are the models. Both axes are logarithmic: perfect scaling is a straight line that falls by half per doubling.",
      controls: [control],
    }, (body) => {
      const x = taskCounts(solution, shown);
      return lineChart(body, {
        label: `Time of ${shown.map((model) => model.component).join(", ")} in ${timeLabel(solution)}`,
        xTitle: "tasks", x, unit: "s", xLogarithmic: true, logarithmic: true, height: 420,
        series: shown.flatMap((model) => seriesOf(solution, model, x, chosen !== undefined)),
      });
    });
  };
  draw();
}

function seriesOf(solution: StudyInfo, model: ModelInfo, x: number[], alone: boolean): LineSeries[] {
  const colour = componentColours(solution).get(model.component)!;
  const measured = new Map(model.points.filter((point) => !point.extrapolated).map((point) => [point.tasks, point]));
  const positive = (value: number | null | undefined) => (value !== null && value !== undefined && value > 0 ? value : null);
  const series: LineSeries[] = [
    { key: `${model.component}_model`, label: `${model.component} model`, colour, lineOnly: true, values: x.map((tasks) => positive(modelCost(solution, model, tasks))) },
    { key: `${model.component}_measured`, label: `${model.component} measured`, colour, pointsOnly: true, values: x.map((tasks) => positive(measured.get(tasks)?.cost)) },
  ];
  if (!alone) return series;
  const repeated = model.points.some((point) => (point.repeats ?? 1) > 1);
  const place = solution.places.find((candidate) => candidate.component === model.component);
  const first = model.points.find((point) => !point.extrapolated);
  return [
    ...series,
    ...(repeated ? [
      { key: "least", label: "fastest run", colour, pointsOnly: true, values: x.map((tasks) => positive(measured.get(tasks)?.least)) },
      { key: "greatest", label: "slowest run", colour, pointsOnly: true, values: x.map((tasks) => positive(measured.get(tasks)?.greatest)) },
    ] : []),
    ...(first ? [{ key: "perfect", label: "perfect scaling", colour: themeColour("text-soft"), dashed: true, lineOnly: true,
      values: x.map((tasks) => positive((first.cost * first.tasks) / tasks)) }] : []),
    ...(place ? [{ key: "layout", label: "in the layout", colour: themeColour("mark"), pointsOnly: true,
      values: x.map((tasks) => (tasks === place.tasks ? positive(place.cost) : null)) }] : []),
  ];
}

/** Cost according to the model: the fitted curve, or lines between the points. */
function modelCost(solution: StudyInfo, model: ModelInfo, tasks: number): number | null {
  if (solution.model === "fit" && model.fit) return fittedCost(model.fit, tasks);
  const after = model.points.findIndex((point) => point.tasks >= tasks);
  const right = model.points[after];
  if (!right) return null;
  if (right.tasks === tasks) return right.cost;
  const left = model.points[after - 1];
  return left ? left.cost + ((tasks - left.tasks) / (right.tasks - left.tasks)) * (right.cost - left.cost) : null;
}

/** Measured and chosen task counts, and counts between them for smooth curves. */
function taskCounts(solution: StudyInfo, models: ModelInfo[]): number[] {
  const components = new Set(models.map((model) => model.component));
  const marked = [
    ...models.flatMap((model) => model.points.map((point) => point.tasks)),
    ...solution.places.filter((place) => components.has(place.component)).map((place) => place.tasks),
  ].filter((tasks) => tasks > 0);
  const first = Math.min(...marked);
  const last = Math.max(...marked);
  const between = Array.from({ length: curvePoints }, (_, i) => Math.round(first * (last / first) ** (i / (curvePoints - 1))));
  return [...new Set([...marked, ...between])].sort((a, b) => a - b);
}

function modelTable(solution: StudyInfo): DataTable {
  const models = solution.models;
  const measured = (row: number) => models[row]!.points.filter((point) => !point.extrapolated);
  return {
    length: models.length,
    columns: [
      texts("component", "Component", (row) => models[row]!.component),
      texts("model", "Model", (row) => models[row]!.model || null),
      numbers("threads", "Threads", "", (row) => models[row]!.threads),
      numbers("block_size", "Block size", "", (row) => models[row]!.block_size),
      texts("measured", "Measured at", (row) => measured(row).map((point) => formatNumber(point.tasks)).join(", ") || null),
      numbers("a", "a", "", (row) => models[row]!.fit?.a),
      numbers("b", "b", "", (row) => models[row]!.fit?.b),
      numbers("c", "c", "", (row) => models[row]!.fit?.c),
      numbers("d", "d", "", (row) => models[row]!.fit?.d),
      numbers("r_squared", "R²", "", (row) => models[row]!.fit?.r_squared),
      numbers("typical_error", "Typical error", "share", (row) => models[row]!.fit?.typical_error),
      texts("outliers", "Outliers at", (row) => models[row]!.fit?.outliers.join(", ") || null),
    ],
  };
}
