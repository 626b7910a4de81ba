import { barChart } from "../../charts/bar-chart";
import { figure } from "../../charts/figure";
import { tableFigure } from "../../charts/table-figure";
import type { Collectives } from "../../data/report";
import { numbers, texts, type DataTable } from "../../format/dataset";
import { formatNumber } from "../../format/numbers";
import { countOf } from "../../format/words";
import { button, choice, element } from "../../page/dom";
import type { View, ViewContext } from "../../page/view";
import { facts, findings, notes, type Fact } from "../facts";
import { present, ratio } from "./columns";
import { callName, profileOf, selectedCall } from "./context";
import { showCounts } from "./counts";
import type { CallDetail, Pattern, PeerCount } from "../../data/document-types";
import { bytesOfRanks, type CallId, type Profile } from "./profile";

export const call: View<Collectives> = {
  id: "call",
  title: "One call",
  purpose: "Who sends how much to whom in one call, how long it takes on each rank, who is late, and where the program makes it.",
  render(host, context) {
    const profile = profileOf(context);
    const page = element("div");
    const draw = () => {
      page.replaceChildren();
      const id = selectedCall(context, profile);
      if (id) showCall(page, context, profile, id, draw);
      else notes(page, ["The profile contains no counts of calls."]);
    };
    host.append(page);
    draw();
  },
};

function showCall(host: HTMLElement, context: ViewContext<Collectives>, profile: Profile, id: CallId, redraw: () => void): void {
  host.append(callControls(context, profile, id, redraw), element("h2", { class: "subject" }, callName(profile, id)));
  const exact = profile.detail(id);
  const detail = exact ?? equalCall(profile, id);
  if (!detail) {
    notes(host, [`The report does not contain the counts of this call. To see them, run: ${commandFor(profile, id)}`]);
    return;
  }
  findings(host, sentencesOf(detail, patternOf(profile, detail)));
  facts(host, factsOf(profile, detail, profile.time(id)?.begin_s));
  if (!exact) notes(host, [`The report omits the times of this call on each rank, and its backtrace. To see them, run: ${commandFor(profile, id)}`]);
  const ranks = rankValues(profile, detail);
  showRanks(host, ranks);
  showHosts(host, ranks);
  showCounts(host, profile, detail);
  showBacktraces(host, detail);
}

/** A call that is omitted, with the counts of an equal one. */
function equalCall(profile: Profile, id: CallId): CallDetail | undefined {
  const run = profile.run(id);
  const example = run && profile.countsOf(run);
  if (!example) return undefined;
  const time = profile.time(id);
  const sameRanks = example.communicator === run.communicator ? example.ranks : [];
  const { time_s, waited_s, ...counts } = example;
  return {
    ...counts, call: id.call, communicator: run.communicator, backtraces: [],
    ranks: sameRanks.map(({ begin_s, time_s: time, waited_s: wait, ...rank }) => rank),
    ...(time && { time_s: time.time_s }),
    ...(time && time.waited_s !== null && { waited_s: time.waited_s }),
  };
}

function commandFor({ name }: Profile, { lead, operation, call: number }: CallId): string {
  return `plimsoll collectives calls ${name} --call ${lead}:${number} --operation ${operation}`;
}

/** Steps to the neighbours of a call, and a choice of the operations and leads. */
function callControls({ selection }: ViewContext<Collectives>, profile: Profile, id: CallId, redraw: () => void): HTMLElement {
  const go = (next: CallId) => {
    selection.select({ job: next.job, lead: next.lead, operation: next.operation, call: next.call });
    redraw();
  };
  const known = profile.callsOf(id);
  const position = known.indexOf(id.call);
  const step = (label: string, title: string, to: number | undefined) => {
    const control = button(label, title, () => go({ ...id, call: to! }));
    control.disabled = to === undefined;
    return control;
  };
  const input = element("input", { type: "number", min: known[0] ?? 0, max: known.at(-1) ?? 0, value: id.call });
  input.addEventListener("change", () => go({ ...id, call: Number(input.value) }));
  const groups = profile.callGroups();
  const current = groups.findIndex((group) => group.job === id.job && group.lead === id.lead && group.operation === id.operation);
  const options = groups.map((group, i) => ({ value: String(i), label: `${group.operation}, led by rank ${group.lead}` }));
  const operation = choice("Operation", options, String(current), (value) => go(groups[Number(value)]!));
  return element("div", { class: "controls" }, groups.length > 1 && operation,
    step("‹ Previous", "Open the previous call", position > 0 ? known[position - 1] : undefined),
    element("label", { class: "control" }, "Call", input),
    step("Next ›", "Open the next call", known[position + 1]));
}

function patternOf(profile: Profile, detail: CallDetail): Pattern | undefined {
  const lead = profile.patterns?.leads.find((candidate) =>
    candidate.job === detail.job && candidate.lead === detail.lead && candidate.operation === detail.operation);
  return lead?.patterns.find((candidate) => candidate.pattern === detail.pattern);
}

function sentencesOf(detail: CallDetail, pattern: Pattern | undefined): string[] {
  const list: string[] = [];
  if (detail.waited_s) {
    const last = latestRanks(detail)[0];
    if (last) {
      const waited = formatNumber(detail.waited_s, "s");
      list.push(`Rank ${last.world_rank ?? last.rank} enters this call last. The other ranks wait ${waited} for it in total.`);
    }
  }
  if (pattern) {
    list.push(pattern.empty
      ? `Pattern #${pattern.pattern}: no rank sends data.`
      : `Pattern #${pattern.pattern} (${pattern.classes.join(", ")}): ${peerText(pattern.sent, "send", "to")}, and ${peerText(pattern.received, "receive", "from")}.`);
  }
  return list;
}

/** How many ranks have how many peers: "4 ranks send to 4 ranks each". */
function peerText(counts: PeerCount[], verb: string, word: string): string {
  const ranks = counts.reduce((sum, count) => sum + count.ranks, 0);
  const peers = counts.map((count) => count.peers);
  const [least, most] = [Math.min(...peers), Math.max(...peers)];
  const span = least === most ? countOf(most, "rank") : `${formatNumber(least)} to ${countOf(most, "rank")}`;
  return `${countOf(ranks, "rank")} ${verb}${ranks === 1 ? "s" : ""} ${word} ${span}${ranks === 1 ? "" : " each"}`;
}

/** The ranks in the order in which they entered the call, last first. */
function latestRanks(detail: CallDetail): CallDetail["ranks"] {
  return detail.ranks.filter((rank) => rank.waited_s !== undefined).sort((a, b) => a.waited_s! - b.waited_s!);
}

function factsOf(profile: Profile, detail: CallDetail, begin: number | undefined): Fact[] {
  const members = profile.summary.communicators.find(({ job, lead, id }) => job === detail.job && lead === detail.lead && id === detail.communicator);
  return [
    { label: "Bytes sent", value: detail.bytes_per_call, unit: "bytes" },
    ...(detail.time_s !== undefined ? [
      { label: "Time on the slowest rank", value: detail.time_s, unit: "s", ...otherTimes(detail) },
      { label: "Bandwidth", value: ratio(detail.bytes_per_call, detail.time_s), unit: "bytes/s" },
    ] : []),
    ...(detail.waited_s !== undefined ? [{ label: "Waited for the last rank", value: detail.waited_s, unit: "s" }] : []),
    ...(begin !== undefined ? [{ label: "Begin", value: begin, unit: "s", detail: "since MPI_Init" }] : []),
    { label: "Imbalance sent", value: detail.imbalance_sent, unit: "imbalance" },
    { label: "Imbalance received", value: detail.imbalance_received, unit: "imbalance" },
    {
      label: "Communicator", value: detail.communicator === null ? "unknown" : String(detail.communicator),
      detail: `${countOf(detail.communicator_ranks, "rank")}${members?.world_ranks ? `: ${members.world_ranks}` : ""}`,
    },
  ];
}

function otherTimes({ ranks }: CallDetail): { detail?: string } {
  const times = ranks.flatMap((rank) => rank.time_s ?? []);
  if (times.length === 0) return {};
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length;
  return { detail: `mean ${formatNumber(mean, "s")}, fastest ${formatNumber(Math.min(...times), "s")}` };
}

interface RankValues {
  rank: number;
  world_rank: number | null;
  host: string | null;
  begin_s: number | null;
  time_s: number | null;
  waited_s: number | null;
  sent: number;
  received: number;
}

function rankValues(profile: Profile, detail: CallDetail): RankValues[] {
  const peers = profile.peersOf(detail);
  const sent = bytesOfRanks(detail.sent, detail.communicator_ranks, peers);
  const received = bytesOfRanks(detail.received, detail.communicator_ranks, peers);
  return sent.map((bytes, rank) => {
    const known = detail.ranks.find((candidate) => candidate.rank === rank);
    return {
      rank, world_rank: known?.world_rank ?? null, host: known?.host ?? null, sent: bytes, received: received[rank]!,
      begin_s: known?.begin_s ?? null, time_s: known?.time_s ?? null, waited_s: known?.waited_s ?? null,
    };
  });
}

function showRanks(host: HTMLElement, ranks: RankValues[]): void {
  const charts = element("div", { class: "columns" });
  host.append(charts);
  const chart = (title: string, unit: string, series: { label: string; values: (number | null)[] }[]) => {
    const known = series.filter(({ values }) => values.some((value) => value !== null));
    if (known.length === 0) return;
    figure(charts, { title }, (body) => barChart(body, {
      label: title, itemTitle: "rank", count: ranks.length, itemLabel: (i) => `${ranks[i]!.world_rank ?? i}`, unit, series: known, height: 180,
    }));
  };
  chart("Bytes of each rank", "bytes", [
    { label: "sent", values: ranks.map((rank) => rank.sent) },
    { label: "received", values: ranks.map((rank) => rank.received) },
  ]);
  chart("Time of each rank", "s", [
    { label: "in the call", values: ranks.map((rank) => rank.time_s) },
    { label: "waiting", values: ranks.map((rank) => rank.waited_s) },
  ]);
  chart("Bandwidth of each rank", "bytes/s", [
    { label: "sent", values: ranks.map((rank) => ratio(rank.sent, rank.time_s)) },
    { label: "received", values: ranks.map((rank) => ratio(rank.received, rank.time_s)) },
  ]);
  const waits = ranks.some((rank) => rank.waited_s !== null);
  tableFigure(host, "Ranks", rankTable(ranks), {
    visibleRows: 12,
    ...(waits && { note: "The rank that waits least entered the call last.", sortBy: { key: "waited_s", descending: false } }),
  });
}

function rankTable(ranks: RankValues[]): DataTable {
  const at = (row: number) => ranks[row]!;
  return {
    length: ranks.length,
    columns: present(ranks.length, [
      numbers("rank", "Rank", "id", (row) => at(row).rank),
      numbers("world_rank", "World rank", "id", (row) => at(row).world_rank),
      texts("host", "Host", (row) => at(row).host),
      numbers("begin_s", "Begin", "s", (row) => at(row).begin_s),
      numbers("time_s", "Time in call", "s", (row) => at(row).time_s),
      numbers("waited_s", "Waited", "s", (row) => at(row).waited_s),
      numbers("sent", "Sent", "bytes", (row) => at(row).sent),
      numbers("received", "Received", "bytes", (row) => at(row).received),
      numbers("bandwidth_sent", "Sent per second", "bytes/s", (row) => ratio(at(row).sent, at(row).time_s)),
      numbers("bandwidth_received", "Received per second", "bytes/s", (row) => ratio(at(row).received, at(row).time_s)),
    ]),
  };
}

/** Sums and means of the ranks of each host. */
function showHosts(host: HTMLElement, ranks: RankValues[]): void {
  const groups = new Map<string, RankValues[]>();
  for (const rank of ranks) if (rank.host !== null) groups.set(rank.host, [...(groups.get(rank.host) ?? []), rank]);
  if (groups.size === 0) return;
  const names = [...groups.keys()];
  const sum = (row: number, of: (rank: RankValues) => number | null) => groups.get(names[row]!)!.reduce((total, rank) => total + (of(rank) ?? 0), 0);
  const mean = (row: number, of: (rank: RankValues) => number | null) =>
    (groups.get(names[row]!)!.some((rank) => of(rank) === null) ? null : sum(row, of) / groups.get(names[row]!)!.length);
  tableFigure(host, "Hosts", {
    length: names.length,
    columns: present(names.length, [
      texts("host", "Host", (row) => names[row]!),
      numbers("ranks", "Ranks", "", (row) => groups.get(names[row]!)!.length),
      numbers("sent", "Sent", "bytes", (row) => sum(row, (rank) => rank.sent)),
      numbers("received", "Received", "bytes", (row) => sum(row, (rank) => rank.received)),
      numbers("mean_sent", "Sent per rank", "bytes", (row) => mean(row, (rank) => rank.sent)),
      numbers("mean_received", "Received per rank", "bytes", (row) => mean(row, (rank) => rank.received)),
      numbers("mean_time_s", "Mean time", "s", (row) => mean(row, (rank) => rank.time_s)),
      numbers("mean_waited_s", "Mean wait", "s", (row) => mean(row, (rank) => rank.waited_s)),
    ]),
  });
}

function showBacktraces(host: HTMLElement, { backtraces }: CallDetail): void {
  for (const { program, frames } of backtraces) {
    host.append(element("section", { class: "figure", "aria-label": "Backtrace" },
      element("h2", {}, "Called from"),
      element("p", { class: "note" }, program),
      element("pre", { class: "frames", tabindex: 0, "aria-label": "Frames of the backtrace" }, frames.join("\n"))));
  }
}
