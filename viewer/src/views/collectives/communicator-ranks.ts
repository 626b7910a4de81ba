import { tableFigure } from "../../charts/table-figure";
import type { CommunicatorRank } from "../../data/report";
import { numbers, texts } from "../../format/dataset";
import { present } from "./columns";

/** What a profile without counts contains about the ranks of each communicator. */
export function showCommunicatorRanks(host: HTMLElement, ranks: CommunicatorRank[]): void {
  if (ranks.length === 0) return;
  const at = (row: number) => ranks[row]!;
  tableFigure(host, "Ranks of communicators", {
    length: ranks.length,
    columns: present(ranks.length, [
      numbers("job", "Job", "", (row) => at(row).job),
      numbers("lead", "Lead", "", (row) => at(row).lead),
      numbers("communicator", "Communicator", "", (row) => at(row).communicator),
      texts("operation", "Operation", (row) => at(row).operation),
      numbers("rank", "Rank", "", (row) => at(row).rank),
      numbers("world_rank", "World rank", "", (row) => at(row).world_rank),
      texts("host", "Host", (row) => at(row).host),
      numbers("calls", "Calls", "", (row) => at(row).calls),
      numbers("time_s", "Time in calls", "s", (row) => at(row).time_s),
      numbers("max_time_s", "Longest call", "s", (row) => at(row).max_time_s),
      numbers("waited_s", "Waited", "s", (row) => at(row).waited_s),
    ]),
  }, { note: "The profile contains no counts, so only these values are known." });
}
