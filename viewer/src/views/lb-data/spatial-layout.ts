// Where ranks and objects are drawn, in units of the side of a rank's square; y grows downwards.
import type { PhaseObjects } from "../../data/report";

export interface Grid {
  x: number;
  y: number;
  z: number;
}

const rankPitch = 1.12;
const planeGap = 0.7;

/** A full grid at most four times as wide as high, if the number of ranks permits; else one near a square. */
export function defaultGrid(ranks: number): Grid {
  for (let y = Math.floor(Math.sqrt(ranks)); y * y * 4 >= ranks; y--) if (ranks % y === 0) return { x: ranks / y, y, z: 1 };
  const x = Math.ceil(Math.sqrt(ranks));
  return { x, y: Math.ceil(ranks / x), z: 1 };
}

/**
 * Upper left corner of the square of a rank. Rank i + x*j + x*y*k is at (i, j, k) of the grid, as vt-tv places it: rank 0
 * at the lower left, with the planes of z side by side.
 */
export function rankCorner(grid: Grid, rank: number): { x: number; y: number } {
  const plane = Math.floor(rank / (grid.x * grid.y));
  const j = Math.floor(rank / grid.x) % grid.y;
  return {
    x: plane * (grid.x * rankPitch + planeGap) + (rank % grid.x) * rankPitch,
    y: (grid.y - 1 - j) * rankPitch,
  };
}

export function gridSize(grid: Grid): { width: number; height: number } {
  return { width: grid.z * (grid.x * rankPitch + planeGap) - planeGap, height: grid.y * rankPitch };
}

export interface ObjectPlaces {
  x: Float32Array;
  y: Float32Array;
  /** Half the side of the place that an object has. */
  half: Float32Array;
}

/** Centres of the objects: a square array inside each rank, in the order of the entities, so that objects stay in place. */
export function placeObjects(objects: PhaseObjects, grid: Grid): ObjectPlaces {
  const count = objects.entity.length;
  const places = { x: new Float32Array(count), y: new Float32Array(count), half: new Float32Array(count) };
  for (let first = 0; first < count;) {
    const rank = objects.rank[first]!;
    let last = first;
    while (last < count && objects.rank[last] === rank) last++;
    const order = Array.from({ length: last - first }, (_, i) => first + i).sort((a, b) => objects.entity[a]! - objects.entity[b]!);
    const side = Math.ceil(Math.sqrt(order.length));
    const cell = 0.94 / side;
    const corner = rankCorner(grid, rank);
    order.forEach((object, i) => {
      places.x[object] = corner.x + 0.03 + ((i % side) + 0.5) * cell;
      places.y[object] = corner.y + 0.03 + (Math.floor(i / side) + 0.5) * cell;
      places.half[object] = cell / 2;
    });
    first = last;
  }
  return places;
}

/** The largest radius per square root of a load with which every object fits into its place. */
export function largestRadius(loads: number[], places: ObjectPlaces): number {
  let radius = Infinity;
  loads.forEach((load, i) => {
    if (load > 0) radius = Math.min(radius, (places.half[i]! * 0.92) / Math.sqrt(load));
  });
  return radius === Infinity ? 0 : radius;
}
