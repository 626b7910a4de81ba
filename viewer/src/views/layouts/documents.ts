// The document of `plimsoll layout solve --json` (docs/reference/json-output.md). Times are in `unit`.

export interface Solution {
  layout: { name: string; description: string; expression: string | null };
  total_tasks: number;
  unit: "seconds_per_day" | "total_seconds";
  model: string;
  solver: string;
  exact_sum: boolean;
  counts_threads: boolean;
  time: number;
  simulated_years_per_day: number | null;
  core_hours_per_simulated_year: number | null;
  expected?: Expected | null;
  processors: number;
  nodes: { tasks_per_node: number; shared: boolean; total: number; used: number } | null;
  solution: { [key: string]: number };
  places: Place[];
  runs: { file: string; tasks: number; predicted: number; measured: number; error: number }[];
  left_out: { component: string; tasks: number; cost: number }[];
  models: Model[];
  sensitivity: Sensitivity | null;
  sweep: Sweep | null;
  prediction: Prediction | null;
  next_runs: {
    counts: { component: string; tasks: number; threads: number; doubt: number; reason: string }[];
    runs: { pesize: string; comment: string; tasks: { [component: string]: number } }[];
  } | null;
  warnings: string[];
  outputs: string[];
}

/** What the layout is expected to take, from the errors of the models and the measured time of a run. */
export interface Expected {
  time: number;
  simulated_years_per_day: number | null;
  core_hours_per_simulated_year: number | null;
  range: [number, number];
  by_models: number;
  run: { file: string; tasks: number; total: number; measured: number; change: number; certain: boolean } | null;
}

/** A component on its processors. Alternatives of the sensitivity lack the members from `limiting` on. */
export interface Place {
  component: string;
  tasks: number;
  threads: number;
  blocks: number;
  processors: number;
  root: number;
  nodes: number | null;
  cost: number;
  start: number;
  end: number;
  limiting?: boolean;
  slack?: number;
  gain_of_block?: number;
  share?: number;
  extrapolated?: boolean;
}

export interface Model {
  component: string;
  model: string;
  block_size: number;
  threads: number;
  points: ModelPoint[];
  fit: Fit | null;
  warnings: string[];
}

/** A measured cost, or with `extrapolated` one that the solver added beyond the measurements. */
export interface ModelPoint {
  tasks: number;
  cost: number;
  extrapolated: boolean;
  repeats?: number;
  least?: number;
  greatest?: number;
}

/** The curve a/n + b n^c + d of the cost on n tasks. */
export interface Fit {
  a: number;
  b: number;
  c: number;
  d: number;
  r_squared: number | null;
  typical_error: number | null;
  outliers: number[];
}

export interface Sensitivity {
  idle: number;
  block: number;
  time_with_one_block_more: number | null;
  time_with_one_block_less: number | null;
  layout_hardly_matters: boolean;
  alternatives: {
    name: string;
    expression: string;
    time: number;
    simulated_years_per_day: number | null;
    core_hours_per_simulated_year: number | null;
    places: Place[];
  }[];
}

export interface Sweep {
  objective: string;
  chosen: number;
  knee: number | null;
  points: SweepPoint[];
  infeasible: number[];
}

export interface SweepPoint {
  total_tasks: number;
  nodes: number | null;
  time: number;
  simulated_years_per_day: number;
  core_hours_per_simulated_year: number;
  pareto: boolean;
  tasks: { [component: string]: number };
}

export interface Prediction {
  file: string;
  predicted: number;
  from_measured_components: number | null;
  measured: number | null;
  components: { component: string; tasks: number; threads: number; predicted: number | null; measured: number; error: number | null }[];
}

/** Cost on n tasks according to the fitted curve. */
export function fittedCost(fit: Fit, tasks: number): number {
  return fit.a / tasks + fit.b * tasks ** fit.c + fit.d;
}
