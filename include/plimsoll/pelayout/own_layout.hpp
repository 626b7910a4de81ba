#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/pelayout/prediction.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Layout with which runs took place, and the time that they took. It competes with computed layouts.
struct OwnLayout {
  std::string path;      ///< timing file of the run with the median time
  std::size_t runs = 1;  ///< number of runs with this layout
  /// Arrangement of the components that took time, see Reproduction::arrangement, with the rules of the
  /// planner's layout.
  Layout layout;
  Solution solution;       ///< places of the components in the run, with their measured times
  std::int64_t total = 0;  ///< size of the run in the unit of the planner's totals
  double time = 0;         ///< measured total time; the median if several runs had this layout
  TimeRange range;         ///< contains the time of another such run with a probability of 90 %
  /// Waiting of each component in the run of `path`: for concurrent parts that took longer, and, if an ESMF
  /// profile tells it from work, inside of the component's own mean time.
  std::map<std::string, double> waiting = {};
  /// Whether the waiting was measured inside of all components that took time, not only follows from their
  /// times.
  bool measures_waiting = false;
  /// Whether the places are those of the run, see TimingFile::knows_ranks(). Otherwise, only its task counts
  /// are known.
  bool knows_ranks = true;
};

/// Returns whether a run may have used the two kinds of nodes of a plan: files do not contain kinds, but the
/// ranks of the components on the second kind must follow those on the first, and both must fit on the nodes.
/// If ranks are unknown, only the latter is required. True for plans without kinds.
bool fits_kinds_of_nodes(const Planner& planner, const TimingFile& run);

/// Returns the layouts of runs that contain a total time, one per placement, in the order of the runs. Omits
/// runs whose total is too short for their components (below 0.87 of the critical path), runs whose task
/// counts contradict the block sizes and limits of the problem, or the rules of the planner's layout, and
/// runs that do not fit the plan's kinds of nodes. With kinds, the size of a layout is that of all nodes.
/// O(runs^2 x components).
std::vector<OwnLayout> own_layouts(const Planner& planner, std::span<const TimingFile> runs);

/// Returns the fastest layout that fits on a total, or null without one.
const OwnLayout* fastest(std::span<const OwnLayout> layouts, std::int64_t total);

/// Returns the layout whose components have the places of a solution of an expression, or null without one.
/// If ranks are unknown, components with the same counts on the same kind of nodes have the same places.
/// On two kinds of nodes, the same components must also run concurrently, because places do not tell.
/// Components that take no time may differ. O(layouts x components^2).
const OwnLayout* with_same_places(std::span<const OwnLayout> layouts, const LayoutExpression& expression,
                                  const Solution& solution);

/// Runs that took place: they calibrate expected times, and their layouts compete with computed layouts.
struct KnownRuns {
  std::vector<Reproduction> reproductions;
  std::vector<OwnLayout> layouts;
};

/// Returns the time that a run with a layout is expected to take: the measured time.
ExpectedTime expected_time(const OwnLayout& own, std::span<const Reproduction> runs);

/// Returns the expected time of a solution for a total, whose time by the models is `by_models`: the measured
/// time if it took place, otherwise as expected_time() with the reproductions.
ExpectedTime expected_time(const LayoutExpression& expression, const Solution& solution,
                           const UncertainTime& by_models, const KnownRuns& runs, std::int64_t total);

/// Returns whether a layout is to be kept: a computed layout is not expected to be faster by worthwhile_gain.
inline bool is_worth_keeping(const OwnLayout& own, const ExpectedTime& computed) {
  return computed.time > (1 - worthwhile_gain) * own.time;
}

}  // namespace plimsoll::pelayout
