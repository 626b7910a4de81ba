#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/lbdata/generator.hpp>

#include "lbdata/generating/grid.hpp"

namespace plimsoll::inline v0_1::lbdata {

/// Where the objects of a synthetic data set are and who sends to them, by their numbers 0 to n - 1.
class ObjectLayout {
 public:
  explicit ObjectLayout(const GenerateOptions& options);

  /// The `index` of an object: its place in the grid, else its number.
  std::vector<std::int64_t> index(std::int64_t object) const { return grid_.coordinates(object); }
  /// The objects that send to `object`, each once.
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
