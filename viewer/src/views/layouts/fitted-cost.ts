import type { FitQuality } from "../../data/document-types";

/** Cost on n tasks according to the fitted curve. */
export function fittedCost(fit: FitQuality, tasks: number): number {
  return fit.a / tasks + fit.b * tasks ** fit.c + fit.d;
}
