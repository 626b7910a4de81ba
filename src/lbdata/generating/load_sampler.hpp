#pragma once

#include <cstdint>

#include <plimsoll/lbdata/generator.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Purposes of random numbers; each has a separate stream.
enum class RandomStream : std::uint64_t { load = 1, noise = 2, subphase = 3, edge = 4 };

/// Computes the loads of objects, in seconds, from the distribution that the options specify. The options
/// must be valid.
class LoadSampler {
 public:
  explicit LoadSampler(const GenerateOptions& options);

  /// Returns the part of the load that is the same in all phases.
  double base_s(std::int64_t object) const;
  /// Returns the load of `object` in phase `phase`, derived from its base load.
  double load_s(double base_s, std::int64_t object, std::int64_t phase) const;

 private:
  bool is_hot(std::int64_t object, std::int64_t phase) const;

  GenerateOptions options_;
  double log_mean_ = 0;  // mean of the logarithm of a lognormal load
  double log_deviation_ = 0;
};

}  // namespace plimsoll::lbdata
