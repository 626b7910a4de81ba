// Columns of tables that several views of a profile show.
import { numbers, texts, type Column } from "../../format/dataset";
import type { RankSummary } from "../../data/document-types";

/** The quotient, or null if it is undefined. */
export function ratio(part: number | null | undefined, whole: number | null | undefined): number | null {
  return part === null || part === undefined || !whole ? null : part / whole;
}

/** Bytes and times of ranks; columns without any value are omitted. */
export function rankColumns(ranks: RankSummary[]): Column[] {
  const bytes = (rank: RankSummary) => (rank.bytes_sent === undefined ? undefined : rank.bytes_sent);
  return present(ranks.length, [
    numbers("rank", "Rank", "", (row) => ranks[row]!.rank),
    numbers("calls", "Calls", "", (row) => ranks[row]!.calls ?? ranks[row]!.timed_calls),
    numbers("bytes_sent", "Sent", "bytes", (row) => ranks[row]!.bytes_sent),
    numbers("bytes_received", "Received", "bytes", (row) => ranks[row]!.bytes_received),
    numbers("bytes_per_call", "Sent per call", "bytes", (row) => ratio(bytes(ranks[row]!), ranks[row]!.calls)),
    numbers("time_s", "Time in calls", "s", (row) => ranks[row]!.time_s),
    numbers("mean_time_s", "Mean", "s", (row) => ratio(ranks[row]!.time_s, ranks[row]!.timed_calls)),
    numbers("max_time_s", "Longest", "s", (row) => ranks[row]!.max_time_s),
    numbers("bandwidth", "Bandwidth", "bytes/s", (row) => ratio(bytes(ranks[row]!), ranks[row]!.time_s)),
    numbers("waited_s", "Waited", "s", (row) => ranks[row]!.waited_s),
    numbers("latest_in_calls", "Latest in calls", "", (row) => ranks[row]!.latest_in_calls),
    numbers("made_wait_s", "Wait time caused", "s", (row) => ranks[row]!.made_wait_s),
  ]);
}

/** The columns that have a value in any row. */
export function present(length: number, columns: Column[]): Column[] {
  return columns.filter((column) => {
    for (let row = 0; row < length; row++) if (column.get(row) !== null) return true;
    return length === 0;
  });
}

export function rankText(key: string, label: string, rank: (row: number) => number | null | undefined): Column {
  return texts(key, label, (row) => {
    const value = rank(row);
    return value === null || value === undefined ? null : `rank ${value}`;
  });
}
