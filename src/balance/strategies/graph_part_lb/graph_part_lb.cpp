#include <fmt/format.h>

#include "balance/partition/partitioner.hpp"
#include "balance/strategies/builtin.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

#ifdef PLIMSOLL_METIS_LIBRARY
constexpr const char* default_partitioner = "metis";
#else
constexpr const char* default_partitioner = "scotch";
#endif

bool is_first(const Parameters& parameters, const std::string& name, const std::string& first,
              const std::string& second) {
  const auto& value = parameters.get<std::string>(name);
  if (value != first && value != second)
    throw invalid_parameter("GraphPartLB", name, value, fmt::format("use {} or {}", first, second));
  return value == first;
}

std::int32_t n_cuts(const Parameters& parameters) {
  const auto cuts = parameters.get<std::int64_t>("cuts");
  if (cuts < 1 || cuts > 1000) throw invalid_parameter("GraphPartLB", "cuts", cuts, "use 1 to 1000");
  return static_cast<std::int32_t>(cuts);
}

/// Partitions the object graph with METIS or Scotch into parts with little communication between them. Labels
/// the parts so that few objects migrate (place_by_partition.hpp). With METIS it balances all load
/// dimensions.
class GraphPartLB : public Strategy {
 public:
  explicit GraphPartLB(const Parameters& parameters)
      : Strategy("GraphPartLB", parameters),
        options_{is_first(parameters, "method", "recursive", "kway"), tolerance_of("GraphPartLB", parameters),
                 parameters.get<std::int64_t>("seed"), n_cuts(parameters)},
        by_metis_(is_first(parameters, "partitioner", "metis", "scotch")) {}
  void work(LDStats& stats) override {
    place_by_partition(
        stats, *this, options_.tolerance, true,
        [this](const PartitionGraph& graph, const PartShares& shares, const Partition& /*present*/) {
          return by_metis_ ? partition_with_metis(graph, shares, options_)
                           : partition_with_scotch(graph, shares, options_);
        });
  }

  ScoreTerms score_terms() const override { return ScoreTerms::of_communication(options_.tolerance, true); }

 private:
  PartitionOptions options_;
  bool by_metis_;
};

}  // namespace

StrategyInfo graph_part_lb_info() {
  return {
      .name = "GraphPartLB",
      .help =
          "minimises communication between ranks at good balance: partitions the object graph with METIS or "
          "Scotch",
      .parameters = {{"cuts", std::int64_t{1},
                      "number of cuts that METIS tries per piece, keeping the best (1 to 1000)"},
                     {"method", std::string("recursive"),
                      "recursive (recursive bisection) or kway (direct k-way partitioning)"},
                     {"partitioner", std::string(default_partitioner),
                      "metis (any number of load dimensions) or scotch (one load dimension)"},
                     {"seed", std::int64_t{1}, "random seed of the partitioner"},
                     partition_tolerance()},
      .make = make_strategy<GraphPartLB>,
      .needs = {.memory = true, .numbers = false},
      .aliases = {{"MetisLB", {{"partitioner", "metis"}}},
                  {"ScotchLB", {{"partitioner", "scotch"}}},
                  {"ScotchRefineLB", {{"partitioner", "scotch"}}}},
      .trade_off = TradeOff::by_tolerance()};
}

}  // namespace plimsoll::balance
