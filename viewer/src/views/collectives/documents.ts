// Documents that `plimsoll collectives ...` prints with --json (docs/reference/json-output.md).

export interface Summary {
  world_size: number;
  leads: number;
  calls: number;
  threshold_bytes: number;
  operations: { operation: string; calls: number; signatures: number; bytes_sent: number; bytes_received: number }[];
  communicators: Communicator[];
  communicator_sizes: { ranks: number; calls: number }[];
  sent: Direction | null;
  received: Direction | null;
  ranks: RankSummary[];
  unplaced_calls: number;
  time_in_calls: { calls: number; time_s: number; max_time_s: number } | null;
  waiting: { calls: number; waited_s: number; late_ranks: number[] } | null;
  clock_error_s: number | null;
  consistent: boolean | null;
  inconsistencies: Inconsistency[];
  cut_short_ranks: number[];
  incomplete_calls: number;
  failed_calls: { operation: string; calls: number; ranks: number[] }[];
  findings: { text: string; command: string | null; share: number | null }[];
  mpi: MpiShare | null;
}

export interface Communicator {
  job: number;
  lead: number;
  id: number | null;
  ranks: number;
  world_ranks: string | null;
  remote_ranks: number;
  calls: number;
  bytes_sent: number;
}

/** Data sent, or received; the ranks are absent if those that took part are unknown. */
export interface Direction {
  bytes: number;
  messages: number;
  imbalance: number | null;
  max_rank?: number;
  min_rank?: number;
  max_rank_bytes?: number;
  min_rank_bytes?: number;
  mean_rank_bytes?: number;
  call_imbalance: { calls: number; mean: number; max: number; job: number; lead: number; operation: string; call: number } | null;
  histogram: { min_bytes: number; below_bytes: number | null; messages: number }[];
  empty_messages: number;
  small_messages: number;
  large_messages: number;
  zero_counts: { zeros: number; calls: number }[];
  type_sizes: { bytes: number; calls: number }[];
  message_count: Spread;
  message_bytes: Spread;
  rank_count: Spread;
  rank_bytes: Spread;
}

export interface Spread {
  values: number;
  zeros: number;
  sum: number;
  min: number;
  max: number;
  mean: number;
  nonzero_min: number;
  nonzero_mean: number;
}

export interface RankSummary {
  rank: number;
  calls?: number;
  bytes_sent?: number;
  bytes_received?: number;
  timed_calls?: number;
  time_s?: number;
  max_time_s?: number;
  waited_s?: number;
  latest_in_calls?: number;
  made_wait_s?: number;
}

export interface Inconsistency {
  job: number;
  lead: number;
  operation: string;
  first_call: number;
  calls: number;
  sender: number;
  receiver: number;
  sent_bytes: number;
  received_bytes: number;
}

/** The MPI calls of the whole program. */
export interface MpiShare {
  wall_s: number;
  longest_wall_s: number;
  mpi_s: number;
  share: number;
  waited_s: number;
  waited_share: number;
  outside_mpi: { imbalance: number | null; mean_s: number; max_s: number; max_rank: number; min_s: number; min_rank: number };
  functions: {
    function: string;
    purpose: string;
    calls: number;
    time_s: number;
    share: number;
    ranks: number;
    imbalance: number | null;
    max_time_s: number;
    slowest_rank: number;
  }[];
  ranks: { rank: number; host: string; wall_s: number; outside_s: number | null; mpi_s: number; waited_s: number | null }[];
  point_to_point: { messages: number; bytes: number; between_nodes_bytes: number };
  nodes: number;
}

export interface Patterns {
  structures: {
    class: string;
    senders: number;
    receivers: number;
    sends_to: { min: number; max: number };
    receives_from: { min: number; max: number };
    symmetric: boolean;
    calls: number;
    bytes: number;
    operations: string[];
    leads: string;
  }[];
  leads: LeadPatterns[];
}

export interface LeadPatterns {
  job: number;
  lead: number;
  operation: string;
  calls: number;
  patterns: Pattern[];
  heavy: number[];
  timeline: { first_call: number; last_call: number; repeats: number; cycle: { pattern: number; calls: number }[] }[];
  sum: { sent: PeerCount[]; received: PeerCount[] };
}

export interface Pattern {
  pattern: number;
  calls: number;
  call_ids: string;
  bytes: number;
  empty: boolean;
  classes: string[];
  sent: PeerCount[];
  received: PeerCount[];
}

/** This number of ranks has this number of peers each. */
export interface PeerCount {
  ranks: number;
  peers: number;
}

interface CallValues {
  job: number;
  lead: number;
  operation: string;
  communicator: number | null;
  communicator_ranks: number;
  pattern: number;
  bytes_per_call: number;
  imbalance_sent: number | null;
  imbalance_received: number | null;
  time_s?: number;
  waited_s?: number;
}

/** Consecutive equal calls; times are sums over them. */
export interface CallRun extends CallValues {
  first_call: number;
  last_call: number;
  calls: number;
}

/** One call in detail (`collectives calls --call`). */
export interface CallDetail extends CallValues {
  call: number;
  ranks: { rank: number; world_rank?: number; host?: string; begin_s?: number; time_s?: number; waited_s?: number }[];
  sent: Counts;
  received: Counts;
  send_displacements?: Counts;
  receive_displacements?: Counts;
  backtraces: { program: string; frames: string[] }[];
}

export interface Counts {
  type_size: number;
  type_sizes: number[];
  rows: { ranks: string; counts: number[] }[];
}

export interface Matrix {
  ranks: number;
  traffic: string;
  calls: number;
  point_to_point_messages: number;
  total_bytes: number;
  self_bytes: number;
  largest: { from: number; to: number; bytes: number } | null;
  sent: { rank: number; bytes: number; over_mean: number } | null;
  received: { rank: number; bytes: number; over_mean: number } | null;
  unplaced_calls: number;
  unplaced_bytes: number;
  within_nodes_bytes?: number;
  between_nodes_bytes?: number;
  by: string;
  names: string[];
  pairs: [number, number, number][];
}

export interface Site {
  function: string;
  location: string;
  calls: number;
  failed_calls: number;
  sent_bytes: number;
  received_bytes: number;
  time_s: number;
  share: number;
  waited_s: number | null;
  ranks: number;
  imbalance: number | null;
  slowest_rank: number;
  max_time_s: number;
  fastest_rank: number;
  min_time_s: number;
  longest_call_s: number;
}
