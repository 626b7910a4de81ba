import { barChart } from "../../charts/bar-chart";
import { figure } from "../../charts/figure";
import { tableFigure } from "../../charts/table-figure";
import type { Collectives } from "../../data/report";
import { numbers, texts, type DataTable } from "../../format/dataset";
import { formatNumber } from "../../format/numbers";
import { element } from "../../page/dom";
import type { View } from "../../page/view";
import { facts } from "../facts";
import { present } from "./columns";
import { openCall, profileOf } from "./context";
import type { RunSummary, SpreadWithZeros, SideSummary } from "../../data/document-types";

export const messages: View<Collectives> = {
  id: "messages",
  title: "Messages and counts",
  purpose: "How large messages are, how many are empty, and which operations, communicators and types the calls use.",
  render(host, context) {
    const { summary } = profileOf(context);
    const sent = summary.sent!;
    facts(host, [
      { label: "Messages", value: sent.messages, detail: "from one rank to one peer in one call" },
      { label: "Empty", value: sent.empty_messages, detail: formatNumber(sent.empty_messages / sent.messages, "share") },
      { label: `Up to ${formatNumber(summary.threshold_bytes, "bytes")}`, value: sent.small_messages },
      { label: `Above ${formatNumber(summary.threshold_bytes, "bytes")}`, value: sent.large_messages },
      { label: "Mean size", value: sent.message_bytes.mean, unit: "bytes", detail: `${formatNumber(sent.message_bytes.nonzero_mean, "bytes")} without empty ones` },
    ]);
    showSizes(host, summary);
    tableFigure(host, "Operations", operationTable(summary));
    tableFigure(host, "Communicators", communicatorTable(summary));
    showCallImbalance(host, summary, context);
    tableFigure(host, "Counts", spreadTable(summary), {
      note: "Elements and bytes: from one rank to one peer in one call, and of one rank in one call, summed over its peers.",
    });
    const pairs = element("div", { class: "columns" });
    host.append(pairs);
    tableFigure(pairs, "Calls per communicator size", pairTable(summary.communicator_sizes, "ranks", "Ranks"));
    for (const [name, direction] of directionsOf(summary)) {
      tableFigure(pairs, `Calls per number of zero counts, ${name}`, pairTable(direction.zero_counts, "zeros", "Zero counts"));
      tableFigure(pairs, `Calls per size of the type, ${name}`, pairTable(direction.type_sizes, "bytes", "Bytes"));
    }
  },
};

function directionsOf({ sent, received }: RunSummary): [string, SideSummary][] {
  return [...(sent ? [["sent", sent] as [string, SideSummary]] : []), ...(received ? [["received", received] as [string, SideSummary]] : [])];
}

function showSizes(host: HTMLElement, summary: RunSummary): void {
  const directions = directionsOf(summary);
  const classes = summary.sent!.histogram;
  const used = classes.map((_, i) => directions.some(([, direction]) => (direction.histogram[i]?.messages ?? 0) > 0));
  const first = used.indexOf(true);
  const shown = classes.slice(first, used.lastIndexOf(true) + 1);
  if (first < 0) return;
  figure(host, { title: "Sizes of messages", caption: "Each class begins with the size below its bar." }, (body) => barChart(body, {
    label: "Number of messages per size class", itemTitle: "size from", count: shown.length, unit: "",
    itemLabel: (i) => (shown[i]!.below_bytes === 1 ? "empty" : formatNumber(shown[i]!.min_bytes, "bytes")),
    series: directions.map(([label, direction]) => ({ label, values: shown.map((_, i) => direction.histogram[first + i]?.messages ?? 0) })),
  }));
}

function operationTable({ operations }: RunSummary): DataTable {
  const at = (row: number) => operations[row]!;
  return {
    length: operations.length,
    columns: [
      texts("operation", "Operation", (row) => at(row).operation),
      numbers("calls", "Calls", "", (row) => at(row).calls),
      numbers("signatures", "Different counts", "", (row) => at(row).signatures),
      numbers("bytes_sent", "Sent", "bytes", (row) => at(row).bytes_sent),
      numbers("bytes_received", "Received", "bytes", (row) => at(row).bytes_received),
      numbers("bytes_per_call", "Sent per call", "bytes", (row) => at(row).bytes_sent / at(row).calls),
    ],
  };
}

function communicatorTable({ communicators }: RunSummary): DataTable {
  const at = (row: number) => communicators[row]!;
  return {
    length: communicators.length,
    columns: present(communicators.length, [
      numbers("job", "Job", "id", (row) => at(row).job),
      numbers("lead", "Lead", "id", (row) => at(row).lead),
      numbers("id", "Communicator", "id", (row) => at(row).id),
      numbers("ranks", "Ranks", "", (row) => at(row).ranks),
      texts("world_ranks", "In MPI_COMM_WORLD", (row) => at(row).world_ranks),
      numbers("remote_ranks", "Remote ranks", "", (row) => at(row).remote_ranks || null),
      numbers("calls", "Calls", "", (row) => at(row).calls),
      numbers("bytes_sent", "Sent", "bytes", (row) => at(row).bytes_sent),
    ]),
  };
}

function showCallImbalance(host: HTMLElement, summary: RunSummary, context: Parameters<typeof openCall>[0]): void {
  const rows = directionsOf(summary).flatMap(([name, { call_imbalance: found }]) => (found ? [{ name, ...found }] : []));
  if (rows.length === 0) return;
  tableFigure(host, "Imbalance per call", {
      length: rows.length,
      columns: [
        texts("direction", "Bytes", (row) => rows[row]!.name),
        numbers("calls", "Calls", "", (row) => rows[row]!.calls),
        numbers("mean", "Mean", "imbalance", (row) => rows[row]!.mean),
        numbers("max", "Maximum", "imbalance", (row) => rows[row]!.max),
        texts("call", "Maximum in", (row) => `call ${rows[row]!.call} of ${rows[row]!.operation}, led by rank ${rows[row]!.lead}`),
      ],
    }, { note: "Max / mean − 1 of the bytes of the ranks in one call. Select a row to open the first call with the maximum.", onSelect: (row) => openCall(context, rows[row]!) });
}

function spreadTable(summary: RunSummary): DataTable {
  const rows = directionsOf(summary).flatMap(([name, direction]) => [
    { name: `${name}: elements to one peer`, spread: direction.message_count },
    { name: `${name}: bytes to one peer`, spread: direction.message_bytes },
    { name: `${name}: elements of one rank`, spread: direction.rank_count },
    { name: `${name}: bytes of one rank`, spread: direction.rank_bytes },
  ]);
  const column = (key: keyof SpreadWithZeros, label: string) => numbers(key, label, "", (row) => rows[row]!.spread[key]);
  return {
    length: rows.length,
    columns: [
      texts("what", "Values", (row) => rows[row]!.name),
      column("values", "Number"), column("zeros", "Zeros"), column("sum", "Sum"), column("min", "Minimum"), column("max", "Maximum"),
      column("mean", "Mean"), column("nonzero_min", "Minimum without zeros"), column("nonzero_mean", "Mean without zeros"),
    ],
  };
}

function pairTable<Key extends string>(rows: ({ calls: number } & { [key in Key]: number })[], key: Key, label: string): DataTable {
  return {
    length: rows.length,
    columns: [numbers(key, label, "", (row) => rows[row]![key]), numbers("calls", "Calls", "", (row) => rows[row]!.calls)],
  };
}
