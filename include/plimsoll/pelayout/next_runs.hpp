#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <plimsoll/pelayout/pes_file.hpp>
#include <plimsoll/pelayout/plan.hpp>

namespace plimsoll::inline v0_1::pelayout {

/// A count at which a component should be measured, and why.
struct WorthMeasuring {
  std::string component;
  std::int64_t tasks = 0;
  std::int64_t threads = 1;
  double doubt = 0;    ///< by how much the layout's time may be wrong for what is not known here
  std::string reason;  ///< "beyond the 512 tasks measured", "between 64 and 512 tasks, nothing measured"
};

/// What to measure next.
struct NextRuns {
  std::vector<WorthMeasuring> counts;  ///< most doubtful first; none below 1 % of the layout's time
  std::vector<PesEntry> runs;          ///< entries for `plimsoll layout submit --pesfile`
};

/// The timing runs from which a solution that the planner found for a total would gain most, at most `most`.
///
/// What is not known of a component at a count, as a share of its cost, is the sum of
/// - disagreement: how far apart the planner's model, a fitted curve and a power law through the nearest two
///   measured counts are (straight lines between points are known to be too dear, so they have no say unless
///   the planner goes by them),
/// - noise: the spread of the repeats at the nearest measured count,
/// - distance: 5 % for each doubling of the count to the nearest measured one.
/// The doubt of the count is that share of the component's cost in the solution, less the component's slack:
/// what the layout does not feel need not be known.
///
/// Counts that come into question are the component's own in the solution, and one below and one above it:
/// half way (on a scale of doublings) to the next measured count, or twice or half of its own where nothing
/// is measured beyond, as far as the rules and the total admit. Counts less than a third of a doubling from a
/// measured one or its own are passed over.
///
/// The first run is the layout itself, whose time can then be held against its prediction, and which measures
/// every component at its own count. In the others all components run in sequence, each at the most doubtful
/// count not in a run so far, else at its own.
NextRuns next_runs(const Planner& planner, const Solution& solution, std::int64_t total,
                   std::size_t most = 3);

}  // namespace plimsoll::pelayout
