import { barChart } from "../../charts/bar-chart";
import { figure } from "../../charts/figure";
import { tableFigure } from "../../charts/table-figure";
import type { Collectives } from "../../data/report";
import { numbers, texts } from "../../format/dataset";
import { formatNumber } from "../../format/numbers";
import { countOf } from "../../format/words";
import type { View } from "../../page/view";
import { facts, findings, notes, type Fact } from "../facts";
import { present, rankColumns, rankText, ratio } from "./columns";
import { showCommunicatorRanks } from "./communicator-ranks";
import { profileOf } from "./context";
import type { Efficiencies, MpiShare, RunSummary, SideSummary } from "../../data/document-types";
import { formatList } from "./rank-list";

export const overview: View<Collectives> = {
  id: "overview",
  title: "Overview",
  purpose: "What the collectives of the program move, how long they take, and who waits for whom.",
  render(host, context) {
    const { summary, notes: remarks } = profileOf(context);
    findings(host, findingsOf(summary));
    facts(host, factsOf(summary));
    notes(host, [...problemsOf(summary), ...remarks]);
    if (summary.mpi) showShareOfRun(host, summary.mpi);
    showRanks(host, summary);
    showCommunicatorRanks(host, context.section.communicator_ranks ?? []);
    showInconsistencies(host, summary);
    if (summary.mpi) showFunctions(host, summary.mpi);
  },
};

function findingsOf(summary: RunSummary): string[] {
  if (summary.findings.length === 0) return [volumeOf(summary)];
  return summary.findings.map(({ text, command }) => (command ? `${text}. Next: ${command}` : `${text}.`));
}

function volumeOf({ calls, operations, sent, time_in_calls: time, waiting }: RunSummary): string {
  const names = operations.map(({ operation }) => operation).join(", ");
  if (sent) return `${countOf(calls, "call")} of ${names} sent ${formatNumber(sent.bytes, "bytes")}.`;
  if (time) return `The profile contains the times of ${countOf(time.calls, "call")}, but no counts.`;
  if (waiting) return `The profile contains the wait times of ${countOf(waiting.calls, "call")}, but no counts.`;
  return "The profile contains no counts of collectives.";
}

function factsOf({ calls, sent, received, time_in_calls: time, waiting, mpi }: RunSummary): Fact[] {
  const list: Fact[] = [];
  if (mpi) {
    list.push(
      ...efficienciesOf(mpi.efficiencies),
      { label: "MPI in the run", value: mpi.share, unit: "share", detail: waitsOf(mpi) },
      { label: "Imbalance outside MPI", value: mpi.outside_mpi.imbalance, unit: "imbalance", detail: `most on rank ${mpi.outside_mpi.max_rank}` },
      { label: "Run time", value: mpi.longest_wall_s, unit: "s", detail: `${countOf(mpi.ranks.length, "rank")} on ${countOf(mpi.nodes, "host")}` },
    );
    if (mpi.point_to_point.messages) {
      const between = mpi.nodes > 1 ? `, ${formatNumber(mpi.point_to_point.between_nodes_bytes, "bytes")} between hosts` : "";
      list.push({
        label: "Point-to-point", value: mpi.point_to_point.bytes, unit: "bytes",
        detail: `${countOf(mpi.point_to_point.messages, "message")}${between}`,
      });
    }
  }
  if (sent) {
    list.push(
      { label: "Calls", value: calls },
      { label: "Sent", value: sent.bytes, unit: "bytes", detail: `${countOf(sent.messages - sent.empty_messages, "message")}` },
      { label: "Imbalance of sent bytes", value: sent.imbalance, unit: "imbalance", ...mostBy(sent) },
    );
  }
  if (received) list.push({ label: "Imbalance of received bytes", value: received.imbalance, unit: "imbalance", ...mostBy(received) });
  if (time) list.push({ label: "Time in calls", value: time.time_s, unit: "s", detail: `at most ${formatNumber(time.max_time_s, "s")} per rank and call` });
  if (waiting) {
    const [late] = waiting.late_ranks;
    list.push({ label: "Waited for the last rank", value: waiting.waited_s, unit: "s", ...(late !== undefined && { detail: `mostly for rank ${late}` }) });
  }
  return list;
}

function efficienciesOf(efficiencies: Efficiencies | null): Fact[] {
  if (!efficiencies) return [];
  const { between_nodes: between, within_nodes: within, serialisation, transfer } = efficiencies;
  const factor = (value: number | null) => formatNumber(value, "factor");
  return [
    { label: "Parallel efficiency", value: efficiencies.parallel, unit: "factor", detail: "load balance × communication" },
    {
      label: "Load balance", value: efficiencies.load_balance, unit: "factor",
      detail: between === null ? "unknown nodes" : `between nodes ${factor(between)} × within ${factor(within)}`,
    },
    {
      label: "Communication efficiency", value: efficiencies.communication, unit: "factor",
      detail: transfer === null ? "unknown serialisation and transfer" : `serialisation ${factor(serialisation)} × transfer ${factor(transfer)}`,
    },
  ];
}

function waitsOf({ waited_s: waited, unknown_waits_s: unknown, thread_s: run }: MpiShare): string {
  const share = (time: number) => formatNumber(ratio(time, run), "share");
  const parts = [...(waited !== null ? [`${share(waited)} waiting`] : []), ...(unknown ? [`${share(unknown)} unknown waits`] : [])];
  return parts.join(", ");
}

function mostBy({ max_rank: rank, imbalance }: SideSummary): { detail?: string } {
  return rank !== undefined && imbalance ? { detail: `most by rank ${rank}` } : {};
}

function problemsOf(summary: RunSummary): string[] {
  const problems: string[] = [];
  if (summary.cut_short_ranks.length) problems.push(`The logs of ranks ${formatList(summary.cut_short_ranks)} end before MPI_Finalize or are missing.`);
  if (summary.incomplete_calls) problems.push(`The profile excludes ${countOf(summary.incomplete_calls, "call")} that some of their ranks did not record.`);
  if (summary.unplaced_calls) problems.push(`Values of ranks exclude ${countOf(summary.unplaced_calls, "call")} whose ranks are unknown.`);
  if (summary.clock_error_s) problems.push(`Differences between times of ranks below ${formatNumber(summary.clock_error_s, "s")} are meaningless: this is the clock error.`);
  for (const failed of summary.failed_calls) {
    problems.push(`MPI returned an error for ${countOf(failed.calls, "call")} of ${failed.operation} on ranks ${formatList(failed.ranks)}. No value includes failed calls.`);
  }
  return problems;
}

function showShareOfRun(host: HTMLElement, mpi: MpiShare): void {
  const { ranks } = mpi;
  const options = {
    title: "Share of the run",
    caption: "Means over the threads that call MPI. Waits for other ranks are shown as far as they were measured.",
  };
  figure(host, options, (body) => barChart(body, {
    label: "Time of each rank outside MPI, in waits and in the rest of MPI", itemTitle: "rank", count: ranks.length,
    itemLabel: (i) => `${ranks[i]!.rank}`, unit: "s",
    series: [
      { label: "outside MPI", values: ranks.map((rank) => rank.outside_s) },
      { label: "measured waits", values: ranks.map((rank) => rank.waited_s ?? 0) },
      { label: "rest of MPI", values: ranks.map((rank) => rank.mpi_s - (rank.waited_s ?? 0)) },
    ],
    lines: [{ label: "mean outside MPI", value: mpi.outside_mpi.mean_s }],
  }));
  tableFigure(host, "Times of ranks", {
    length: ranks.length,
    columns: [
      numbers("rank", "Rank", "", (row) => ranks[row]!.rank),
      texts("host", "Host", (row) => ranks[row]!.host),
      numbers("wall_s", "Wall time", "s", (row) => ranks[row]!.wall_s),
      numbers("outside_s", "Outside MPI", "s", (row) => ranks[row]!.outside_s),
      numbers("mpi_s", "In MPI", "s", (row) => ranks[row]!.mpi_s),
      numbers("share", "Of the run", "share", (row) => ranks[row]!.mpi_s / ranks[row]!.wall_s),
      numbers("waited_s", "Waited", "s", (row) => ranks[row]!.waited_s),
      ...(ranks.some((rank) => rank.off_processor_s !== null)
        ? [numbers("off_processor_s", "Off processor, at least", "s", (row) => ranks[row]!.off_processor_s)] : []),
    ],
  }, { visibleRows: 8 });
}

function showFunctions(host: HTMLElement, { functions }: MpiShare): void {
  tableFigure(host, "MPI functions", {
    length: functions.length,
    columns: [
      texts("function", "Function", (row) => functions[row]!.function),
      texts("purpose", "Purpose", (row) => functions[row]!.purpose),
      numbers("calls", "Calls", "", (row) => functions[row]!.calls),
      numbers("time_s", "Time", "s", (row) => functions[row]!.time_s),
      numbers("share", "Of the run", "share", (row) => functions[row]!.share),
      numbers("ranks", "Ranks", "", (row) => functions[row]!.ranks),
      numbers("imbalance", "Imbalance", "imbalance", (row) => functions[row]!.imbalance),
      rankText("slowest_rank", "Slowest", (row) => functions[row]!.slowest_rank),
      numbers("max_time_s", "Its time", "s", (row) => functions[row]!.max_time_s),
    ],
  });
}

function showRanks(host: HTMLElement, { ranks }: RunSummary): void {
  if (ranks.length === 0) return;
  if (ranks.some((rank) => rank.bytes_sent !== undefined)) {
    figure(host, { title: "Bytes of ranks" }, (body) => barChart(body, {
      label: "Bytes that each rank sent and received", itemTitle: "rank", count: ranks.length,
      itemLabel: (i) => `${ranks[i]!.rank}`, unit: "bytes",
      series: [
        { label: "sent", values: ranks.map((rank) => rank.bytes_sent ?? null) },
        { label: "received", values: ranks.map((rank) => rank.bytes_received ?? null) },
      ],
    }));
  }
  tableFigure(host, "Ranks", { length: ranks.length, columns: rankColumns(ranks) }, {
    note: "Bandwidth: bytes sent divided by the time in calls. Wait time caused: time that others waited in calls that this rank entered last.",
  });
}

function showInconsistencies(host: HTMLElement, { inconsistencies }: RunSummary): void {
  if (inconsistencies.length === 0) return;
  const at = (row: number) => inconsistencies[row]!;
  tableFigure(host, "Send and receive sizes that differ", {
      length: inconsistencies.length,
      columns: present(inconsistencies.length, [
        numbers("job", "Job", "", (row) => at(row).job),
        numbers("lead", "Lead", "", (row) => at(row).lead),
        texts("operation", "Operation", (row) => at(row).operation),
        numbers("first_call", "First call", "", (row) => at(row).first_call),
        numbers("calls", "Calls", "", (row) => at(row).calls),
        numbers("sender", "Sender", "", (row) => at(row).sender),
        numbers("receiver", "Receiver", "", (row) => at(row).receiver),
        numbers("sent_bytes", "Sent", "bytes", (row) => at(row).sent_bytes),
        numbers("received_bytes", "Received", "bytes", (row) => at(row).received_bytes),
      ]),
    }, { note: "These calls are errors of the program: a rank sends a different number of bytes than its partner receives." });
}
