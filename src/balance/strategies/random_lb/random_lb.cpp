#include <algorithm>
#include <cstdint>
#include <random>

#include "balance/search/random.hpp"
#include "balance/strategies/builtin.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Migrates every object to a random available processor. The probability is proportional to pe_speed. The
/// same seed gives the same placement on every machine; `randomize_seed` uses a seed from the system.
class RandomLB : public Strategy {
 public:
  explicit RandomLB(const Parameters& parameters)
      : Strategy("RandomLB", parameters),
        seed_(parameters.get<bool>("randomize_seed")
                  ? std::random_device()()
                  : static_cast<std::uint64_t>(parameters.get<std::int64_t>("seed"))) {}
  void work(LDStats& stats) override {
    const ProcArray procs(stats);
    procs.require_available();
    ObjGraph graph(stats, GraphEdges::ignore);

    std::vector<std::int32_t> candidates;
    std::vector<double> speed_up_to;  // sum of the speeds up to and including each candidate
    for (const ProcInfo& proc : procs.procs) {
      if (!proc.available) continue;
      candidates.push_back(proc.proc_id);
      speed_up_to.push_back((speed_up_to.empty() ? 0 : speed_up_to.back()) + proc.pe_speed);
    }

    Random random(seed_);
    for (std::uint32_t object = 0; object < graph.n_vertices(); ++object) {
      if (!graph.migratable(object)) continue;
      const double draw = random.uniform() * speed_up_to.back();
      const auto drawn = std::ranges::upper_bound(speed_up_to, draw) - speed_up_to.begin();
      // Limit the index: rounding may lift the product beyond the last candidate.
      graph.set_new_pe(object, candidates[std::min<std::size_t>(drawn, candidates.size() - 1)]);
    }
    graph.convert_decisions(stats);
  }

  bool minimises_score() const override { return false; }

 private:
  std::uint64_t seed_;
};

}  // namespace

StrategyInfo random_lb_info() {
  return {"RandomLB",
          "places every object on a random processor",
          {{"seed", std::int64_t{1}, "random seed; the same seed gives the same placement"},
           {"randomize_seed", false, "whether to ignore seed and use a different one in each run"}},
          make_strategy<RandomLB>,
          {.communication = false, .numbers = false},
          {{"RandCentLB"}, {"Random"}}};
}

}  // namespace plimsoll::balance
