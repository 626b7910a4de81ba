#pragma once

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// Range of a time.
struct TimeRange {
  double min = 0;
  double max = 0;
};

/// A time with an error, which is normally distributed.
struct UncertainTime {
  double mean = 0;
  double variance = 0;

  /// Makes a time that differs from `mean` by at most `error` with a probability of 90 %.
  static UncertainTime within(double mean, double error);
  /// Returns the range that contains the time with a probability of 90 %.
  TimeRange range() const;
  /// Adds two times with independent errors.
  friend UncertainTime operator+(const UncertainTime& one, const UncertainTime& other) {
    return {one.mean + other.mean, one.variance + other.variance};
  }
};

/// Returns the maximum of two times with independent errors. Its mean is larger than either of the means: the
/// nearer the times, the more often the one that is expected to be shorter takes longer. Mean and variance
/// are exact for normal distributions; the maximum of more than two times is approximate. Source: Clark,
/// Operations Research 9, 145 (1961).
UncertainTime maximum(const UncertainTime& one, const UncertainTime& other);

}  // namespace plimsoll::pelayout
