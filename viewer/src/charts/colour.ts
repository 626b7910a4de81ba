// Colours of values: a scale whose lightness changes monotonically, so that it also reads in grey and to colour-blind
// people. In the light theme large values are dark, in the dark theme they are bright.
import { isDark } from "../page/theme";

export type Rgb = [red: number, green: number, blue: number];

/** Sequential scale from small to large values on a light page; the colour map "mako" reversed, without its extremes. */
const lightStops: Rgb[] = [
  [240, 248, 244], [199, 233, 214], [143, 212, 192], [88, 187, 178], [58, 156, 171],
  [53, 124, 160], [60, 92, 148], [65, 61, 112], [43, 27, 62],
];
const darkStops: Rgb[] = [
  [29, 33, 43], [44, 43, 80], [62, 63, 118], [60, 92, 150], [53, 124, 163],
  [58, 156, 171], [88, 187, 178], [154, 218, 198], [222, 245, 229],
];

/** Colours of classes, distinguishable for colour-blind people (Okabe and Ito). */
export const classColours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#b8a800"];

/** The colour at `share` (0 to 1) of the sequential scale. */
export function sequentialColour(share: number): Rgb {
  const stops = isDark() ? darkStops : lightStops;
  const position = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const lower = Math.min(Math.floor(position), stops.length - 2);
  const rest = position - lower;
  return stops[lower]!.map((from, i) => Math.round(from + rest * (stops[lower + 1]![i]! - from))) as Rgb;
}

/** 256 colours of the sequential scale, for code that colours many cells. */
export function sequentialPalette(): Rgb[] {
  return Array.from({ length: 256 }, (_, i) => sequentialColour(i / 255));
}

export function css([red, green, blue]: Rgb): string {
  return `rgb(${red},${green},${blue})`;
}

/** Black or white text, whichever is easier to read on a colour. */
export function textOn([red, green, blue]: Rgb): string {
  return red * 0.299 + green * 0.587 + blue * 0.114 > 140 ? "#000" : "#fff";
}
