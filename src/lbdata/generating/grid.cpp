#include "lbdata/generating/grid.hpp"

#include <algorithm>
#include <functional>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

// Returns the largest divisor of `count` whose `power`-th power does not exceed `count`.
std::int64_t root_divisor(std::int64_t count, int power) {
  const auto fits = [=](std::int64_t side) {
    std::int64_t rest = count;
    for (int k = 0; k < power; ++k) rest /= side;
    return rest > 0;
  };
  std::int64_t best = 1;
  for (std::int64_t side = 1; fits(side); ++side) {
    if (count % side == 0) best = side;
  }
  return best;
}

}  // namespace

Grid::Grid(std::int64_t count, int dimensions) {
  for (int power = dimensions; power > 1; --power) {
    sides_.push_back(count > 0 ? root_divisor(count, power) : 1);
    count /= sides_.back();
  }
  sides_.push_back(count);
  std::ranges::sort(sides_, std::greater());
}

std::vector<std::int64_t> Grid::coordinates(std::int64_t cell) const {
  std::vector<std::int64_t> result(sides_.size());
  for (std::size_t k = sides_.size(); k-- > 0;) {
    result[k] = cell % sides_[k];
    cell /= sides_[k];
  }
  return result;
}

std::vector<std::int64_t> Grid::neighbours(std::int64_t cell) const {
  std::vector<std::int64_t> result;
  const std::vector<std::int64_t> position = coordinates(cell);
  std::int64_t stride = 1;
  for (const std::int64_t side : sides_) stride *= side;
  for (std::size_t k = 0; k < sides_.size(); ++k) {
    stride /= sides_[k];
    if (position[k] > 0) result.push_back(cell - stride);
    if (position[k] + 1 < sides_[k]) result.push_back(cell + stride);
  }
  return result;
}

}  // namespace plimsoll::lbdata
