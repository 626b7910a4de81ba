#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include <plimsoll/pelayout/reproduction.hpp>
#include <plimsoll/pelayout/uncertain_time.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Time that a layout is expected to take. If runs are known, it is calibrated with one of them: the measured
/// time of the run x the predicted time of the layout / the predicted time of the run. The models then only
/// predict the ratio of the two times, so that their common error, such as a missing component, has no
/// effect.
struct ExpectedTime {
  double time = 0;                       ///< mean of the possible times
  TimeRange range;                       ///< contains the time with a probability of 90 %
  double by_models = 0;                  ///< the same without calibration
  std::optional<Reproduction> run = {};  ///< run that calibrates the time; empty without runs

  /// Returns the relative change of the run's time. A run must be known.
  double change() const { return time / run->measured - 1; }
  /// Returns whether the change exceeds its uncertainty. A run must be known.
  bool is_certain() const { return run->measured < range.min || run->measured > range.max; }
};

/// Returns the expected time of a layout for a total, whose time by the models is `by_models`. It is
/// calibrated with nearest_run(). The range then also contains the differences between the errors of the
/// runs: beyond 20 runs, without the 5 % of the runs with the largest errors at each end; if only one run is
/// known, its whole error. Errors are added as independent errors, i.e. as squares. O(runs log runs).
ExpectedTime expected_time(const UncertainTime& by_models, std::span<const Reproduction> runs,
                           std::int64_t total);

}  // namespace plimsoll::pelayout
