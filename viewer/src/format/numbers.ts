// Numbers as the command prints them: three significant digits with a unit. The exact value stays in the title.
import { element } from "../page/dom";

const secondsUnits: [number, string][] = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];
const bytesUnits = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
const grouped = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });

/** Formats a number in a unit: "s", "bytes", "share" (as a percentage), "imbalance", "id" (without grouping), or "" for counts. */
export function formatNumber(value: number | null | undefined, unit = ""): string {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value < 0) return `−${formatNumber(-value, unit)}`;
  switch (unit) {
    case "s": return formatSeconds(value);
    case "bytes": return formatBytes(value);
    case "bytes/s": return `${formatBytes(value)}/s`;
    case "share": return `${significant(value * 100)} %`;
    case "id": return String(value);
    case "imbalance": return value.toFixed(4);
    case "": return formatCount(value);
    default: return `${formatCount(value)} ${unit}`;
  }
}

function formatSeconds(value: number): string {
  if (value === 0) return "0 s";
  if (value >= 7200) return `${significant(value / 3600)} h`;
  const [size, name] = secondsUnits.find(([unit]) => value >= unit * 0.9995) ?? secondsUnits[secondsUnits.length - 1]!;
  return `${significant(value / size)} ${name}`;
}

function formatBytes(value: number): string {
  let power = 0;
  while (value >= 1023.95 && power + 1 < bytesUnits.length) {
    value /= 1024;
    power++;
  }
  return power === 0 ? `${formatCount(value)} B` : `${value.toFixed(1)} ${bytesUnits[power]}`;
}

function formatCount(value: number): string {
  return Number.isInteger(value) || value >= 1000 ? grouped.format(value) : significant(value);
}

function significant(value: number): string {
  if (value === 0) return "0";
  if (value >= 999.5) return grouped.format(value);
  if (value < 1e-3) return value.toExponential(2);
  return value.toPrecision(3);
}

/** A number beside an axis, where steps are round. */
export function formatTick(value: number, unit = ""): string {
  const text = formatNumber(value, unit === "imbalance" ? "" : unit);
  return text.replace(/(\.\d*?)0+(?!\d)/, "$1").replace(/\.(?!\d)/, "");
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
