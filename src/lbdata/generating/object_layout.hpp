#pragma once

#include <plimsoll/lbdata/generator.hpp>
#include <plimsoll/support/version.hpp>

#include "lbdata/generating/sampler.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Objects in a grid of one, two or three dimensions; the first coordinate changes slowest in the numbering.
class Grid {
 public:
  /// Creates a grid of exactly `count` cells. The sides are as equal as its divisors allow, the longest
  /// first.
  Grid(std::int64_t count, int dimensions);

  const std::vector<std::int64_t>& sides() const { return sides_; }
  std::vector<std::int64_t> coordinates(std::int64_t cell) const;
  /// Returns the adjacent cells, starting with the first coordinate, the lower cell first.
  std::vector<std::int64_t> neighbours(std::int64_t cell) const;

 private:
  std::vector<std::int64_t> sides_;
};

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
  Sampler lognormal_;
};

/// Positions and senders of the objects of a synthetic data set. Objects are numbered from 0 to n - 1.
class ObjectLayout {
 public:
  explicit ObjectLayout(const GenerateOptions& options);

  /// Returns the `index` of an object: its coordinates in the grid. In a grid of one dimension, this is its
  /// number.
  std::vector<std::int64_t> index(std::int64_t object) const { return grid_.coordinates(object); }
  /// Returns the objects that send to `object`, without duplicates.
  std::vector<std::int64_t> sources(std::int64_t object) const;

 private:
  std::vector<std::int64_t> random_sources(std::int64_t object) const;

  Topology topology_;
  std::int64_t objects_;
  std::int64_t degree_;
  std::uint64_t seed_;
  Grid grid_;
};

/// Returns the user data of a migratable object, with its memory sizes and its shared block; empty without
/// any. `number` counts the objects of a rank from 0.
std::string object_memory_text(const GenerateOptions& options, std::int64_t rank, std::int64_t number);
/// Returns the user data of a non-migratable object: the memory of its rank; empty without it.
std::string rank_memory_text(const GenerateOptions& options);

}  // namespace plimsoll::lbdata
