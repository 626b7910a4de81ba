#pragma once

#include <cstdint>
#include <vector>

#include <plimsoll/runtime/clock.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Assigns the wall-clock time of one thread to numbered slots: time counts for the slot that was begun last.
/// Time outside of all slots is assigned to the slot `background`, so that the sum over all slots is the
/// elapsed time. Times are kept separately by subphase: column 0 for time outside of all subphases, column s
/// + 1 for subphase s.
class WorkTimer {
 public:
  /// Number of a slot, from 0.
  using Slot = std::uint32_t;
  static constexpr Slot background = 0;

  explicit WorkTimer(Clock::Source source = Clock::Source::timestamp_counter);

  /// Assigns subsequent time to `slot`, until the matching end(). Takes one clock read, and allocates memory
  /// only if calls are nested more deeply than ever before.
  void begin(Slot slot) {
    const std::int64_t now = clock_.now();
    charge(now);
    if (depth_ == stack_.size()) grow_stack();
    stack_[depth_++] = current_;
    current_ = slot;
  }
  /// Assigns subsequent time to the slot that was current before the matching begin(). Requires an open
  /// begin().
  void end() {
    charge(clock_.now());
    current_ = stack_[--depth_];
  }

  Slot current() const { return current_; }
  std::size_t depth() const { return depth_; }
  /// Returns whether the slot is current, or will be current again after some open begin() calls end. Cost:
  /// O(depth).
  bool is_open(Slot slot) const;
  /// Returns the slots of the open begin() calls, outermost first.
  std::vector<Slot> open() const;
  std::size_t size() const { return slots_; }

  /// Makes room for slots 0 to count - 1. Cost: amortised O(columns).
  void resize(std::size_t count);

  /// Assigns subsequent time to column 0 or to the column of a subphase.
  void set_column(std::uint32_t column);
  std::uint32_t column() const { return column_number_; }
  /// Returns the number of columns; some may never have been current.
  std::uint32_t column_count() const { return static_cast<std::uint32_t>(columns_.size()); }

  /// Adds the time until now to the current slot. Afterwards ticks() is up to date.
  void update() { charge(clock_.now()); }
  std::int64_t ticks(std::uint32_t column, Slot slot) const {
    return columns_[column].empty() ? 0 : columns_[column][slot];
  }
  /// Returns whether a column exists. set_column() creates it, and clear() may remove it.
  bool has_column(std::uint32_t column) const { return !columns_[column].empty(); }
  /// Discards the ticks of a slot in one column and returns their number, which is 0 for an unknown slot.
  std::int64_t take(std::uint32_t column, Slot slot);
  /// Discards the ticks of a slot in all columns and returns their number.
  std::int64_t clear_slot(Slot slot);

  /// Discards the time since the last clock read.
  void start() { since_ = clock_.now(); }
  /// Sets all times to zero and removes the columns beyond the current one. Cost: O(size x columns).
  void clear();
  /// Ends all open begin() calls.
  void unwind();

  Clock& clock() { return clock_; }
  const Clock& clock() const { return clock_; }

 private:
  void charge(std::int64_t now) {
    column_[current_] += now - since_;
    since_ = now;
  }
  void grow_stack();

  Clock clock_;
  std::int64_t* column_ = nullptr;  // points into columns_[column_number_]
  std::int64_t since_ = 0;
  Slot current_ = background;
  std::size_t depth_ = 0;
  std::vector<Slot> stack_;
  std::vector<std::vector<std::int64_t>> columns_;
  std::uint32_t column_number_ = 0;
  std::size_t slots_ = 1;
};

}  // namespace plimsoll::runtime
