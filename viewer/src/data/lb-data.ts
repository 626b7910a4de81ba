// What several views of a data set look up: phases by number, names of rows, and the objects of a phase.
import type { Selection } from "../page/selection";
import type { LbData, PhaseObjects } from "./report";

/** Position of the selected phase; without selection, of the phase that loses the most time to imbalance. */
export function selectedPosition(section: LbData, selection: Selection): number {
  const phase = selection.number("phase");
  const position = phase === null ? -1 : section.info.phases.findIndex((each) => each.phase === phase);
  return position >= 0 ? position : costliestPosition(section);
}

/** Position of the phase with the largest difference between maximum and mean load. */
export function costliestPosition({ info: { phases } }: LbData): number {
  let costliest = 0;
  phases.forEach((phase, i) => { if (lostTime(phase) > lostTime(phases[costliest]!)) costliest = i; });
  return costliest;
}

function lostTime(phase: { max_load_s: number; mean_load_s: number }): number {
  return phase.max_load_s - phase.mean_load_s;
}

/** Number of the phase at a position. */
export function phaseNumber(section: LbData, position: number): number {
  return section.info.phases[position]?.phase ?? position;
}

/** Number of rows of the quantities: ranks, or blocks of ranks. */
export function rowCount(section: LbData): number {
  return Math.ceil(section.info.ranks / section.ranks_per_row);
}

/** "rank", or "ranks" if a row stands for several. */
export function rowTitle(section: LbData): string {
  return section.ranks_per_row > 1 ? "ranks" : "rank";
}

export function rowLabel(section: LbData, row: number): string {
  const size = section.ranks_per_row;
  if (size <= 1) return String(row);
  return `${row * size}–${Math.min((row + 1) * size, section.info.ranks) - 1}`;
}

export function rowOfRank(section: LbData, rank: number): number {
  return Math.floor(rank / section.ranks_per_row);
}

export function objectsAt(section: LbData, position: number): PhaseObjects | undefined {
  return section.objects.find((each) => each.phase === position);
}

/** First and last + 1 position of the objects of ranks `from` to `to` - 1; the objects are sorted by rank. */
export function objectRange(objects: PhaseObjects, from: number, to: number): [first: number, last: number] {
  return [lowerBound(objects.rank, from), lowerBound(objects.rank, to)];
}

function lowerBound(sorted: number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The number of an object and its index, such as "17 (3,4)". */
export function objectLabel({ entities }: LbData, entity: number): string {
  return `${entities.number[entity]}${entities.index[entity] ? ` (${entities.index[entity]})` : ""}`;
}

/** How an object is called in a sentence, such as "object 17 (3,4) of collection 2". */
export function objectName(section: LbData, entity: number): string {
  const collection = section.entities.collection[entity] ?? null;
  return `object ${objectLabel(section, entity)}${collection === null ? "" : ` of collection ${collection}`}`;
}

/** The unit of a user-defined number, as its name tells. */
export function unitOfUserNumber(name: string): string {
  if (/(^|_)(id|rank)$/.test(name)) return "id";
  return name.endsWith("_bytes") ? "bytes" : "";
}

/** Where and how heavy an object was in each phase in which it is listed. */
export interface Life {
  positions: number[];
  ranks: number[];
  loads: number[];
}

export function lifeOf(section: LbData, entity: number): Life {
  const life: Life = { positions: [], ranks: [], loads: [] };
  for (const objects of section.objects) {
    const at = objects.entity.indexOf(entity);
    if (at < 0) continue;
    life.positions.push(objects.phase);
    life.ranks.push(objects.rank[at]!);
    life.loads.push(objects.load_s[at]!);
  }
  return life;
}
