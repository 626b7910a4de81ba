// Numbers as the command prints them (plimsoll/support/internal/format.hpp). The exact value stays in the title.
import { element } from "../page/dom";

const secondsUnits: [number, string][] = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
const bytesUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
const grouped = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });

/** Formats a number in a unit: "s", "bytes", "share" (as a percentage), "imbalance", "factor", "id" (without grouping), or "" for counts. */
export function formatNumber(value: number | null | undefined, unit = ""): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value < 0) return `−${formatNumber(-value, unit)}`;
  switch (unit) {
    case "s": return formatSeconds(value);
    case "bytes": return formatBytes(value);
    case "bytes/s": return `${formatBytes(value)}/s`;
    case "share": return `${(value * 100).toFixed(1)} %`;
    case "id": return String(value);
    case "imbalance": return value.toFixed(4);
    case "factor": return value.toFixed(3);
    case "": return formatCount(value);
    default: return `${formatCount(value)} ${unit}`;
  }
}

function formatSeconds(value: number): string {
  if (value === 0) return "0 s";
  if (value >= 1e15) return `${value.toExponential(2)} s`;
  if (value >= 3599.5) {
    const minutes = Math.round(value / 60);
    return `${grouped.format(Math.floor(minutes / 60))} h ${minutes % 60} min`;
  }
  if (value >= 59.95) return `${Math.floor(Math.round(value) / 60)} min ${Math.round(value) % 60} s`;
  const [size, name] = secondsUnits.find(([unit]) => value >= unit * 0.9995) ?? secondsUnits[secondsUnits.length - 1]!;
  return `${threeDigits(value / size)} ${name}`;
}

function threeDigits(value: number): string {
  return value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

function formatBytes(value: number): string {
  let power = 0;
  while (value >= (power === 0 ? 1024 : 1023.95) && power + 1 < bytesUnits.length) {
    value /= 1024;
    power++;
  }
  return power === 0 ? `${formatCount(value)} B` : `${value.toFixed(1)} ${bytesUnits[power]}`;
}

function formatCount(value: number): string {
  if (value !== 0 && (value < 1e-4 || value >= 1e15)) return String(Number(value.toPrecision(4)));
  return Number.isInteger(value) || value >= 999.95 ? grouped.format(value) : String(Number(value.toPrecision(4)));
}

/** A number beside an axis, where steps are round. */
export function formatTick(value: number, unit = ""): string {
  const text = formatNumber(value, unit === "imbalance" ? "" : unit);
  return text.replace(/ 0 (s|min)$/, "").replace(/(\.\d*?)0+(?!\d)/, "$1").replace(/\.(?!\d)/, "");
}

/** The name of a unit for labels of axes and columns of CSV, in parentheses; empty for counts. */
export function unitSuffix(unit: string): string {
  return unit === "" || unit === "id" || unit === "imbalance" ? "" : ` (${unit})`;
}

/** An element that shows a number briefly and carries it in full. */
export function numberElement(value: number | null | undefined, unit = ""): HTMLElement {
  const exact = value === null || value === undefined ? "" : String(value);
  return element("data", { value: exact, title: exact && `${exact}${unitSuffix(unit)}` }, formatNumber(value, unit));
}
