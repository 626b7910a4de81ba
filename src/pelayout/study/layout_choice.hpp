#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <plimsoll/pelayout/study.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Returns the layout that the request or its problem specifies; empty if neither does.
std::string specified_layout(const StudyRequest& request);

/// Returns the plan of a request, with smaller tables if the problem's file chose the total.
PlanOptions plan_of(const StudyRequest& request);

/// Returns whether the study may use another layout than the usual one.
bool may_choose_layout(const StudyRequest& request);

/// Layouts of several totals.
struct LayoutChoice {
  std::vector<Layout> layouts;
  std::vector<std::size_t> of_total;  ///< index into the layouts, one per total
};

/// Chooses the layout of each total. If the request specifies none, an alternative replaces the usual layout
/// if it is expected to be faster by worthwhile_gain, and the upper end of its range is not higher.
LayoutChoice best_layouts(const StudyRequest& request, const std::vector<std::int64_t>& totals);

}  // namespace plimsoll::pelayout
