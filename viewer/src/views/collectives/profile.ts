// The documents of a profile, with calls found by their IDs.
import type { Collectives } from "../../data/report";
import type { CallDetail, CallRun, CallSite, PatternList, RunSummary, Side, TrafficView } from "../../data/document-types";
import { parseList } from "./rank-list";

/** Identifies a call: the calls of one operation led by one rank of one job are numbered. */
export interface CallId {
  job: number;
  lead: number;
  operation: string;
  call: number;
}

/** Calls of one lead and operation that exchange equal counts on communicators of one size. */
export interface Signature {
  operation: string;
  example: CallDetail;
  calls: number;
  bytes: number;
}

/** One call with a known begin, or a run of equal calls without. */
export interface CallTime extends CallId {
  begin_s: number;
  time_s: number;
  waited_s: number | null;
  bytes: number | null;
}

export class Profile {
  readonly name: string;
  readonly notes: string[];
  readonly summary: RunSummary;
  readonly patterns: PatternList | null;
  readonly runs: CallRun[];
  readonly matrix: TrafficView | null;
  readonly sites: CallSite[];
  readonly details: CallDetail[];
  /** Calls in the order of their begin; empty if the begins were not recorded. */
  readonly timeline: CallTime[];
  private readonly detailOfCall = new Map<string, CallDetail>();
  private readonly timeOfCall = new Map<string, CallTime>();
  private readonly runsOfLead = new Map<string, CallRun[]>();
  private readonly countsOfRun = new Map<CallRun, CallDetail>();

  constructor(section: Collectives) {
    this.name = section.name;
    this.notes = section.notes;
    this.summary = section.summary as RunSummary;
    this.patterns = section.patterns as PatternList | null;
    this.runs = (section.calls?.calls ?? []) as CallRun[];
    this.matrix = section.matrix as TrafficView | null;
    this.sites = (section.sites?.sites ?? []) as CallSite[];
    this.details = section.details as CallDetail[];
    this.timeline = readTimeline(section.timeline);
    for (const detail of this.details) this.detailOfCall.set(callKey(detail), detail);
    for (const time of this.timeline) this.timeOfCall.set(callKey(time), time);
    for (const run of this.runs) {
      const key = leadKey(run);
      const runs = this.runsOfLead.get(key) ?? [];
      runs.push(run);
      this.runsOfLead.set(key, runs);
    }
    section.details_of_runs.forEach((position, run) => {
      const detail = position === null ? undefined : this.details[position];
      if (detail) this.countsOfRun.set(this.runs[run]!, detail);
    });
  }

  detail(id: CallId): CallDetail | undefined {
    return this.detailOfCall.get(callKey(id));
  }

  /** A call with the counts of a run of equal calls. */
  countsOf(run: CallRun): CallDetail | undefined {
    return this.countsOfRun.get(run);
  }

  time(id: CallId): CallTime | undefined {
    return this.timeOfCall.get(callKey(id));
  }

  /** The run of equal calls that contains a call. */
  run(id: CallId): CallRun | undefined {
    const containing = (this.runsOfLead.get(leadKey(id)) ?? []).filter(
      (run) => run.first_call <= id.call && id.call <= run.last_call,
    );
    return containing.find((run) => run.first_call === id.call) ?? containing.find(isGapless);
  }

  /** The known calls of an operation led by one rank, in the order of their IDs. */
  callsOf(id: CallId): number[] {
    const calls = new Set<number>();
    for (const run of this.runsOfLead.get(leadKey(id)) ?? []) {
      for (const call of isGapless(run) ? range(run.first_call, run.last_call) : [run.first_call]) calls.add(call);
    }
    return [...calls].sort((a, b) => a - b);
  }

  /** The first call of each operation and lead. */
  callGroups(): CallId[] {
    return [...this.runsOfLead.values()].map((runs) => firstCall(runs[0]!));
  }

  /** The calls that took longest each or, without times, moved most bytes each. */
  heaviestRun(): CallRun | undefined {
    const weight = (run: CallRun) => (run.time_s !== undefined ? run.time_s / run.calls : run.bytes_per_call);
    return this.runs.reduce<CallRun | undefined>((best, run) => (best && weight(best) >= weight(run) ? best : run), undefined);
  }

  /** Number of ranks to which a rank of the call's communicator sends: those of the other group of an inter-communicator. */
  peersOf(detail: CallDetail): number {
    const communicator = this.summary.communicators.find(({ job, lead, id }) =>
      job === detail.job && lead === detail.lead && id === detail.communicator);
    return communicator?.remote_ranks || detail.communicator_ranks;
  }

  /** Host of each rank in MPI_COMM_WORLD; unknown ranks are absent. */
  hosts(): Map<number, string> {
    const hosts = new Map<number, string>();
    for (const { rank, host } of this.summary.mpi?.ranks ?? []) hosts.set(rank, host);
    for (const detail of this.details) {
      for (const { world_rank, host } of detail.ranks) if (world_rank !== undefined && host !== undefined) hosts.set(world_rank, host);
    }
    return hosts;
  }

  /** Distinct counts of the calls whose details are known, most bytes first. */
  signatures(): Signature[] {
    const found = new Map<CallDetail, Signature>();
    for (const run of this.runs) {
      const detail = this.countsOf(run);
      if (!detail) continue;
      const signature = found.get(detail) ?? { operation: run.operation, example: detail, calls: 0, bytes: 0 };
      signature.calls += run.calls;
      signature.bytes += run.calls * run.bytes_per_call;
      found.set(detail, signature);
    }
    return [...found.values()].sort((a, b) => b.bytes - a.bytes || b.calls - a.calls);
  }
}

export function firstCall(run: CallRun): CallId {
  return { job: run.job, lead: run.lead, operation: run.operation, call: run.first_call };
}

/** Whether a run contains every call between its first and its last one. */
export function isGapless(run: CallRun): boolean {
  return run.last_call - run.first_call + 1 === run.calls;
}

/** The counts of each rank, expanded from rows of equal ranks. */
export function countsOfRanks(counts: Side): { rank: number; counts: number[]; typeSize: number }[] {
  return counts.rows
    .flatMap((row) => parseList(row.ranks).map((rank) => ({
      rank,
      counts: row.counts,
      typeSize: counts.type_sizes[rank] ?? counts.type_size,
    })))
    .sort((a, b) => a.rank - b.rank);
}

/** Bytes of `count` elements that a rank sends or receives. */
export function bytesOf(count: number, row: { typeSize: number }): number {
  return count * row.typeSize;
}

/**
 * Bytes of each rank: the sum over its peers. A single count holds for all `peers`, which is 1 for what Allgatherv
 * sends, because every peer receives the same data.
 */
export function bytesOfRanks(counts: Side, ranks: number, peers: number): number[] {
  const bytes: number[] = new Array(ranks).fill(0);
  for (const row of countsOfRanks(counts)) {
    const sum = row.counts.length === 1 ? row.counts[0]! * peers : row.counts.reduce((a, b) => a + b, 0);
    bytes[row.rank] = bytesOf(sum, row);
  }
  return bytes;
}

function readTimeline(columns: Collectives["timeline"]): CallTime[] {
  if (!columns) return [];
  return columns.call.map((call, i) => ({
    job: columns.job[i]!,
    lead: columns.lead[i]!,
    operation: columns.operation[columns.operation_of[i]!]!,
    call,
    begin_s: columns.begin_s[i]!,
    time_s: columns.time_s[i]!,
    waited_s: columns.waited_s[i] ?? null,
    bytes: columns.bytes[i] ?? null,
  }));
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

function leadKey(id: { job: number; lead: number; operation: string }): string {
  return `${id.job}/${id.lead}/${id.operation}`;
}

function callKey(id: CallId): string {
  return `${leadKey(id)}/${id.call}`;
}
