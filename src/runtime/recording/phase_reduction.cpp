#include "runtime/recording/phase_reduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

std::string_view name_of(CollectiveCall call) {
  using enum CollectiveCall;
  constexpr support::Named<CollectiveCall> names[] = {{"next_phase", next_phase},
                                                      {"balance_at_phase_ends", balance_at_phase_ends},
                                                      {"plan", plan},
                                                      {"moved", moved},
                                                      {"migrate", migrate},
                                                      {"owner", owner},
                                                      {"infer_loads", infer_loads},
                                                      {"run_until_quiet", run_until_quiet},
                                                      {"close", close}};
  return support::name_of(names, call);
}

void Arrivals::merge(const Arrivals& other) {
  first = std::min(first, other.first);
  last = std::max(last, other.last);
}

Error Arrivals::mismatch() const {
  return support::usage_error(
      fmt::format("rank {} called {}() in phase {} while rank {} called {}() in phase {}", last.rank,
                  name_of(last.call), last.phase, first.rank, name_of(first.call), first.phase),
      "make the same collective calls in the same order on all ranks; MPI_Finalize calls close() if the "
      "program does not");
}

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
  over_ranks.object_load_s = lbdata::Statistics(loads_s);
  over_ranks.rank_load_s.add(sum(loads_s));
}

void PhaseReduction::add_modeled_loads(const std::vector<double>& loads_s) {
  over_ranks.object_load_modeled_s = lbdata::Statistics(loads_s);
  over_ranks.rank_load_modeled_s.add(sum(loads_s));
}

void PhaseReduction::add_messages(std::span<const EdgeTable::Edge> edges) {
  double rank_bytes = 0;
  for (const EdgeTable::Edge& edge : edges) {
    if (edge.messages == 0 || edge.from == edge.to) continue;
    const auto bytes = static_cast<double>(edge.bytes);
    if (edge.category == lbdata::CommCategory::SendRecv) over_ranks.object_comm_bytes.add(bytes);
    if (edge.off_rank && counts_for_ranks(edge.category)) rank_bytes += bytes;
  }
  over_ranks.rank_comm_bytes.add(rank_bytes);
}

PhaseSummary PhaseReduction::summary(std::int64_t phase, const RankTimes& times) const {
  PhaseSummary summary{over_ranks, phase, times, {}};
  if (summary.rank_load_modeled_s.count() == 0) {
    summary.object_load_modeled_s = summary.object_load_s;
    summary.rank_load_modeled_s = summary.rank_load_s;
  }
  return summary;
}

void merge_reductions(PhaseReduction& left, const PhaseReduction& right) {
  for (const auto statistics :
       {&PhaseStatistics::object_load_s, &PhaseStatistics::rank_load_s,
        &PhaseStatistics::object_load_modeled_s, &PhaseStatistics::rank_load_modeled_s,
        &PhaseStatistics::object_comm_bytes, &PhaseStatistics::rank_comm_bytes})
    (left.over_ranks.*statistics).merge(right.over_ranks.*statistics);
  left.over_ranks.duration_s = std::max(left.over_ranks.duration_s, right.over_ranks.duration_s);
  left.over_ranks.marked_idle_s = std::max(left.over_ranks.marked_idle_s, right.over_ranks.marked_idle_s);
  left.over_ranks.late_device_s += right.over_ranks.late_device_s;
  left.failed_rank = std::min(left.failed_rank, right.failed_rank);
  left.files_need_all_ranks |= right.files_need_all_ranks;
  left.check_is_due |= right.check_is_due;
  left.balancing.merge(right.balancing);
  left.arrivals.merge(right.arrivals);
}

}  // namespace plimsoll::runtime
