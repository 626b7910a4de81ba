import type { LbData, PhaseObjects } from "../../data/report";

export interface MovedObject {
  number: number | string;
  index: string;
  load_s: number;
  from: number;
  to: number;
}

/** Objects of two data sets with the same numbers: how many, and those that are on different ranks. */
export function movedObjects(section: LbData, before: PhaseObjects, other: LbData, after: PhaseObjects): { common: number; moved: MovedObject[] } {
  const rankOf = new Map<string, number>();
  after.entity.forEach((entity, i) => rankOf.set(String(other.entities.number[entity]), after.rank[i]!));
  const moved: MovedObject[] = [];
  let common = 0;
  before.entity.forEach((entity, i) => {
    const number = section.entities.number[entity]!;
    const to = rankOf.get(String(number));
    if (to === undefined) return;
    common++;
    if (to === before.rank[i]) return;
    moved.push({ number, index: section.entities.index[entity] ?? "", load_s: before.load_s[i]!, from: before.rank[i]!, to });
  });
  return { common, moved };
}
