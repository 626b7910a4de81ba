#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <plimsoll/pelayout/pes_file.hpp>
#include <plimsoll/pelayout/plan.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// A recommended measurement: a component, its task and thread count, and the reason.
struct WorthMeasuring {
  std::string component;
  std::int64_t tasks = 0;
  std::int64_t threads = 1;
  double doubt = 0;  ///< possible error of the layout's time due to the uncertainty at this count
  /// Reason, such as "beyond the 512 tasks measured" or "no measurements between 64 and 512 tasks".
  std::string reason;
};

/// Recommended timing runs.
struct NextRuns {
  std::vector<WorthMeasuring> counts;  ///< highest uncertainty first; only if >= 1 % of the layout's time
  std::vector<PesEntry> runs;          ///< entries for `plimsoll layout submit --pesfile`
};

/// Recommends up to `max_runs` timing runs for a solution that the planner found for a total of tasks or
/// processors: the runs that would improve the solution most.
///
/// The uncertainty of a component at a count, relative to its cost, is the sum of
/// - disagreement: the difference between the planner's model, a fitted curve and a power law through the
///   nearest two measured counts. Straight lines between points overestimate costs, so they are included only
///   if the planner uses them. At least the typical error of the fitted curve; 10 % for a curve through two
///   points, which shows no error. With one point, the difference from a constant cost is included.
/// - noise: the spread of the repeats at the nearest measured count.
/// - distance: 5 % per doubling of the count to the nearest measured one.
///
/// The uncertainty of the layout's time due to a count is this ratio times the component's cost in the
/// solution, minus the component's slack. The slack is subtracted because a smaller error does not change the
/// layout's time.
///
/// Candidate counts are the component's count in the solution, one below and one above. The latter two are
/// halfway (on a logarithmic scale) to the next measured count. If no count beyond was measured, they are
/// half or twice the component's count. The rules and the total limit them. Counts within a third of a
/// doubling of a measured count, or of the component's count, are skipped.
///
/// The first run is the layout itself. It measures every component at its count in the solution, and its time
/// can be compared with the prediction. In the other runs, all components run in sequence. Each component
/// uses its most uncertain count that no earlier run contains. If no such count remains, it uses its count in
/// the solution.
NextRuns next_runs(const Planner& planner, const Solution& solution, std::int64_t total,
                   std::size_t max_runs = 3);

}  // namespace plimsoll::pelayout
