// Horizontal positions in the drawing of a layout.
import type { PlaceInfo, StudyInfo } from "../../data/document-types";

/** Processors that the drawing shows or, with two kinds of nodes, all nodes of both. */
export function widthOf(solution: StudyInfo): number {
  const kinds = solution.partitions;
  return kinds.length ? kinds.reduce((nodes, kind) => nodes + kind.nodes, 0) : solution.processors;
}

/** Processors of a component or, with two kinds of nodes, its nodes: those of the first kind come first. */
export function extentOf(solution: StudyInfo, place: Pick<PlaceInfo, "root" | "processors" | "partition">): { from: number; to: number } {
  let rank = 0;
  let node = 0;
  for (const kind of solution.partitions) {
    const from = node + (place.root - rank) / kind.tasks_per_node;
    if (kind.name === place.partition) return { from, to: from + place.processors / kind.tasks_per_node };
    rank += kind.nodes * kind.tasks_per_node;
    node += kind.nodes;
  }
  return { from: place.root, to: place.root + place.processors };
}
