import type { LbData } from "../../data/report";
import type { DataTable } from "../../format/dataset";
import { numbers } from "../../format/dataset";
import { listOf } from "../../format/words";
import { formatNumber } from "../../format/numbers";
import { tableFigure } from "../../charts/table-figure";
import type { View } from "../../page/view";
import { facts, findings, notes } from "../facts";

export const overview: View<LbData> = {
  id: "overview",
  title: "Overview",
  purpose: "How evenly the work is spread, and what the imbalance costs.",
  render(host, { section, selection, open }) {
    const { info, lost } = section;
    const worst = worstPhase(section);
    const phase = info.phases[worst];
    findings(host, section.findings);
    facts(host, [
      { label: "Ranks", value: info.ranks },
      { label: "Phases", value: info.phases.length },
      { label: "Objects", value: Math.max(0, ...info.phases.map((each) => each.objects)), detail: migratable(section) },
      { label: "Largest imbalance", value: phase?.imbalance ?? null, unit: "imbalance", detail: phase && `phase ${phase.phase}` },
      { label: "Lower bound there", value: phase?.lower_bound_s ?? null, unit: "s", detail: phase && `set by: ${phase.lower_bound_cause}` },
      { label: "Time lost to imbalance", value: lost.time_s, unit: "s", detail: `${formatNumber(lost.share, "share")} of the run` },
      { label: "Core-hours lost", value: lost.core_hours },
    ]);
    const attributes = Object.entries(info.attributes ?? {});
    if (attributes.length) notes(host, [`Attributes of the data set: ${listOf(attributes)}.`]);
    const table = phaseTable(section);
    const view = tableFigure(host, "Phases", table, {
      visibleRows: 16,
      onSelect: (row) => {
        selection.select({ phase: info.phases[row]!.phase });
        open("ranks");
      },
    });
    view?.select(info.phases.findIndex((each) => each.phase === selection.number("phase")));
    notes(host, section.notes);
  },
};

function worstPhase(section: LbData): number {
  const { phases } = section.info;
  let worst = 0;
  phases.forEach((phase, i) => { if ((phase.imbalance ?? -1) > (phases[worst]!.imbalance ?? -1)) worst = i; });
  return worst;
}

function migratable(section: LbData): string {
  return `${formatNumber(Math.max(0, ...section.info.phases.map((phase) => phase.migratable_objects)))} migratable`;
}

function phaseTable({ info: { phases }, migrations }: LbData): DataTable {
  return {
    length: phases.length,
    columns: [
      numbers("phase", "Phase", "id", (i) => phases[i]!.phase),
      numbers("objects", "Objects", "", (i) => phases[i]!.objects),
      numbers("edges", "Edges", "", (i) => phases[i]!.edges),
      numbers("max_load_s", "Max load", "s", (i) => phases[i]!.max_load_s),
      numbers("mean_load_s", "Mean load", "s", (i) => phases[i]!.mean_load_s),
      numbers("imbalance", "Imbalance", "imbalance", (i) => phases[i]!.imbalance),
      numbers("lower_bound_s", "Lower bound", "s", (i) => phases[i]!.lower_bound_s),
      { key: "lower_bound_cause", label: "Bound set by", get: (i) => phases[i]!.lower_bound_cause },
      numbers("off_rank_bytes", "Off-rank data", "bytes", (i) => phases[i]!.off_rank_bytes),
      numbers("migrations", "Migrations", "", migrations),
    ],
  };
}
