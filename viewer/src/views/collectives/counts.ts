// Side and displacements of one call: as a picture, and row by row as they were recorded.
import { figure } from "../../charts/figure";
import { heatMap } from "../../charts/heat-map";
import { tableFigure } from "../../charts/table-figure";
import { numbers, texts, type Column } from "../../format/dataset";
import { formatNumber } from "../../format/numbers";
import { element } from "../../page/dom";
import type { CallDetail, Side } from "../../data/document-types";
import { bytesOf, countsOfRanks, type Profile } from "./profile";

export function showCounts(host: HTMLElement, profile: Profile, detail: CallDetail): void {
  const peers = profile.peersOf(detail);
  const pictures = element("div", { class: "columns" });
  host.append(pictures);
  showPicture(pictures, "Bytes sent to each rank", detail.sent, detail, peers, "receiver");
  showPicture(pictures, "Bytes received from each rank", detail.received, detail, peers, "sender");
  showRows(host, "Send counts", detail.sent, countColumns(detail.sent));
  showRows(host, "Receive counts", detail.received, countColumns(detail.received));
  if (detail.send_displacements) showRows(host, "Send displacements", detail.send_displacements, []);
  if (detail.receive_displacements) showRows(host, "Receive displacements", detail.receive_displacements, []);
}

function showPicture(host: HTMLElement, title: string, counts: Side, detail: CallDetail, peers: number, peerTitle: "sender" | "receiver"): void {
  const ranks = detail.communicator_ranks;
  figure(host, { title }, (body) => heatMap(body, {
    label: title, rows: ranks, columns: peers, values: bytesBetween(counts, ranks, peers), unit: "bytes",
    rowTitle: peerTitle === "receiver" ? "sender" : "receiver", columnTitle: peerTitle,
    rowLabel: (row) => `${row}`, columnLabel: (column) => `${column}`, square: true,
  }));
}

/** Bytes between each rank (row) and its peers (columns). */
export function bytesBetween(counts: Side, ranks: number, peers: number): Float64Array {
  const values = new Float64Array(ranks * peers).fill(NaN);
  for (const row of countsOfRanks(counts)) {
    for (let peer = 0; peer < peers; peer++) {
      const count = row.counts.length === 1 ? row.counts[0] : row.counts[peer];
      if (count !== undefined) values[row.rank * peers + peer] = bytesOf(count, row);
    }
  }
  return values;
}

/** The numbers of each row of ranks, as recorded, and columns about them. */
function showRows(host: HTMLElement, title: string, counts: Side, columns: Column[]): void {
  const { rows } = counts;
  const sizes = counts.type_sizes.length ? "sizes of elements differ between ranks" : `elements of ${formatNumber(counts.type_size, "bytes")}`;
  tableFigure(host, `${title} (${sizes})`, {
    length: rows.length,
    columns: [
      texts("ranks", "Ranks", (row) => rows[row]!.ranks),
      ...columns,
      texts("numbers", "One number per peer", (row) => rows[row]!.counts.join(" ")),
    ],
  }, { visibleRows: 10 });
}

function countColumns({ rows }: Side): Column[] {
  return [
    numbers("zeros", "Zeros", "", (row) => rows[row]!.counts.filter((count) => count === 0).length),
    numbers("min", "Minimum", "", (row) => rows[row]!.counts.reduce((a, b) => Math.min(a, b), Infinity)),
    numbers("max", "Maximum", "", (row) => rows[row]!.counts.reduce((a, b) => Math.max(a, b), -Infinity)),
    numbers("sum", "Sum", "", (row) => rows[row]!.counts.reduce((a, b) => a + b, 0)),
  ];
}
