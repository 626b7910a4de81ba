import type { StrategyResult } from "../../data/document-types";

/** The unbeaten strategy with the smallest maximum load. */
export function bestStrategy(results: StrategyResult[]): StrategyResult | undefined {
  const unbeaten = results.filter((each) => each.non_dominated);
  return (unbeaten.length > 0 ? unbeaten : results).reduce<StrategyResult | undefined>(
    (best, each) => (!best || (each.max_load_s ?? Infinity) < (best.max_load_s ?? Infinity) ? each : best), undefined);
}
