#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <plimsoll/pelayout/pes_file.hpp>
#include <plimsoll/pelayout/plan.hpp>

namespace plimsoll::pelayout {

/// A count at which a component should be measured, and why.
struct WorthMeasuring {
  std::string component;
  std::int64_t tasks = 0;
  std::int64_t threads = 1;
  double doubt = 0;  ///< by how much the layout's time depends on what is not known of it, in units of cost
  std::string
      reason;  ///< "beyond the 512 tasks measured", "between 64 and 512, nothing", "measured once, noisy"
};

/// One timing run that measures several of them at once.
struct NextRuns {
  std::vector<WorthMeasuring> counts;  ///< most doubtful first
  std::vector<PesEntry>
      runs;  ///< entries for `plimsoll layout submit --pesfile`: the best layout itself first
};

/// The timing runs from which the solution would gain most, at most `most`.
NextRuns next_runs(const Planner& planner, const Solution& solution, std::int64_t total,
                   std::size_t most = 3);

}  // namespace plimsoll::pelayout
