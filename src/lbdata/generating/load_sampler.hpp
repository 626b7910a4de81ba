#pragma once

#include <cstdint>

#include <plimsoll/lbdata/generator.hpp>

namespace plimsoll::inline v0_1::lbdata {

/// Purposes of random numbers, each a stream of its own.
enum class RandomStream : std::uint64_t { load = 1, noise = 2, subphase = 3, edge = 4 };

/// Loads in seconds of objects by the law of the options, which have been checked.
class LoadSampler {
 public:
  explicit LoadSampler(const GenerateOptions& options);

  /// What is the same in all phases.
  double base_s(std::int64_t object) const;
  /// The load in a phase, of an object with that base.
  double load_s(double base_s, std::int64_t object, std::int64_t phase) const;

 private:
  bool is_hot(std::int64_t object, std::int64_t phase) const;

  GenerateOptions options_;
  double log_mean_ = 0;  // of the logarithm of a lognormal load
  double log_deviation_ = 0;
};

}  // namespace plimsoll::lbdata
