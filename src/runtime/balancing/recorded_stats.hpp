#pragma once

#include <span>

#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/lbdata/records.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>

#include "runtime/balancing/rank_stats.hpp"
#include "runtime/recording/recording.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Returns the stats of the objects that are registered now, with the loads of a phase that has ended.
/// `loads_s` are the predicted loads of the tasks of `record`; an object without a task, because it has come
/// or changed since, has the load of its history. Fills the columns that a strategy needs, and leaves `proc`
/// unchanged. Cost: O(objects + entities), plus O(edges). Throws Error (bad_input) for invalid memory sizes
/// among the user-defined values.
RankStats recorded_stats(const Recording& recording, NodeLBData& data, const lbdata::PhaseRecord& record,
                         std::span<const double> loads_s, const balance::ProcStats& proc,
                         const balance::StrategyNeeds& needs);

}  // namespace plimsoll::runtime
