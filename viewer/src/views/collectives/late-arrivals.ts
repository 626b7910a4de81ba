import { barChart } from "../../charts/bar-chart";
import { figure } from "../../charts/figure";
import { heatMap } from "../../charts/heat-map";
import { tableFigure } from "../../charts/table-figure";
import type { Collectives } from "../../data/report";
import { formatNumber } from "../../format/numbers";
import { countOf } from "../../format/words";
import { checkBox, element } from "../../page/dom";
import type { View, ViewContext } from "../../page/view";
import { facts, findings } from "../facts";
import { runTable } from "./calls";
import { showCommunicatorRanks } from "./communicator-ranks";
import { openCall, profileOf } from "./context";
import type { RankSummary, RunSummary } from "../../data/document-types";
import { firstCall, type Profile } from "./profile";

export const lateArrivals: View<Collectives> = {
  id: "late",
  title: "Late arrivals",
  purpose: "Which ranks enter calls last, and how long the others wait for them.",
  render(host, context) {
    const profile = profileOf(context);
    const { summary } = profile;
    const waiting = summary.waiting!;
    findings(host, sentencesOf(summary));
    const share = summary.time_in_calls ? { detail: `${formatNumber(waiting.waited_s / summary.time_in_calls.time_s, "share")} of the time in calls` } : {};
    facts(host, [
      { label: "Waited for the last rank", value: waiting.waited_s, unit: "s", ...share },
      { label: "Calls", value: waiting.calls },
      { label: "Waited per call", value: waiting.waited_s / waiting.calls, unit: "s" },
      ...(summary.clock_error_s === null ? [] : [{ label: "Clock error", value: summary.clock_error_s, unit: "s", detail: "shorter waits are meaningless" }]),
    ]);
    showRanks(host, summary.ranks.filter((rank) => rank.waited_s !== undefined));
    showCommunicatorRanks(host, context.section.communicator_ranks ?? []);
    showWaits(host, context, profile);
    if (profile.runs.length) tableFigure(host, "Calls with the longest waits", runTable(profile), {
      sortBy: { key: "waited_s", descending: true },
      visibleRows: 12,
      onSelect: (row) => openCall(context, firstCall(profile.runs[row]!)),
    });
  },
};

function sentencesOf({ ranks, waiting }: RunSummary): string[] {
  return waiting!.late_ranks.slice(0, 3).flatMap((late) => {
    const rank = ranks.find((candidate) => candidate.rank === late);
    if (!rank?.made_wait_s) return [];
    return [`Rank ${late} enters ${countOf(rank.latest_in_calls ?? 0, "call")} last. Other ranks wait ${formatNumber(rank.made_wait_s, "s")} for it, `
      + `${formatNumber(rank.made_wait_s / waiting!.waited_s, "share")} of all wait time.`];
  });
}

function showRanks(host: HTMLElement, ranks: RankSummary[]): void {
  if (ranks.length === 0) return;
  const charts = element("div", { class: "columns" });
  host.append(charts);
  const chart = (title: string, unit: string, of: (rank: RankSummary) => number | undefined) => {
    figure(charts, { title }, (body) => barChart(body, {
      label: title, itemTitle: "rank", count: ranks.length, itemLabel: (i) => `${ranks[i]!.rank}`, unit, height: 180,
      series: [{ label: title, values: ranks.map((rank) => of(rank) ?? null) }],
    }));
  };
  chart("Wait time caused by each rank", "s", (rank) => rank.made_wait_s);
  chart("Wait time of each rank", "s", (rank) => rank.waited_s);
  chart("Calls that each rank enters last", "", (rank) => rank.latest_in_calls);
}

/** The waits of each rank in each call whose ranks are known. */
function showWaits(host: HTMLElement, context: ViewContext<Collectives>, profile: Profile): void {
  const calls = profile.details.filter((detail) => detail.ranks.some((rank) => rank.waited_s !== undefined))
    .sort((a, b) => (a.ranks[0]!.begin_s ?? a.call) - (b.ranks[0]!.begin_s ?? b.call));
  if (calls.length === 0) return;
  const rankOf = (rank: { rank: number; world_rank?: number }) => rank.world_rank ?? rank.rank;
  const rows = Math.max(...calls.flatMap((call) => call.ranks.map(rankOf))) + 1;
  const values = new Float64Array(rows * calls.length).fill(NaN);
  calls.forEach((call, column) => {
    for (const rank of call.ranks) if (rank.waited_s !== undefined) values[rankOf(rank) * calls.length + column] = rank.waited_s;
  });
  const total = profile.summary.waiting!.calls;
  const shown = calls.length < total ? ` The report contains the waits of ${formatNumber(calls.length)} of ${countOf(total, "call")}.` : "";
  const { selection } = context;
  const place = element("div");
  host.append(place);
  const draw = () => {
    const logarithmic = selection.text("scale") === "log";
    place.replaceChildren();
    figure(place, {
      title: "Wait of each rank in each call",
      caption: `The rank that waits least in a call is the late one.${shown}`,
      controls: [checkBox("logarithmic", logarithmic, (checked) => { selection.select({ scale: checked ? "log" : null }); draw(); })],
    }, (body) => heatMap(body, {
      label: "Wait of each rank in each call", rows, columns: calls.length, values, unit: "s", logarithmic,
      rowTitle: "rank", columnTitle: "call (lead:ID)", rowLabel: (row) => `${row}`, columnLabel: (column) => `${calls[column]!.lead}:${calls[column]!.call}`,
      onSelect: (_, column) => openCall(context, calls[column]!),
    }));
  };
  draw();
}
