// Squarified tree map (Bruls, Huizing, van Wijk 2000): rectangles with areas in proportion to values, close to squares.

export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

/**
 * Fills `area` with one rectangle per value, in the order of the values, which must be positive and sorted in descending
 * order. Takes time in proportion to the number of values.
 */
export function treeMapLayout(values: ArrayLike<number>, area: Rectangle): Rectangle[] {
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += values[i]!;
  const result: Rectangle[] = [];
  const rest = { ...area };
  const perValue = sum > 0 ? (area.width * area.height) / sum : 0;
  for (let first = 0; first < values.length;) {
    const side = Math.min(rest.width, rest.height);
    const last = endOfRow(values, first, perValue, side);
    placeRow(values, first, last, perValue, rest, result);
    first = last;
  }
  return result;
}

/** The end of the row that starts at `first`: values are added while the worst aspect ratio improves. */
function endOfRow(values: ArrayLike<number>, first: number, perValue: number, side: number): number {
  const largest = values[first]! * perValue;
  let sum = 0;
  let worst = Infinity;
  let last = first;
  while (last < values.length) {
    const smallest = values[last]! * perValue;
    const next = sum + smallest;
    const ratio = Math.max((side * side * largest) / (next * next), (next * next) / (side * side * smallest));
    if (ratio > worst) break;
    worst = ratio;
    sum = next;
    last++;
  }
  return Math.max(last, first + 1);
}

function placeRow(values: ArrayLike<number>, first: number, last: number, perValue: number, rest: Rectangle, result: Rectangle[]): void {
  let sum = 0;
  for (let i = first; i < last; i++) sum += values[i]! * perValue;
  const upright = rest.width >= rest.height;
  const thickness = sum / Math.max(upright ? rest.height : rest.width, 1e-9);
  let offset = 0;
  for (let i = first; i < last; i++) {
    const length = thickness > 0 ? (values[i]! * perValue) / thickness : 0;
    result.push(upright
      ? { x: rest.x, y: rest.y + offset, width: thickness, height: length }
      : { x: rest.x + offset, y: rest.y, width: length, height: thickness });
    offset += length;
  }
  if (upright) {
    rest.x += thickness;
    rest.width = Math.max(rest.width - thickness, 0);
  } else {
    rest.y += thickness;
    rest.height = Math.max(rest.height - thickness, 0);
  }
}
