import type { LineSeries } from "../../charts/line-chart";
import type { MpiShare, MpiSummaryFunction } from "../../data/document-types";
import { ratio } from "./columns";

/** Functions beyond this number share one line. */
const mostFunctions = 6;

/** Shares of the time of all ranks in the longest functions, and in all others together, by window. */
export function functionsOverTime({ functions, windows }: MpiShare): LineSeries[] {
  const known = functions.filter(({ window_times_s: times }) => times.length === windows.length);
  const named = known.slice(0, known.length > mostFunctions + 1 ? mostFunctions : known.length);
  const shares = (members: MpiSummaryFunction[]) => windows.map((window, i) =>
    ratio(members.reduce((sum, { window_times_s: times }) => sum + times[i]!, 0), window.thread_s));
  const others = known.slice(named.length);
  return [
    ...named.map((member) => ({ key: member.function, label: member.function, values: shares([member]) })),
    ...(others.length ? [{ key: "others", label: "other functions", values: shares(others) }] : []),
  ];
}
