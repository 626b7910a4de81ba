#pragma once

#include <cmath>

#include "lbdata/generating/portable_random.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Distribution of random numbers, or a constant.
class Sampler {
 public:
  Sampler() = default;
  static Sampler constant(double value) { return {Law::constant, value, 0}; }
  /// Distribution between two bounds.
  static Sampler uniform(double lower, double upper) { return {Law::uniform, lower, upper}; }
  /// Lognormal distribution with the mean m and the variance v of the numbers themselves, as in LBAF:
  /// sigma^2 = ln((m^2 + v) / m^2), mu = ln(m^2 / sqrt(m^2 + v)).
  static Sampler lognormal(double mean, double variance) {
    const double log_variance = portable_log(1 + variance / mean / mean);
    return {Law::lognormal, portable_log(mean) - log_variance / 2, std::sqrt(log_variance)};
  }

  double draw(CounterRandom& random) const {
    switch (law_) {
      case Law::constant: break;
      case Law::uniform: return first_ + (second_ - first_) * random.uniform();
      case Law::lognormal: return portable_exp(first_ + second_ * random.normal());
    }
    return first_;
  }

 private:
  enum class Law { constant, uniform, lognormal };
  Sampler(Law law, double first, double second) : law_(law), first_(first), second_(second) {}

  Law law_ = Law::constant;
  double first_ = 0;   // value, lower bound, or mean of the logarithm
  double second_ = 0;  // upper bound, or standard deviation of the logarithm
};

/// Maximum ratio of the variance of a lognormal distribution to the square of its mean.
inline constexpr double widest_lognormal = 1e12;

}  // namespace plimsoll::lbdata
