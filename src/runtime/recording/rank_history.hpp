#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include <plimsoll/balance/load_model.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Measurements of the objects of this rank in the last phases, including their loads on other ranks.
class RankHistory {
 public:
  /// Takes at most `n_phases` (>= 1) phases of `data`, which must outlive this object. `newest`, if not null,
  /// is a phase that has ended and is not in `data` yet. Cost and Errors: as balance::LoadHistory.
  RankHistory(const NodeLBData& data, std::size_t n_phases, const lbdata::PhaseRecord* newest,
              balance::LoadHistory::Traffic traffic = balance::LoadHistory::Traffic::ignore);

  const balance::LoadHistory& loads() const { return history_; }

 private:
  std::deque<lbdata::PhaseRecord> added_;  // loads of objects in phases in which they were not on this rank
  balance::LoadHistory history_;
};

/// Number of phases that steady_loads() uses.
inline constexpr std::size_t steady_phases = 3;

/// Returns a load for each task of the last kept phase that is not disturbed by a single phase: the lower
/// median of the object's loads in the last three phases, or the lower load of two. An interrupted object
/// looks much heavier than it is; in many objects, some are interrupted in every phase.
std::vector<double> steady_loads(const NodeLBData& data);

}  // namespace plimsoll::runtime
