import type { PhaseTraffic } from "../../data/report";

export interface TrafficTotals {
  all: number;
  withinRows: number;
  /** Bytes between rows of the same node, and of different nodes; null if the nodes of the rows are unknown. */
  withinNodes: number | null;
  betweenNodes: number | null;
}

/** Sums of bytes by distance. Rows that stand for several ranks may span nodes, and their nodes are then unknown. */
export function trafficTotals(traffic: Omit<PhaseTraffic, "phase">, nodes: number[] | null, ranksPerRow: number): TrafficTotals {
  const known = nodes !== null && ranksPerRow === 1;
  const totals = { all: 0, withinRows: 0, withinNodes: 0, betweenNodes: 0 };
  traffic.bytes.forEach((bytes, i) => {
    const from = traffic.from[i]!;
    const to = traffic.to[i]!;
    totals.all += bytes;
    if (from === to) totals.withinRows += bytes;
    else if (known && nodes[from] === nodes[to]) totals.withinNodes += bytes;
    else totals.betweenNodes += bytes;
  });
  return known ? totals : { ...totals, withinNodes: null, betweenNodes: null };
}
