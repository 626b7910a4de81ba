// Does the same as `plimsoll compare`: runs several strategies on one phase.
#include <iostream>

#include <plimsoll/balance.hpp>
#include <plimsoll/lbdata.hpp>

int main() {
  using namespace plimsoll::balance;
  namespace lbdata = plimsoll::lbdata;
  const lbdata::Dataset dataset =
      lbdata::generate({.law = lbdata::LoadLaw::ramp, .topology = lbdata::Topology::ring});
  const std::vector<StrategySpec> specs = StrategySpec::parse_list("NoLB, GreedyLB, GreedyLB(max_moves=4)");
  const auto [phase, comparison] = compare(dataset, specs, {.work = WorkCoefficients{.beta = 1e-8}});

  std::cout << "phase " << phase.phase << ": no placement can take less than " << comparison.bound.time_s
            << " s\n";
  for (std::size_t k = 0; k < specs.size(); ++k) {
    const StrategyResult& result = comparison.results[k];
    std::cout << (result.non_dominated ? "* " : "  ") << to_string(specs[k]) << ": "
              << 100 * above_bound(result.quality, comparison.bound) << " % above the bound, "
              << result.quality.n_moved << " objects move\n";
  }
  const Quality& none = comparison.results[0].quality;
  const Quality& greedy = comparison.results[1].quality;
  const Quality& limited = comparison.results[2].quality;
  const bool greedy_is_best = greedy.max_time_s < limited.max_time_s && limited.max_time_s < none.max_time_s;
  const bool limit_holds = none.n_moved == 0 && limited.n_moved <= 4 && greedy.n_moved > 4;
  return greedy_is_best && limit_holds && comparison.results[0].non_dominated ? 0 : 1;
}
