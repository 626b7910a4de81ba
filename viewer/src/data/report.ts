// The document that `plimsoll report` writes into the page. Names in it come from users' files and may contain any text.
import type { ComparisonInfo, DataSetInfo, StatisticsFileInfo } from "./document-types";

export interface Report {
  plimsoll: string;
  command: string[];
  sections: Section[];
}

export type Section = LbData | Statistics | Collectives | Layout;

export interface LbData {
  kind: "lb_data";
  name: string;
  info: DataSetInfo;
  lost: { time_s: number; core_hours: number; share: number };
  findings: string[];
  notes: string[];
  nodes: number[] | null;
  quantities: Quantity[];
  ranks_per_row: number;
  migrations: (number | null)[];
  subphases: { phase: number; ids: number[]; loads_s: number[][] }[];
  entities: {
    number: (number | string)[];
    collection: (number | string | null)[];
    home: number[];
    migratable: (0 | 1)[];
    index: string[];
  };
  objects: PhaseObjects[];
  edges: PhaseEdges[];
  traffic: PhaseTraffic[];
  /** Sums over all phases; `traffic` is empty if that of each phase would be too much. */
  total_traffic: Omit<PhaseTraffic, "phase"> & { category: number[]; category_names: string[] };
  categories: { phase: number; category: string; edges: number; bytes: number; messages: number }[];
  comparison: ComparisonInfo | null;
  /** The phases at whose end the recorded run balanced its load. */
  balancing: { phase: number; strategy: string; migrations: number; decision_s: number; migration_s: number; predicted_gain_s: number | null }[];
}

/** A value of each rank (or block of ranks) in each phase: `values[phase][row]`. */
export interface Quantity {
  key: string;
  label: string;
  unit: string;
  values: (number | null)[][];
}

/** The objects of one phase, sorted by rank; `complete` is false if only the heaviest ones of each rank are listed. */
export interface PhaseObjects {
  phase: number;
  complete: boolean;
  entity: number[];
  rank: number[];
  load_s: number[];
  fields: { [name: string]: (number | null)[] };
}

/** Traffic between entities, largest first. */
export interface PhaseEdges {
  phase: number;
  complete: boolean;
  from: number[];
  to: number[];
  bytes: number[];
  messages: number[];
}

/** Traffic between rows of ranks. */
export interface PhaseTraffic {
  phase: number;
  from: number[];
  to: number[];
  bytes: number[];
  messages: number[];
}

export interface Statistics {
  kind: "statistics";
  name: string;
  statistics: StatisticsFileInfo;
}

export interface Collectives {
  kind: "collectives";
  name: string;
  summary: Document;
  patterns: Document | null;
  calls: Document | null;
  matrix: Document | null;
  sites: Document | null;
  /** What is known of ranks if the profile contains no counts. */
  communicator_ranks: CommunicatorRank[] | null;
  details: Document[];
  /** For each run of calls.calls, the position in `details` of a call with its counts; null if it is omitted. */
  details_of_runs: (number | null)[];
  timeline: null | {
    job: number[];
    lead: number[];
    operation: string[];
    operation_of: number[];
    call: number[];
    begin_s: number[];
    time_s: number[];
    waited_s: (number | null)[];
    bytes: (number | null)[];
  };
  notes: string[];
}

/** Sums over the calls of an operation on a communicator; null if unknown. */
export interface CommunicatorRank {
  job: number;
  lead: number;
  communicator: number;
  operation: string | null;
  rank: number;
  world_rank: number | null;
  host: string | null;
  calls: number;
  time_s: number | null;
  max_time_s: number | null;
  waited_s: number | null;
}

export interface Layout {
  kind: "layout";
  name: string;
  solution: Document;
}

/** A document of `plimsoll ... --json` whose keys a view reads itself. */
export type Document = { [key: string]: any };
