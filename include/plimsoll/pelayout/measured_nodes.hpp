#pragma once

#include <optional>
#include <string>

#include <plimsoll/pelayout/solution.hpp>
#include <plimsoll/pelayout/study.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Nodes on which the runs of a study were measured.
struct MeasuredNodes {
  std::optional<Nodes> nodes;  ///< empty if unknown, or if they do not suit the request
  /// Source of the number, or the reason why nodes are ignored, for users; empty if no run knows its nodes.
  std::string remark;
};

/// Finds the nodes for a request that specifies none: those of its runs, see find_tasks_per_node(). They suit
/// the request if
/// - all totals are whole nodes,
/// - the largest total has a node for each concurrent part of the layout,
/// - each component has a thread count that divides a node, if totals count processors,
/// - neither exact sums nor the model of CIME's tool are requested, because that tool ignores nodes.
///
/// Solvers of other programs do not know nodes: returns none for them. Throws Error as requested_layout()
/// does.
MeasuredNodes measured_nodes(const StudyRequest& request);

}  // namespace plimsoll::pelayout
