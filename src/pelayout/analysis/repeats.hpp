#pragma once

#include <vector>

#include <plimsoll/pelayout/prediction.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Time of runs with the same placement: the median, and the range that contains another run with a
/// probability of 90 %.
struct RepeatedTime {
  double time = 0;
  TimeRange range;
};

/// Combines the times of runs with the same placement, at least one, all > 0.
///
/// The logarithms of such times are normally distributed, with an unknown variance. The variances of
/// different cases follow a scaled inverse chi-squared distribution with one degree of freedom. The range is
/// therefore that of Student's t distribution, with one degree of freedom per run: few runs have a wide
/// range, and the more runs of this case are known, the more it depends on their spread alone. Source: Gelman
/// et al., Bayesian Data Analysis, 3rd edition, section 3.2.
RepeatedTime repeated_time(std::vector<double> times);

/// Returns the factors by which another run with the placement of a single run may differ from it, with a
/// probability of 90 %.
TimeRange factors_of_repeats();

/// Returns the value that Student's t distribution exceeds with a probability of 5 %. Exact to 0.2 %.
double students_t(std::size_t degrees_of_freedom);

}  // namespace plimsoll::pelayout
