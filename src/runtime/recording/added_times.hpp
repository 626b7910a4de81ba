#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Times that the program added to objects, in seconds by slot and by column of WorkTimer.
class AddedTimes {
 public:
  /// Adds time. Amortised O(1) if `slots`, the number of all slots, does not change.
  void add(std::uint32_t column, std::size_t slot, double time_s, std::size_t slots) {
    if (columns_.size() <= column) columns_.resize(column + std::size_t{1});
    if (columns_[column].size() <= slot) columns_[column].resize(slots);
    columns_[column][slot] += time_s;
  }
  double seconds(std::uint32_t column, std::size_t slot) const {
    return column < columns_.size() && slot < columns_[column].size() ? columns_[column][slot] : 0;
  }
  std::uint32_t column_count() const { return static_cast<std::uint32_t>(columns_.size()); }

  /// Discards the times of a slot in all columns.
  void clear_slot(std::size_t slot) {
    for (std::vector<double>& column : columns_) {
      if (slot < column.size()) column[slot] = 0;
    }
  }
  void clear() { columns_.clear(); }

 private:
  std::vector<std::vector<double>> columns_;  // a column may be empty, or shorter than the number of slots
};

}  // namespace plimsoll::runtime
