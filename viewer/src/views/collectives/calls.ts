import { tableFigure } from "../../charts/table-figure";
import type { Collectives } from "../../data/report";
import { numbers, texts, type DataTable } from "../../format/dataset";
import { choice, element } from "../../page/dom";
import type { View } from "../../page/view";
import { present, ratio } from "./columns";
import { openCall, profileOf } from "./context";
import { firstCall, type CallId, type Profile } from "./profile";

export const calls: View<Collectives> = {
  id: "calls",
  title: "Calls",
  purpose: "All calls with their bytes, times and imbalance. Select a row to open the call.",
  render(host, context) {
    const profile = profileOf(context);
    const { selection } = context;
    const place = element("div");
    const draw = () => {
      const separate = selection.text("rows") === "calls";
      place.replaceChildren();
      tableFigure(place, separate ? "Calls" : "Runs of equal calls", separate ? callTable(profile) : runTable(profile), {
        note: separate ? "" : "Consecutive calls that exchange equal counts share a row. IDs are those of the calls of one operation that a rank leads.",
        visibleRows: 22,
        filter: true,
        onSelect: (row) => openCall(context, separate ? profile.timeline[row]! : firstCall(profile.runs[row]!)),
      });
    };
    if (profile.timeline.length) {
      const options = [{ value: "runs", label: "runs of equal calls" }, { value: "calls", label: "each call" }];
      const rows = choice("Rows", options, selection.text("rows") ?? "runs", (value) => {
        selection.select({ rows: value === "calls" ? value : null });
        draw();
      });
      host.append(element("div", { class: "controls" }, rows));
    }
    host.append(place);
    draw();
  },
};

export function runTable({ runs }: Profile): DataTable {
  const at = (row: number) => runs[row]!;
  return {
    length: runs.length,
    columns: present(runs.length, [
      numbers("job", "Job", "id", (row) => (runs.some((run) => run.job !== 0) ? at(row).job : null)),
      numbers("lead", "Lead", "id", (row) => at(row).lead),
      texts("operation", "Operation", (row) => at(row).operation),
      texts("ids", "IDs", (row) => (at(row).first_call === at(row).last_call ? `${at(row).first_call}` : `${at(row).first_call}-${at(row).last_call}`)),
      numbers("calls", "Calls", "", (row) => at(row).calls),
      numbers("communicator", "Communicator", "id", (row) => at(row).communicator),
      numbers("communicator_ranks", "Ranks", "", (row) => at(row).communicator_ranks),
      texts("pattern", "Pattern", (row) => `#${at(row).pattern}`),
      numbers("bytes_per_call", "Bytes per call", "bytes", (row) => at(row).bytes_per_call),
      numbers("imbalance_sent", "Imbalance sent", "imbalance", (row) => at(row).imbalance_sent),
      numbers("imbalance_received", "Imbalance received", "imbalance", (row) => at(row).imbalance_received),
      numbers("time_s", "Time per call", "s", (row) => ratio(at(row).time_s, at(row).calls)),
      numbers("waited_s", "Wait per call", "s", (row) => ratio(at(row).waited_s, at(row).calls)),
      numbers("bandwidth", "Bandwidth", "bytes/s", (row) => ratio(at(row).bytes_per_call * at(row).calls, at(row).time_s)),
    ]),
  };
}

export function callTable({ timeline }: Profile): DataTable {
  const at = (row: number) => timeline[row]!;
  return {
    length: timeline.length,
    columns: present(timeline.length, [
      ...callIdColumns(timeline),
      numbers("begin_s", "Begin", "s", (row) => at(row).begin_s),
      numbers("time_s", "Time", "s", (row) => at(row).time_s),
      numbers("waited_s", "Wait", "s", (row) => at(row).waited_s),
      numbers("bytes", "Bytes", "bytes", (row) => at(row).bytes),
      numbers("bandwidth", "Bandwidth", "bytes/s", (row) => ratio(at(row).bytes, at(row).time_s)),
    ]),
  };
}

function callIdColumns(ids: CallId[]) {
  const severalJobs = ids.some((id) => id.job !== 0);
  return [
    numbers("job", "Job", "id", (row) => (severalJobs ? ids[row]!.job : null)),
    numbers("lead", "Lead", "id", (row) => ids[row]!.lead),
    texts("operation", "Operation", (row) => ids[row]!.operation),
    numbers("call", "Call", "id", (row) => ids[row]!.call),
  ];
}
