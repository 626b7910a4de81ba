#include "runtime/recording/phase_reduction.hpp"

#include <algorithm>
#include <numeric>

namespace plimsoll::runtime {

namespace {

bool counts_for_ranks(lbdata::CommCategory category) {
  using enum lbdata::CommCategory;
  return category != Broadcast && category != CollectionToNodeBcast && category != NodeToCollectionBcast;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

}  // namespace

void PhaseReduction::add_loads(const std::vector<double>& loads_s) {
  object_load_s = lbdata::Statistics(loads_s);
  rank_load_s.add(sum(loads_s));
}

void PhaseReduction::add_modeled_loads(const std::vector<double>& loads_s) {
  object_load_modeled_s = lbdata::Statistics(loads_s);
  rank_load_modeled_s.add(sum(loads_s));
}

void PhaseReduction::add_messages(std::span<const EdgeTable::Edge> edges) {
  double rank_bytes = 0;
  for (const EdgeTable::Edge& edge : edges) {
    if (edge.messages == 0 || edge.from == edge.to) continue;
    const auto bytes = static_cast<double>(edge.bytes);
    if (edge.category == lbdata::CommCategory::SendRecv) object_comm_bytes.add(bytes);
    if (edge.off_rank && counts_for_ranks(edge.category)) rank_bytes += bytes;
  }
  rank_comm_bytes.add(rank_bytes);
}

PhaseSummary PhaseReduction::summary(std::int64_t phase, const RankTimes& times) const {
  const bool has_model = rank_load_modeled_s.count() > 0;
  return {.phase = phase,
          .times = times,
          .object_load_s = object_load_s,
          .rank_load_s = rank_load_s,
          .object_load_modeled_s = has_model ? object_load_modeled_s : object_load_s,
          .rank_load_modeled_s = has_model ? rank_load_modeled_s : rank_load_s,
          .object_comm_bytes = object_comm_bytes,
          .rank_comm_bytes = rank_comm_bytes,
          .duration_s = duration_s};
}

void merge_reductions(PhaseReduction& left, const PhaseReduction& right) {
  left.object_load_s.merge(right.object_load_s);
  left.rank_load_s.merge(right.rank_load_s);
  left.object_load_modeled_s.merge(right.object_load_modeled_s);
  left.rank_load_modeled_s.merge(right.rank_load_modeled_s);
  left.object_comm_bytes.merge(right.object_comm_bytes);
  left.rank_comm_bytes.merge(right.rank_comm_bytes);
  left.duration_s = std::max(left.duration_s, right.duration_s);
  left.failed_rank = std::min(left.failed_rank, right.failed_rank);
  left.failed_to_write_rank = std::min(left.failed_to_write_rank, right.failed_to_write_rank);
}

}  // namespace plimsoll::runtime
