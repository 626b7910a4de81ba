import { formatNumber } from "./numbers";

/** A number with its noun: "1 rank", "8 ranks". */
export function countOf(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? "" : "s"}`;
}
