import { figure } from "../../charts/figure";
import { heatMap } from "../../charts/heat-map";
import { tableFigure } from "../../charts/table-figure";
import type { Collectives } from "../../data/report";
import { numbers, texts } from "../../format/dataset";
import { formatNumber } from "../../format/numbers";
import { countOf } from "../../format/words";
import { checkBox, choice, element } from "../../page/dom";
import type { View, ViewContext } from "../../page/view";
import { facts, findings, notes, type Fact } from "../facts";
import { openCall, profileOf } from "./context";
import { bytesBetween } from "./counts";
import type { TrafficView } from "../../data/document-types";
import type { Profile, Signature } from "./profile";

export const matrix: View<Collectives> = {
  id: "matrix",
  title: "Who sends to whom",
  purpose: "Bytes that each rank sends to each other rank, in total and for each set of counts.",
  render(host, context) {
    const profile = profileOf(context);
    const traffic = profile.matrix!;
    const oneHost = new Set(profile.hosts().values()).size === 1;
    findings(host, sentencesOf(traffic, oneHost));
    facts(host, factsOf(traffic, oneHost));
    if (traffic.unplaced_calls) {
      notes(host, [`The total excludes ${formatNumber(traffic.unplaced_bytes, "bytes")} of ${countOf(traffic.unplaced_calls, "call")} whose ranks are unknown.`]);
    }
    showMatrix(host, context, profile, traffic);
    showPairs(host, traffic);
  },
};

function sentencesOf({ largest, total_bytes: total, between_nodes_bytes: between }: TrafficView, oneHost: boolean): string[] {
  const list: string[] = [];
  if (largest) {
    const share = formatNumber(largest.bytes / total, "share");
    list.push(`The largest pair is rank ${largest.from} to rank ${largest.to}: ${formatNumber(largest.bytes, "bytes")}, ${share} of all bytes.`);
  }
  if (between !== undefined && !oneHost) list.push(`${formatNumber(between / total, "share")} of all bytes cross from one host to another.`);
  return list;
}

function factsOf(traffic: TrafficView, oneHost: boolean): Fact[] {
  const over = (side: TrafficView["sent"]) => (side ? { detail: `rank ${side.rank}, ${formatNumber(side.over_mean)} times the mean` } : {});
  return [
    { label: "Bytes in total", value: traffic.total_bytes, unit: "bytes" },
    { label: "From ranks to themselves", value: traffic.self_bytes, unit: "bytes" },
    { label: "Most sent", value: traffic.sent?.bytes ?? null, unit: "bytes", ...over(traffic.sent) },
    { label: "Most received", value: traffic.received?.bytes ?? null, unit: "bytes", ...over(traffic.received) },
    ...(traffic.within_nodes_bytes === undefined || oneHost ? [] : [
      { label: "Within hosts", value: traffic.within_nodes_bytes, unit: "bytes" },
      { label: "Between hosts", value: traffic.between_nodes_bytes ?? null, unit: "bytes" },
    ]),
    ...(traffic.point_to_point_messages ? [{ label: "Point-to-point messages", value: traffic.point_to_point_messages }] : []),
  ];
}

/** One picture: of the total, or of the calls with equal counts. */
function showMatrix(host: HTMLElement, context: ViewContext<Collectives>, profile: Profile, traffic: TrafficView): void {
  const { selection } = context;
  const signatures = profile.signatures();
  const byHost = trafficOfHosts(traffic, profile.hosts());
  const place = element("div");
  host.append(place);
  const draw = () => {
    const logarithmic = selection.text("scale") === "log";
    const shown = selection.text("counts") ?? "";
    const chosen = shown === "" ? undefined : signatures[Number(shown)];
    const options = [
      { value: "", label: "total of all calls" },
      ...(byHost ? [{ value: "hosts", label: "total of all calls, by host" }] : []),
      ...signatures.map((signature, i) => ({ value: String(i), label: nameOf(signature) })),
    ];
    const controls = [
      choice("Show", options, options.some((option) => option.value === shown) ? shown : "", (value) => { selection.select({ counts: value || null }); draw(); }),
      checkBox("logarithmic", logarithmic, (checked) => { selection.select({ scale: checked ? "log" : null }); draw(); }),
    ];
    place.replaceChildren();
    if (chosen) showSignature(place, context, profile, chosen, { controls, logarithmic });
    else if (shown === "hosts" && byHost) showTotal(place, byHost, { controls, logarithmic }, "host");
    else showTotal(place, traffic, { controls, logarithmic }, "rank");
  };
  draw();
}

interface Shown {
  controls: HTMLElement[];
  logarithmic: boolean;
}

/** Bytes between named senders and receivers: positions in `names`, and bytes. */
interface Traffic {
  names: string[];
  pairs: [number, number, number][];
}

/** The traffic summed over the ranks of each host, or null if the host of a rank is unknown or all ranks share one. */
function trafficOfHosts(traffic: TrafficView, hosts: Map<number, string>): Traffic | null {
  if (traffic.by !== "rank" || !traffic.names.every((rank) => hosts.has(Number(rank)))) return null;
  const names = [...new Set(traffic.names.map((rank) => hosts.get(Number(rank))!))];
  if (names.length < 2) return null;
  const position = traffic.names.map((rank) => names.indexOf(hosts.get(Number(rank))!));
  const sums = new Map<number, number>();
  for (const [from, to, bytes] of traffic.pairs) {
    const cell = position[from]! * names.length + position[to]!;
    sums.set(cell, (sums.get(cell) ?? 0) + bytes);
  }
  return { names, pairs: [...sums].map(([cell, bytes]) => [Math.floor(cell / names.length), cell % names.length, bytes]) };
}

function showTotal(host: HTMLElement, traffic: Traffic, { controls, logarithmic }: Shown, what: string): void {
  const size = traffic.names.length;
  const values = new Float64Array(size * size).fill(NaN);
  for (const [from, to, bytes] of traffic.pairs) values[from * size + to] = bytes;
  figure(host, { title: "Bytes of all calls", caption: "Empty cells: no data.", controls }, (body) => heatMap(body, {
    label: `Bytes of all calls from each sending ${what} to each receiving ${what}`, rows: size, columns: size, values, unit: "bytes", logarithmic, square: true,
    rowTitle: `sending ${what}`, columnTitle: `receiving ${what}`, rowLabel: (row) => traffic.names[row]!, columnLabel: (column) => traffic.names[column]!,
  }));
}

function showSignature(host: HTMLElement, context: ViewContext<Collectives>, profile: Profile, signature: Signature, { controls, logarithmic }: Shown): void {
  const { example } = signature;
  const ranks = example.communicator_ranks;
  const peers = profile.peersOf(example);
  figure(host, {
    title: `Bytes of one call: ${nameOf(signature)}`,
    caption: `Ranks are those of the communicator. All these calls move ${formatNumber(signature.bytes, "bytes")}. Select a cell to open the first of them.`,
    controls,
  }, (body) => heatMap(body, {
    label: `Bytes of one call of ${signature.operation} from each sender to each receiver`, rows: ranks, columns: peers,
    values: bytesBetween(example.sent, ranks, peers), unit: "bytes", logarithmic, square: true,
    rowTitle: "sender", columnTitle: "receiver", rowLabel: (row) => `${row}`, columnLabel: (column) => `${column}`,
    onSelect: () => openCall(context, example),
  }));
}

function nameOf({ operation, example, calls }: Signature): string {
  return `${operation} on ${countOf(example.communicator_ranks, "rank")}, ${formatNumber(example.bytes_per_call, "bytes")}, ${countOf(calls, "call")}`;
}

function showPairs(host: HTMLElement, traffic: TrafficView): void {
  const pairs = traffic.pairs.filter(([from, to]) => from !== to).sort((a, b) => b[2] - a[2]);
  tableFigure(host, "Pairs of different ranks", {
    length: pairs.length,
    columns: [
      texts("from", "Sender", (row) => traffic.names[pairs[row]![0]]!),
      texts("to", "Receiver", (row) => traffic.names[pairs[row]![1]]!),
      numbers("bytes", "Bytes", "bytes", (row) => pairs[row]![2]),
      numbers("share", "Of all bytes", "share", (row) => pairs[row]![2] / traffic.total_bytes),
    ],
  }, { visibleRows: 10 });
}
