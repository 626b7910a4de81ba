#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/lbdata/generator.hpp>

#include "lbdata/generating/grid.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

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

}  // namespace plimsoll::lbdata
