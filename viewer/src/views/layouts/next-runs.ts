import { tableFigure } from "../../charts/table-figure";
import type { Layout } from "../../data/report";
import { numbers, texts } from "../../format/dataset";
import { countOf } from "../../format/words";
import type { View } from "../../page/view";
import { findings, notes } from "../facts";
import type { StudyInfo } from "../../data/document-types";

export const nextRuns: View<Layout> = {
  id: "next-runs",
  title: "Recommended runs",
  purpose: "Which timing runs would make the prediction more certain.",
  render(host, { section }) {
    const { next_runs: next } = section.solution as StudyInfo;
    if (!next || (!next.counts.length && !next.runs.length)) {
      notes(host, [next ? "The models are certain enough: no further runs are recommended." : "An external solver computed this layout and recommends no runs."]);
      return;
    }
    const [first] = next.counts;
    if (first) findings(host, [`Most uncertain is the time of ${first.component} on ${countOf(first.tasks, "task")}, ${first.reason}.`]);
    const { counts, runs } = next;
    const components = [...new Set(runs.flatMap((run) => Object.keys(run.tasks)))];
    tableFigure(host, "Runs", {
      length: runs.length,
      columns: [
        texts("pesize", "Run", (row) => runs[row]!.pesize),
        ...components.map((name) => numbers(`tasks_${name}`, name, "", (row) => runs[row]!.tasks[name] ?? null)),
        texts("comment", "Purpose", (row) => runs[row]!.comment),
      ],
    }, { note: "To write these runs to a file for plimsoll layout submit, use --next_runs FILE." });
    tableFigure(host, "Uncertain task counts", {
      length: counts.length,
      columns: [
        texts("component", "Component", (row) => counts[row]!.component),
        numbers("tasks", "Tasks", "", (row) => counts[row]!.tasks),
        numbers("threads", "Threads", "", (row) => counts[row]!.threads),
        numbers("doubt", "Uncertainty", "s", (row) => counts[row]!.doubt),
        texts("reason", "Reason", (row) => counts[row]!.reason),
      ],
    });
  },
};
