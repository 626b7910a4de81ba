import { figure } from "../../charts/figure";
import { lineChart, type LineSeries } from "../../charts/line-chart";
import { tableFigure } from "../../charts/table-figure";
import type { Efficiencies, MpiShare, RegionSummary, WindowSummary } from "../../data/document-types";
import type { Collectives } from "../../data/report";
import { numbers, texts } from "../../format/dataset";
import { formatNumber } from "../../format/numbers";
import { countOf } from "../../format/words";
import type { View } from "../../page/view";
import { ratio } from "./columns";
import { profileOf } from "./context";
import { functionsOverTime } from "./functions-over-time";

/** The run in parts: windows of time, regions of the program, and sizes of calls. */
export const runParts: View<Collectives> = {
  id: "run-parts",
  title: "Parts of the run",
  purpose: "When, in which regions, and in calls of which size the program loses time in MPI.",
  render(host, context) {
    const { mpi } = profileOf(context).summary;
    if (!mpi) return;
    if (mpi.windows.length > 1) {
      showEfficiencies(host, mpi);
      showFunctionsOverTime(host, mpi);
    }
    showRegions(host, mpi);
    showSizes(host, mpi);
  },
};

export function hasParts({ windows, regions, functions }: MpiShare): boolean {
  return windows.length > 1 || regions.length > 0 || functions.some(({ sizes }) => sizes.length > 0);
}

function overWindows(host: HTMLElement, { windows }: MpiShare, title: string, caption: string, unit: string, series: LineSeries[]): void {
  const end = windows[windows.length - 1]!.end_s;
  const toTheEnd = (values: LineSeries["values"]) => [...values, values[values.length - 1]!];
  figure(host, { title, caption }, (body) => lineChart(body, {
    label: `${title} in ${countOf(windows.length, "window")} of time`,
    xTitle: "time since MPI_Init", x: [...windows.map((window) => window.begin_s), end], xLabel: (x) => formatNumber(x, "s"),
    unit, series: series.map((line) => ({ ...line, values: toTheEnd(line.values), stepped: true, lineOnly: true })),
    syncKey: "windows of time",
  }));
}

function showEfficiencies(host: HTMLElement, mpi: MpiShare): void {
  const line = (key: keyof Efficiencies, label: string): LineSeries =>
    ({ key, label, values: mpi.windows.map(({ efficiencies }) => efficiencies?.[key] ?? null) });
  const known = knowsTransfer(mpi.windows);
  const lines = [line("parallel", "parallel efficiency"), line("load_balance", "load balance"), line("communication", "communication"),
    ...(known ? [line("serialisation", "serialisation"), line("transfer", "transfer")] : [])];
  overWindows(host, mpi, "Efficiencies over time",
    `Parallel efficiency is load balance × communication efficiency${known ? ", which is serialisation × transfer" : ""}. ` +
    `Windows are the same on all ranks.${unknownTransfer(mpi.windows)}`, "factor", lines);
}

function showFunctionsOverTime(host: HTMLElement, mpi: MpiShare): void {
  const lines = functionsOverTime(mpi);
  if (lines.length === 0) return;
  overWindows(host, mpi, "MPI functions over time", "Share of the time of all ranks, for each window of time.", "share", lines);
}

function showRegions(host: HTMLElement, { regions }: MpiShare): void {
  if (regions.length === 0) return;
  const at = (row: number) => regions[row]!;
  const factor = (key: keyof Efficiencies, label: string) => numbers(key, label, "factor", (row) => at(row).efficiencies?.[key] ?? null);
  tableFigure(host, "Regions", {
    length: regions.length,
    columns: [
      texts("name", "Region", (row) => at(row).name),
      numbers("ranks", "Ranks", "", (row) => at(row).ranks),
      numbers("wall_s", "Time", "s", (row) => at(row).wall_s),
      numbers("share", "Of the run", "share", (row) => at(row).share),
      numbers("mpi_s", "In MPI", "s", (row) => at(row).mpi_s),
      numbers("waited_s", "Waited", "s", (row) => at(row).waited_s),
      factor("parallel", "Parallel efficiency"),
      factor("load_balance", "Load balance"),
      factor("communication", "Communication"),
      ...(knowsTransfer(regions) ? [factor("serialisation", "Serialisation"), factor("transfer", "Transfer")] : []),
    ],
  }, { note: `Times of the thread that called MPI_Init, summed over ranks, without regions within the region.${unknownTransfer(regions)}` });
}

type Part = RegionSummary | WindowSummary;

function knowsTransfer(parts: Part[]): boolean {
  return parts.some(({ efficiencies }) => efficiencies !== null && efficiencies.transfer !== null);
}

/** A sentence on why factors are unknown; "" if they are known. */
function unknownTransfer(parts: Part[]): string {
  const cause = parts.find(({ transfer_unknown: unknown }) => unknown !== "")?.transfer_unknown;
  return cause ? ` Serialisation and transfer are unknown: ${cause}.` : "";
}

function showSizes(host: HTMLElement, mpi: MpiShare): void {
  const rows = mpi.functions.flatMap(({ function: name, sizes }) => sizes.map((size) => ({ name, ...size })));
  if (rows.length === 0) return;
  const at = (row: number) => rows[row]!;
  tableFigure(host, "Sizes of calls", {
    length: rows.length,
    columns: [
      texts("function", "Function", (row) => at(row).name),
      numbers("min_bytes", "From", "bytes", (row) => at(row).min_bytes),
      numbers("max_bytes", "Up to", "bytes", (row) => at(row).max_bytes),
      numbers("calls", "Calls", "", (row) => at(row).calls),
      numbers("time_s", "Time", "s", (row) => at(row).time_s),
      numbers("share", "Of the run", "share", (row) => ratio(at(row).time_s, mpi.thread_s)),
      numbers("time_per_call_s", "Time per call", "s", (row) => ratio(at(row).time_s, at(row).calls)),
    ],
  }, { visibleRows: 12, note: "By the bytes that a call sends, or receives if it sends nothing." });
}
