import { barChart } from "../../charts/bar-chart";
import { figure } from "../../charts/figure";
import { tableFigure } from "../../charts/table-figure";
import type { Collectives } from "../../data/report";
import { numbers, texts, type DataTable } from "../../format/dataset";
import { formatNumber } from "../../format/numbers";
import type { View } from "../../page/view";
import { findings } from "../facts";
import { present, rankText } from "./columns";
import { profileOf } from "./context";
import type { CallSite } from "../../data/document-types";
import { placeOf } from "./place";

/** Bars of the chart. */
const mostBars = 12;

export const sites: View<Collectives> = {
  id: "sites",
  title: "Call sites",
  purpose: "Where in the program MPI calls cost time. Select a row to open the site.",
  render(host, context) {
    const list = profileOf(context).sites;
    const openSite = (row: number) => {
      context.selection.select({ site: row });
      context.open("site");
    };
    findings(host, [sentenceOf(list[0]!)]);
    const top = list.slice(0, mostBars);
    figure(host, { title: "Time of the most expensive sites", caption: "Sum over all ranks. Select a bar to open the site." }, (body) => barChart(body, {
      label: "Time of the most expensive call sites", itemTitle: "site", count: top.length, unit: "s", height: 180,
      itemLabel: (i) => shortPlace(top[i]!),
      series: [
        { label: "time", values: top.map((site) => site.time_s) },
        { label: "waiting for other ranks", values: top.map((site) => site.waited_s) },
      ],
      onSelect: openSite,
    }));
    tableFigure(host, "Sites", siteTable(list), {
      note: "Calls, bytes and times are sums over all ranks. Imbalance is that of the times of the ranks that made the call.",
      visibleRows: 18,
      filter: true,
      onSelect: openSite,
    });
  },
};

function sentenceOf(site: CallSite): string {
  const wait = !site.waited_s ? "" : `, ${formatNumber(site.waited_s / site.time_s, "share")} of it waiting for other ranks`;
  return `${site.function} at ${placeOf(site)} takes ${formatNumber(site.share, "share")} of the run${wait}.`;
}

function shortPlace(site: CallSite): string {
  const place = placeOf(site).split(" (")[0]!;
  return place.length > 24 ? `${place.slice(0, 23)}…` : place;
}

function siteTable(list: CallSite[]): DataTable {
  const at = (row: number) => list[row]!;
  return {
    length: list.length,
    columns: present(list.length, [
      texts("function", "Function", (row) => at(row).function),
      texts("site", "Site", (row) => placeOf(at(row))),
      numbers("calls", "Calls", "", (row) => at(row).calls),
      numbers("failed_calls", "Failed", "", (row) => at(row).failed_calls || null),
      numbers("bytes", "Bytes", "bytes", (row) => at(row).sent_bytes + at(row).received_bytes),
      numbers("time_s", "Time", "s", (row) => at(row).time_s),
      numbers("share", "Of the run", "share", (row) => at(row).share),
      numbers("waited_s", "Waited", "s", (row) => at(row).waited_s),
      numbers("ranks", "Ranks", "", (row) => at(row).ranks),
      numbers("imbalance", "Imbalance", "imbalance", (row) => at(row).imbalance),
      rankText("slowest_rank", "Slowest", (row) => at(row).slowest_rank),
      numbers("longest_call_s", "Longest call", "s", (row) => at(row).longest_call_s),
    ]),
  };
}
