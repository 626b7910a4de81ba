// Does the same as `plimsoll balance`: runs a strategy on one phase and builds the resulting data set.
#include <iostream>

#include <plimsoll/balance.hpp>
#include <plimsoll/lbdata.hpp>

int main() {
  using namespace plimsoll::balance;
  namespace lbdata = plimsoll::lbdata;
  const lbdata::Dataset dataset = lbdata::generate({.phases = 3, .law = lbdata::LoadLaw::ramp});
  const PhaseRequest request{.phase = 1, .load_model = "LinearModel(length=2)"};
  const Decision decision = decide(dataset, StrategySpec::parse("RefineLB(tolerance=1.02)"), request);

  const Quality& after = decision.result.quality;
  std::cout << decision.result.strategy << " moves " << after.n_moved << " objects: imbalance "
            << decision.before.imbalance << " before, " << after.imbalance << " after\n";
  for (const Remark& remark : decision.result.remarks) std::cout << remark.text << '\n';
  // Loads rise over 4 ranks: the last rank has 1.75 times the mean load. 16 objects per rank allow a balance
  // within 2 %.
  if (!(decision.before.imbalance > 0.7 && after.imbalance <= 0.02)) return 1;

  const lbdata::Dataset balanced = apply_placement(dataset, decision.phase, decision.placement());
  const Decision check = decide(balanced, StrategySpec{"NoLB"}, {.phase = 1});
  return check.result.quality.imbalance <= 0.02 && check.result.quality.n_moved == 0 ? 0 : 1;
}
