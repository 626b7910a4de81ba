import { formatNumber } from "./numbers";

/** A number with its noun: "1 rank", "8 ranks". */
export function countOf(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Names with their values: "tolerance 1.05, seed 1". Values from files may be objects. */
export function listOf(entries: [string, unknown][]): string {
  return entries.map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`).join(", ");
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
