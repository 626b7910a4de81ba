#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <plimsoll/runtime/work_timer.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// CPU time of one thread by slot and subphase, measured alongside a WorkTimer with the same slots and
/// columns. Before the timer's current slot or column changes, charge() adds the CPU time so far to them.
class CpuMeter {
 public:
  CpuMeter() : since_(Clock::cpu_nanoseconds()) {}

  void charge(std::uint32_t column, std::uint32_t slot) {
    const std::int64_t now = Clock::cpu_nanoseconds();
    add(column, slot, now - since_);
    since_ = now;
  }
  double seconds(std::uint32_t column, std::size_t slot) const {
    const bool is_known = column < columns_.size() && slot < columns_[column].size();
    return is_known ? 1e-9 * static_cast<double>(columns_[column][slot]) : 0;
  }
  /// Returns the time of a slot, summed over all columns.
  double seconds(std::size_t slot) const {
    double sum = 0;
    for (std::uint32_t column = 0; column < columns_.size(); ++column) sum += seconds(column, slot);
    return sum;
  }
  /// Returns the time of all slots.
  double total_s() const {
    std::int64_t sum = 0;
    for (const std::vector<std::int64_t>& column : columns_)
      for (const std::int64_t nanoseconds : column) sum += nanoseconds;
    return 1e-9 * static_cast<double>(sum);
  }
  /// Discards the time of a slot and returns it.
  double clear_slot(std::size_t slot) {
    const double cleared = seconds(slot);
    for (std::vector<std::int64_t>& column : columns_)
      if (slot < column.size()) column[slot] = 0;
    return cleared;
  }
  /// Moves the time of a slot from the meter of another thread to this one.
  void take(CpuMeter& other, std::size_t slot) {
    for (std::uint32_t column = 0; column < other.columns_.size(); ++column) {
      if (slot >= other.columns_[column].size()) continue;
      if (const std::int64_t taken = std::exchange(other.columns_[column][slot], 0); taken != 0)
        add(column, slot, taken);
    }
  }
  /// Discards the time since the last charge().
  void start() { since_ = Clock::cpu_nanoseconds(); }
  /// Sets all times to zero and removes the columns of subphases.
  void clear() {
    if (columns_.empty()) return;
    columns_.resize(1);
    columns_[0].assign(columns_[0].size(), 0);
  }

 private:
  void add(std::uint32_t column, std::size_t slot, std::int64_t nanoseconds) {
    if (column >= columns_.size()) columns_.resize(column + std::size_t{1});
    if (slot >= columns_[column].size()) columns_[column].resize(slot + 1);
    columns_[column][slot] += nanoseconds;
  }

  std::int64_t since_;
  std::vector<std::vector<std::int64_t>> columns_;  // nanoseconds by column and slot
};

}  // namespace plimsoll::runtime
