import { figure } from "../../charts/figure";
import { lineChart, type LineSeries } from "../../charts/line-chart";
import type { Collectives } from "../../data/report";
import { formatNumber } from "../../format/numbers";
import { capital, countOf } from "../../format/words";
import { checkBox, choice, element } from "../../page/dom";
import type { View, ViewContext } from "../../page/view";
import { notes } from "../facts";
import { ratio } from "./columns";
import { openCall, profileOf } from "./context";
import { isGapless, type CallTime, type Profile } from "./profile";

/** Operations beyond this number share one colour. */
const mostOperations = 7;

const quantities = [
  { key: "time", label: "time on the slowest rank", unit: "s", of: (call: CallTime) => call.time_s },
  { key: "waited", label: "wait for the last rank", unit: "s", of: (call: CallTime) => call.waited_s },
  { key: "bytes", label: "bytes sent", unit: "bytes", of: (call: CallTime) => call.bytes },
  { key: "bandwidth", label: "bytes sent per second", unit: "bytes/s", of: (call: CallTime) => ratio(call.bytes, call.time_s) },
];

export const overTime: View<Collectives> = {
  id: "over-time",
  title: "Calls over time",
  purpose: "Which calls take long, and whether that changes during the run.",
  render(host, context) {
    const profile = profileOf(context);
    const known = profile.timeline.length > 0;
    const calls = known ? profile.timeline : callsInOrder(profile);
    const offered = quantities.filter((quantity) => calls.some((call) => hasValue(quantity.of(call))));
    if (offered.length === 0) {
      notes(host, ["The profile contains neither times nor counts of calls."]);
      return;
    }
    showCalls(host, context, { calls, known, offered });
  },
};

interface Shown {
  calls: CallTime[];
  /** Whether the begins of the calls are known; else they are in the order of their IDs. */
  known: boolean;
  offered: typeof quantities;
}

function showCalls(host: HTMLElement, context: ViewContext<Collectives>, { calls, known, offered }: Shown): void {
  const { selection } = context;
  const place = element("div");
  host.append(place);
  const draw = () => {
    const quantity = offered.find(({ key }) => key === selection.text("quantity")) ?? offered[0]!;
    const logarithmic = selection.text("scale") === "log";
    const controls = [
      choice("Show", offered.map(({ key, label }) => ({ value: key, label })), quantity.key, (key) => { selection.select({ quantity: key }); draw(); }),
      checkBox("logarithmic", logarithmic, (checked) => { selection.select({ scale: checked ? "log" : null }); draw(); }),
    ];
    place.replaceChildren();
    figure(place, {
      title: capital(quantity.label),
      caption: known
        ? "One point per call, at the time when its first rank entered it. Drag to zoom, double-click to see all, click a point to open the call."
        : "Start times were not recorded: the horizontal axis is the ID of the call. Values of equal consecutive calls are means.",
      controls,
    }, (body) => lineChart(body, {
      label: `${quantity.label} of ${countOf(calls.length, "call")}`,
      xTitle: known ? "time since MPI_Init" : "call", x: calls.map((call) => call.begin_s),
      xLabel: (x) => (known ? formatNumber(x, "s") : formatNumber(x)),
      unit: quantity.unit, logarithmic, height: 380, series: seriesOf(calls, quantity.of, logarithmic),
      ...(context.section.calls ? { onSelect: (index: number) => openCall(context, calls[index]!) } : {}),
    }));
  };
  draw();
}

/** One series of points per operation. */
function seriesOf(calls: CallTime[], of: (call: CallTime) => number | null, logarithmic: boolean): LineSeries[] {
  const counts = new Map<string, number>();
  for (const call of calls) counts.set(call.operation, (counts.get(call.operation) ?? 0) + 1);
  const names = [...counts.keys()].sort((a, b) => counts.get(b)! - counts.get(a)!);
  const named = names.slice(0, names.length > mostOperations + 1 ? mostOperations : names.length);
  const series = (label: string, keep: (operation: string) => boolean): LineSeries => ({
    key: label, label, pointsOnly: true,
    values: calls.map((call) => (keep(call.operation) ? drawable(of(call), logarithmic) : null)),
  });
  const others = names.length > named.length ? [series("others", (operation) => !named.includes(operation))] : [];
  return [...named.map((name) => series(name, (operation) => operation === name)), ...others];
}

function drawable(value: number | null, logarithmic: boolean): number | null {
  return value !== null && logarithmic && value <= 0 ? null : value;
}

/** Calls at their IDs, for profiles without the begins of calls. */
function callsInOrder(profile: Profile): CallTime[] {
  const calls = profile.runs.flatMap((run) => {
    const ids = isGapless(run) ? Array.from({ length: run.calls }, (_, i) => run.first_call + i) : [run.first_call];
    return ids.map((call): CallTime => ({
      job: run.job, lead: run.lead, operation: run.operation, call, begin_s: call,
      time_s: run.time_s === undefined ? NaN : run.time_s / run.calls,
      waited_s: run.waited_s === undefined ? null : run.waited_s / run.calls,
      bytes: run.bytes_per_call,
    }));
  });
  return calls.sort((a, b) => a.call - b.call);
}

function hasValue(value: number | null): boolean {
  return value !== null && !Number.isNaN(value);
}
