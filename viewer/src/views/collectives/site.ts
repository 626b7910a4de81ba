import type { Collectives } from "../../data/report";
import { formatNumber } from "../../format/numbers";
import { countOf } from "../../format/words";
import { button, element } from "../../page/dom";
import type { View } from "../../page/view";
import { facts, type Fact } from "../facts";
import { ratio } from "./columns";
import { profileOf } from "./context";
import type { CallSite } from "../../data/document-types";
import { placeOf } from "./place";

export const site: View<Collectives> = {
  id: "site",
  title: "One call site",
  purpose: "What one MPI call in the program costs, and on which ranks.",
  render(host, context) {
    const list = profileOf(context).sites;
    const { selection } = context;
    const page = element("div");
    const draw = () => {
      const position = Math.min(Math.max(selection.number("site") ?? 0, 0), list.length - 1);
      const step = (label: string, title: string, to: number) => {
        const control = button(label, title, () => { selection.select({ site: to }); draw(); });
        control.disabled = to < 0 || to >= list.length;
        return control;
      };
      page.replaceChildren(element("div", { class: "controls" },
        step("‹ Previous", "Open the site that takes more time", position - 1),
        element("span", {}, `Site ${formatNumber(position + 1)} of ${formatNumber(list.length)}`),
        step("Next ›", "Open the site that takes less time", position + 1)));
      showSite(page, list[position]!);
    };
    host.append(page);
    draw();
  },
};

function showSite(host: HTMLElement, shown: CallSite): void {
  host.append(element("h2", { class: "subject" }, `${shown.function} at ${placeOf(shown)}`));
  facts(host, factsOf(shown));
  host.append(element("section", { class: "figure", "aria-label": "Location" },
    element("h2", {}, "Location"),
    element("pre", { class: "frames", tabindex: 0, "aria-label": "Location" }, shown.location)));
  if (shown.callers.length > 0)
    host.append(element("section", { class: "figure", "aria-label": "Callers" },
      element("h2", {}, "Callers"),
      element("pre", { class: "frames", tabindex: 0, "aria-label": "Callers" }, callersOf(shown))));
}

/** One line per stack of callers, those with most time first: "80 % of the time, 50 % of it waiting, 12 calls, 3 KiB: step.c:16 (step) < step.c:40 (main)". */
function callersOf(shown: CallSite): string {
  const most = 20;
  const lines = shown.callers.slice(0, most).map((stack) => {
    const share = formatNumber(ratio(stack.time_s, shown.time_s), "share");
    const waiting = stack.waited_s === null ? "" : `, ${formatNumber(ratio(stack.waited_s, stack.time_s), "share")} of it waiting`;
    const bytes = stack.sent_bytes === null || stack.received_bytes === null
      ? "" : `, ${formatNumber(stack.sent_bytes + stack.received_bytes, "bytes")}`;
    const places = stack.locations.map((location) => placeOf({ location })).join(" < ");
    return `${share} of the time${waiting}, ${countOf(stack.calls, "call")}${bytes}: ${places}`;
  });
  if (shown.callers.length > most) lines.push(`... and ${formatNumber(shown.callers.length - most)} more`);
  return lines.join("\n");
}

function factsOf(shown: CallSite): Fact[] {
  const perRank = shown.time_s / shown.ranks;
  const ofTime = (part: number) => `${formatNumber(ratio(part, shown.time_s), "share")} of the time`;
  return [
    { label: "Time", value: shown.time_s, unit: "s", detail: `${formatNumber(shown.share, "share")} of the run` },
    { label: "Waiting for other ranks", value: shown.waited_s, unit: "s", ...(shown.waited_s !== null && { detail: ofTime(shown.waited_s) }) },
    {
      label: "Calls", value: shown.calls,
      detail: shown.failed_calls ? `${countOf(shown.failed_calls, "failed call")}, not included` : `by ${countOf(shown.ranks, "rank")}`,
    },
    { label: "Time per call", value: ratio(shown.time_s, shown.calls), unit: "s", detail: `longest: ${formatNumber(shown.longest_call_s, "s")}` },
    { label: "Time per rank", value: perRank, unit: "s", detail: `imbalance ${formatNumber(shown.imbalance, "imbalance")}` },
    { label: "Slowest rank", value: shown.max_time_s, unit: "s", detail: `rank ${shown.slowest_rank}` },
    { label: "Fastest rank", value: shown.min_time_s, unit: "s", detail: `rank ${shown.fastest_rank}` },
    { label: "Sent", value: shown.sent_bytes, unit: "bytes" },
    { label: "Received", value: shown.received_bytes, unit: "bytes" },
    { label: "Bandwidth", value: ratio(shown.sent_bytes + shown.received_bytes, shown.time_s), unit: "bytes/s" },
  ];
}
