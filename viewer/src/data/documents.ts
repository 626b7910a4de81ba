// Documents that `plimsoll info` and `plimsoll compare` print with --json (docs/reference/json-output.md).

export interface InfoDocument {
  ranks: number;
  /** What the data set states of itself, such as the seed of generated data. */
  attributes: { [name: string]: unknown } | null;
  phases: PhaseInfo[];
  load_balancing?: {
    strategies: string[];
    phases: number;
    migrations: number;
    decision_s: number;
    migration_s: number;
  } | null;
  partial_phases: number[];
  heaviest_objects: { object: number | string; rank: number; phase: number; load_s: number; migratable: boolean }[];
  warnings: { check: string; what: string; suggestion: string }[];
}

export interface PhaseInfo {
  phase: number;
  objects: number;
  migratable_objects: number;
  edges: number;
  max_load_s: number;
  mean_load_s: number;
  imbalance: number | null;
  lower_bound_s: number;
  lower_bound_cause: string;
  off_rank_bytes: number;
  off_rank_messages: number;
  rank_loads: LoadStatistics;
  object_loads: LoadStatistics;
}

/** Statistics of loads. Those of an LBStatsfile lack the quartiles, and their units may be bytes. */
export interface LoadStatistics {
  count: number;
  nonzero_count: number;
  sum_s: number;
  mean_s: number;
  min_s: number;
  max_s: number;
  imbalance: number | null;
  std_deviation_s: number;
  [key: string]: number | null;
}

export interface StatisticsDocument {
  type: string;
  phases: StatisticsPhase[];
}

export interface StatisticsPhase {
  phase: number;
  moved_objects: number | null;
  before: { [name: string]: { [key: string]: number | null } } | null;
  after: { [name: string]: { [key: string]: number | null } } | null;
}

export interface CompareDocument {
  phase: number;
  load_field: string | null;
  load_model: string;
  ranks: number;
  objects: number;
  lower_bound_s: number;
  lower_bound_cause: string;
  start: PlacementQuality;
  strategies: StrategyResult[];
}

export interface PlacementQuality {
  max_load_s: number;
  mean_load_s: number;
  imbalance: number | null;
  above_bound: number | null;
  off_rank_bytes: number;
  off_rank_messages: number;
  max_memory_bytes: number | null;
  rank_loads_s?: number[];
}

/** The result of one strategy; with `failure`, it has no placement and the other members are absent. */
export interface StrategyResult extends Partial<PlacementQuality> {
  strategy: string;
  parameters: { [name: string]: unknown };
  failure?: string;
  moved_objects?: number;
  moved_load_s?: number;
  moved_bytes?: number;
  strategy_time_s?: number;
  non_dominated?: boolean;
  remarks?: { [name: string]: unknown };
}
