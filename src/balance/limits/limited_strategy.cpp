#include "balance/limits/limited_strategy.hpp"

#include <fmt/format.h>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/balance/limits.hpp>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

Remark above_limit(const char* what, std::int64_t count, const char* limit) {
  return {fmt::format("{}s_above_memory_limit", what), static_cast<double>(count),
          fmt::format("{} {} {} more memory than {}, because {} did so before balancing.", count,
                      count == 1 ? what : fmt::format("{}s", what), count == 1 ? "uses" : "use", limit,
                      count == 1 ? "it" : "they")};
}

/// Returns remarks on the ranks and nodes that use more memory than the limits. They did so at from_proc,
/// because apply_limits() permits no other excess.
std::vector<Remark> remarks_on(const Limits& limits, const LDStats& stats) {
  if (!limits.limit_memory() || stats.memory.empty()) return {};
  const MemoryUse use(stats, stats.to_proc, limits.count_serialized);
  std::int64_t n_ranks = 0;
  std::int64_t n_nodes = 0;
  for (std::int32_t rank = 0; rank < stats.count(); ++rank) {
    if (use.of_rank(rank) > limits.max_memory_bytes * (1 + rounding_error)) ++n_ranks;
    if (use.is_first_of_node(rank) && use.of_node(rank) > limits.max_node_memory_bytes * (1 + rounding_error))
      ++n_nodes;
  }
  std::vector<Remark> remarks;
  if (n_ranks > 0) remarks.push_back(above_limit("rank", n_ranks, "max_memory_bytes"));
  if (n_nodes > 0) remarks.push_back(above_limit("node", n_nodes, "max_node_memory_bytes"));
  return remarks;
}

}  // namespace

void LimitedStrategy::work(LDStats& stats) {
  require_sizes(limits_, stats);
  std::vector<std::int32_t> before = stats.to_proc;
  strategy_->work(stats);
  try {
    stats.to_proc = apply_limits(limits_, stats, stats.to_proc);
    if (!ProcArray(stats).must_evacuate() && score(stats, stats.to_proc) > score(stats, stats.from_proc))
      stats.to_proc = stats.from_proc;
  } catch (...) {
    stats.to_proc = std::move(before);
    throw;
  }
  limit_remarks_ = remarks_on(limits_, stats);
}

std::vector<Remark> LimitedStrategy::remarks() const {
  std::vector<Remark> remarks = strategy_->remarks();
  remarks.insert(remarks.end(), limit_remarks_.begin(), limit_remarks_.end());
  return remarks;
}

}  // namespace plimsoll::balance
