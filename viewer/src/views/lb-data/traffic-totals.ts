import type { PhaseTraffic } from "../../data/report";

export interface TrafficTotals {
  all: number;
  withinRows: number;
  /** Bytes between ranks of the same node, and of different nodes; null for a single node, and if the nodes of the rows are unknown. */
  nodes: { within: number; between: number } | null;
}

/** Sums of bytes by distance. Rows that stand for several ranks may span nodes, and their nodes are then unknown. */
export function trafficTotals(traffic: Omit<PhaseTraffic, "phase">, nodes: number[] | null, ranksPerRow: number): TrafficTotals {
  const several = new Set(nodes).size > 1 && ranksPerRow === 1;
  const totals = { all: 0, withinRows: 0, nodes: several ? { within: 0, between: 0 } : null };
  traffic.bytes.forEach((bytes, i) => {
    const from = traffic.from[i]!;
    const to = traffic.to[i]!;
    totals.all += bytes;
    if (from === to) totals.withinRows += bytes;
    else if (totals.nodes) totals.nodes[nodes![from] === nodes![to] ? "within" : "between"] += bytes;
  });
  return totals;
}
