// Quantities by which the spatial view colours objects.
import { classColours, css, sequentialPalette } from "../../charts/colour";
import { valueScale, type ValueScale } from "../../charts/scale";
import { unitOfUserNumber } from "../../data/lb-data";
import type { LbData, PhaseEdges, PhaseObjects } from "../../data/report";
import { formatNumber } from "../../format/numbers";

export interface ObjectQuantity {
  key: string;
  label: string;
  unit: string;
}

export function objectQuantities(objects: PhaseObjects, edges: PhaseEdges | undefined): ObjectQuantity[] {
  return [
    { key: "load_s", label: "load", unit: "s" },
    { key: "collection", label: "collection", unit: "class" },
    ...(edges?.complete ? [{ key: "sent", label: "sent", unit: "bytes" }, { key: "received", label: "received", unit: "bytes" }] : []),
    ...Object.keys(objects.fields).map((name) => ({ key: `user:${name}`, label: name, unit: unitOfUserNumber(name) })),
  ];
}

export interface Colouring {
  quantity: ObjectQuantity;
  /** Absent for classes. */
  scale: ValueScale | null;
  /** Names and colours of classes; empty for numbers. */
  classes: { name: string; colour: string }[];
  colour(object: number): string;
  text(object: number): string;
}

export function colouring(section: LbData, objects: PhaseObjects, edges: PhaseEdges | undefined, quantity: ObjectQuantity): Colouring {
  if (quantity.unit === "class") return classColouring(section, objects, quantity);
  const values = quantityValues(section, objects, edges, quantity);
  const scale = valueScale(values, false);
  const palette = sequentialPalette().map(css);
  return {
    quantity, scale, classes: [],
    colour: (object) => palette[Math.round((0.12 + 0.88 * scale.share(values[object] ?? 0)) * 255)]!,
    text: (object) => formatNumber(values[object], quantity.unit),
  };
}

function quantityValues(section: LbData, objects: PhaseObjects, edges: PhaseEdges | undefined, { key }: ObjectQuantity): (number | null)[] {
  if (key === "load_s") return objects.load_s;
  if (key.startsWith("user:")) return objects.fields[key.slice(5)] ?? [];
  const sums = new Float64Array(section.entities.number.length);
  const ends = key === "sent" ? edges!.from : edges!.to;
  ends.forEach((entity, i) => { sums[entity]! += edges!.bytes[i]!; });
  return objects.entity.map((entity) => sums[entity]!);
}

function classColouring(section: LbData, objects: PhaseObjects, quantity: ObjectQuantity): Colouring {
  const name = (object: number) => String(section.entities.collection[objects.entity[object]!] ?? "none");
  const names = [...new Set(objects.entity.map((_, i) => name(i)))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const classes = names.map((each, i) => ({ name: each, colour: classColours[i % classColours.length]! }));
  const colourOf = new Map(classes.map((each) => [each.name, each.colour]));
  return { quantity, scale: null, classes, colour: (object) => colourOf.get(name(object))!, text: name };
}
