import { barChart } from "../../charts/bar-chart";
import { figure } from "../../charts/figure";
import { tableFigure } from "../../charts/table-figure";
import type { Collectives } from "../../data/report";
import { numbers, texts, type DataTable } from "../../format/dataset";
import { formatNumber } from "../../format/numbers";
import { countOf } from "../../format/words";
import { choice, element } from "../../page/dom";
import type { View, ViewContext } from "../../page/view";
import { findings, notes } from "../facts";
import { openCall, profileOf } from "./context";
import type { LeadPatterns, PatternList, PeerCount } from "../../data/document-types";
import { showPatternStrip } from "./pattern-strip";
import { parseList } from "./rank-list";

export const patterns: View<Collectives> = {
  id: "patterns",
  title: "Patterns",
  purpose: "Which ranks exchange data with which, and how that repeats during the run.",
  render(host, context) {
    const found = profileOf(context).patterns;
    if (!found?.structures.length) {
      notes(host, ["The profile contains no counts, and thus no patterns."]);
      return;
    }
    findings(host, sentencesOf(found));
    showStructures(host, found);
    showLead(host, context, found);
  },
};

function sentencesOf({ structures }: PatternList): string[] {
  const calls = structures.reduce((sum, structure) => sum + structure.calls, 0);
  const bytes = structures.reduce((sum, structure) => sum + structure.bytes, 0);
  return structures.slice(0, 3).map((structure) => {
    const ofBytes = bytes > 0 ? ` and ${formatNumber(structure.bytes / bytes, "share")} of bytes` : "";
    const peers = structure.senders > 0 ? `: ${countOf(structure.senders, "sender")}, each to ${span(structure.sends_to)} of the other ranks` : "";
    return `${formatNumber(structure.calls / calls, "share")} of calls${ofBytes} are ${structure.class}${peers}.`;
  });
}

function span({ min, max }: { min: number; max: number }): string {
  return min === max ? formatNumber(min) : `${formatNumber(min)} to ${formatNumber(max)}`;
}

function showStructures(host: HTMLElement, { structures }: PatternList): void {
  const at = (row: number) => structures[row]!;
  tableFigure(host, "Structures", {
      length: structures.length,
      columns: [
        texts("class", "Class", (row) => at(row).class),
        numbers("senders", "Senders", "", (row) => at(row).senders),
        texts("sends_to", "to ranks", (row) => span(at(row).sends_to)),
        numbers("receivers", "Receivers", "", (row) => at(row).receivers),
        texts("receives_from", "from ranks", (row) => span(at(row).receives_from)),
        texts("symmetric", "Symmetric", (row) => (at(row).symmetric ? "yes" : "no")),
        numbers("calls", "Calls", "", (row) => at(row).calls),
        numbers("bytes", "Bytes", "bytes", (row) => at(row).bytes),
        texts("operations", "Operations", (row) => at(row).operations.join(", ")),
        texts("leads", "Leads", (row) => at(row).leads),
      ],
    }, { note: "Senders send data to other ranks, receivers receive from others. In a symmetric structure, each rank sends to the ranks from which it receives." });
}

/** The numbered patterns of the calls of one operation that one rank leads. */
function showLead(host: HTMLElement, context: ViewContext<Collectives>, found: PatternList): void {
  const { selection } = context;
  const place = element("div");
  const draw = () => {
    const chosen = found.leads.findIndex((lead) =>
      lead.lead === (selection.number("lead") ?? -1) && lead.operation === selection.text("operation") && lead.job === (selection.number("job") ?? lead.job));
    const lead = found.leads[Math.max(chosen, 0)]!;
    place.replaceChildren();
    showPatternStrip(place, lead, (call) => openCall(context, { ...lead, call }));
    showPatterns(place, context, lead);
    showSum(place, lead);
  };
  if (found.leads.length > 1) {
    const options = found.leads.map((lead, i) => ({ value: String(i), label: `${lead.operation}, led by rank ${lead.lead}` }));
    const at = found.leads.findIndex((lead) => lead.lead === selection.number("lead") && lead.operation === selection.text("operation"));
    host.append(element("div", { class: "controls" }, choice("Calls of", options, String(Math.max(at, 0)), (value) => {
      const lead = found.leads[Number(value)]!;
      selection.select({ job: lead.job, lead: lead.lead, operation: lead.operation, call: null });
      draw();
    })));
  }
  host.append(place);
  draw();
}

function showPatterns(host: HTMLElement, context: ViewContext<Collectives>, lead: LeadPatterns): void {
  tableFigure(host, `Patterns of ${lead.operation}, led by rank ${lead.lead}`, patternTable(lead), {
    note: "A numbered pattern is how many ranks communicate with how many peers; a rank that sends to itself counts as one of its peers. Select a row to open its first call.",
    onSelect: (row) => openCall(context, { job: lead.job, lead: lead.lead, operation: lead.operation, call: parseList(lead.patterns[row]!.call_ids)[0]! }),
  });
}

function patternTable({ patterns: list, calls }: LeadPatterns): DataTable {
  const at = (row: number) => list[row]!;
  return {
    length: list.length,
    columns: [
      texts("pattern", "Pattern", (row) => `#${at(row).pattern}`),
      texts("classes", "Class", (row) => at(row).classes.join(", ") || "empty"),
      numbers("calls", "Calls", "", (row) => at(row).calls),
      numbers("share", "Of calls", "share", (row) => at(row).calls / calls),
      numbers("bytes", "Bytes", "bytes", (row) => at(row).bytes),
      texts("sent", "Ranks that send to peers", (row) => peerText(at(row).sent, "to")),
      texts("received", "Ranks that receive from peers", (row) => peerText(at(row).received, "from")),
      texts("call_ids", "Calls", (row) => at(row).call_ids),
    ],
  };
}

function peerText(counts: PeerCount[], word: string): string | null {
  return counts.map(({ ranks, peers }) => `${formatNumber(ranks)} ${word} ${formatNumber(peers)}`).join(", ") || null;
}

function showSum(host: HTMLElement, { sum }: LeadPatterns): void {
  const peers = [...new Set([...sum.sent, ...sum.received].map((count) => count.peers))].sort((a, b) => a - b);
  if (peers.length === 0) return;
  const ranksWith = (counts: PeerCount[]) => peers.map((number) => counts.find((count) => count.peers === number)?.ranks ?? 0);
  const options = { title: "Sum of all patterns", caption: "Ranks that have this number of peers, summed over all calls." };
  figure(host, options, (body) => barChart(body, {
    label: "Ranks per number of peers, over all calls", itemTitle: "peers", count: peers.length, itemLabel: (i) => formatNumber(peers[i]), unit: "", height: 160,
    series: [{ label: "sending", values: ranksWith(sum.sent) }, { label: "receiving", values: ranksWith(sum.received) }],
  }));
}
