// Mapping of values to shares from 0 to 1, linearly or logarithmically.

export interface ValueScale {
  minimum: number;
  maximum: number;
  logarithmic: boolean;
  /** Share of a value; values below the minimum (0 on a logarithmic scale) give 0. */
  share(value: number): number;
  /** Value at a share. */
  value(share: number): number;
}

/**
 * A scale over the values. A linear one starts at 0, or at the smallest negative value; a logarithmic one starts at the
 * smallest positive value. Without positive values, a logarithmic scale is not possible and the scale is linear.
 */
export function valueScale(values: Iterable<number | null>, logarithmic: boolean): ValueScale {
  let minimum = 0;
  let maximum = -Infinity;
  let smallestPositive = Infinity;
  for (const value of values) {
    if (value === null || Number.isNaN(value)) continue;
    if (value < minimum) minimum = value;
    if (value > maximum) maximum = value;
    if (value > 0 && value < smallestPositive) smallestPositive = value;
  }
  if (maximum === -Infinity) maximum = 0;
  return logarithmic && smallestPositive < Infinity
    ? logarithmicScale(smallestPositive, maximum)
    : linearScale(minimum, maximum);
}

export function linearScale(minimum: number, maximum: number): ValueScale {
  const width = maximum - minimum;
  return {
    minimum, maximum, logarithmic: false,
    share: (value) => (width > 0 ? clamp((value - minimum) / width) : 0),
    value: (share) => minimum + share * width,
  };
}

function logarithmicScale(minimum: number, maximum: number): ValueScale {
  const width = Math.log(maximum / minimum);
  // The smallest positive value stays visible: it is not drawn like 0.
  const floor = 0.08;
  return {
    minimum, maximum, logarithmic: true,
    share: (value) => (value <= 0 ? 0 : width > 0 ? clamp(floor + ((1 - floor) * Math.log(value / minimum)) / width) : 1),
    value: (share) => (share < floor ? 0 : minimum * Math.exp((width * (share - floor)) / (1 - floor))),
  };
}

function clamp(share: number): number {
  return Math.min(Math.max(share, 0), 1);
}

/** About `count` round numbers from `minimum` to `maximum`; sizes are round in powers of 1024, times in minutes or hours. */
export function ticks(minimum: number, maximum: number, count: number, unit = ""): number[] {
  const rough = (maximum - minimum) / Math.max(count, 1);
  if (!(rough > 0)) return [minimum];
  const round = roundStep(rough, baseUnit(rough, unit));
  const step = unit === "id" ? Math.max(round, 1) : round;
  const result: number[] = [];
  for (let i = Math.ceil(minimum / step - 1e-9); i * step <= maximum + step * 1e-9; i++) result.push(i * step + 0);
  return result;
}

/**
 * At most `count` round numbers (1, 2 and 5 times a power of ten) for a logarithmic axis, or powers of ten alone if these
 * are too many. A narrow axis has equal steps.
 */
export function logarithmicTicks(minimum: number, maximum: number, count: number, unit = ""): number[] {
  const all = roundNumbers(minimum, maximum, unit, [1, 2, 5]);
  if (all.length < 3) return ticks(minimum, maximum, count, unit).filter((tick) => tick > 0);
  if (all.length <= count) return all;
  const powers = roundNumbers(minimum, maximum, unit, [1]);
  const step = Math.ceil(powers.length / Math.max(count, 1));
  return powers.filter((_, i) => i % step === 0);
}

/** The digits times powers of ten of the units in which numbers of this size are shown. */
function roundNumbers(minimum: number, maximum: number, unit: string, digits: number[]): number[] {
  const units = unit === "s" ? [1, 60, 3600] : unit.startsWith("bytes") ? Array.from({ length: 7 }, (_, i) => 1024 ** i) : [1];
  return units.flatMap((size, i) => {
    const low = Math.max(minimum, i > 0 ? size : 0);
    // The last number keeps its distance from the next unit, such as 20 s from 1 min.
    const high = Math.min(maximum, (units[i + 1] ?? Infinity) / 1.5);
    if (!(low > 0) || low > high) return [];
    const powers: number[] = [];
    for (let power = Math.floor(Math.log10(low / size)); size * 10 ** power <= high; power++) powers.push(power);
    return powers.flatMap((power) => digits.map((digit) => Number((digit * 10 ** power).toPrecision(1)) * size))
      .filter((value) => value >= low && value <= high);
  });
}

/** What a step is a round number of: bytes or KiB and so on, seconds, minutes or hours. */
function baseUnit(step: number, unit: string): number {
  // Steps of 500 B would be labelled 1,000 B, 1.5 KiB, 2 KiB.
  if (unit.startsWith("bytes")) return 1024 ** Math.max(0, Math.ceil(Math.log(step / 200) / Math.log(1024)));
  if (unit === "s") return step >= 1800 ? 3600 : step >= 30 ? 60 : 1;
  return 1;
}

function roundStep(rough: number, unit: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(rough / unit));
  return unit * magnitude * [1, 2, 5, 10].find((factor) => factor * magnitude * unit >= rough)!;
}
