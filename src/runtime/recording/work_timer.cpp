#include <algorithm>
#include <span>
#include <utility>

#include <plimsoll/runtime/work_timer.hpp>

#include "runtime/recording/calibration.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

// Returns whether the counter runs at a constant rate in all power states (Intel SDM vol. 3, "Invariant
// TSC").
bool has_invariant_counter() {
#if defined(__x86_64__)
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  constexpr unsigned invariant_tsc = 1U << 8;
  return __get_cpuid(0x80000007U, &a, &b, &c, &d) != 0 && (d & invariant_tsc) != 0;
#else
  return false;
#endif
}

#if defined(__x86_64__)
Moment read_clocks() {
  return read_both([] { return static_cast<std::int64_t>(__rdtsc()); }, Clock::system_nanoseconds);
}
#else
Moment read_clocks() {
  return {};
}
#endif

struct Calibration {
  Moment first;
  double tick_s;
  double error;
};

Calibration calibrate() {
  constexpr std::int64_t duration_nanoseconds = 10'000'000;
  const Moment first = read_clocks();
  Moment last = read_clocks();
  while (last.nanoseconds - first.nanoseconds < duration_nanoseconds) last = read_clocks();
  return {first, seconds_per_tick(first, last), runtime::relative_error(first, last)};
}

}  // namespace

Clock::Clock(Source wanted) : source_(has_invariant_counter() ? wanted : Source::system) {
  if (source_ == Source::system) return;
  static const Calibration of_this_process = calibrate();
  first_tick_ = of_this_process.first.tick;
  first_nanoseconds_ = of_this_process.first.nanoseconds;
  first_gap_ticks_ = of_this_process.first.gap_ticks;
  seconds_per_tick_ = of_this_process.tick_s;
  relative_error_ = of_this_process.error;
}

void Clock::recalibrate() {
  if (source_ == Source::system) return;
  const Moment first{first_tick_, first_nanoseconds_, first_gap_ticks_};
  const Moment last = read_clocks();
  seconds_per_tick_ = seconds_per_tick(first, last);
  relative_error_ = runtime::relative_error(first, last);
}

WorkTimer::WorkTimer(Clock::Source source) : clock_(source), stack_(16) {
  columns_.emplace_back(slots_);
  column_ = columns_.front().data();
  start();
}

bool WorkTimer::is_open(Slot slot) const {
  const auto waiting = std::span(stack_).first(depth_);
  return current_ == slot || std::ranges::find(waiting, slot) != waiting.end();
}

std::vector<WorkTimer::Slot> WorkTimer::open() const {
  if (depth_ == 0) return {};
  const auto outer =
      std::span(stack_).first(depth_).subspan(1);  // the first is what preceded all begin() calls
  std::vector<Slot> slots(outer.begin(), outer.end());
  slots.push_back(current_);
  return slots;
}

void WorkTimer::resize(std::size_t count) {
  slots_ = std::max(slots_, count);
  for (std::vector<std::int64_t>& column : columns_) {
    if (!column.empty()) column.resize(slots_);
  }
  column_ = columns_[column_number_].data();
}

void WorkTimer::set_column(std::uint32_t column) {
  update();
  if (columns_.size() <= column) columns_.resize(column + 1);
  if (columns_[column].empty()) columns_[column].resize(slots_);
  column_number_ = column;
  column_ = columns_[column].data();
}

std::int64_t WorkTimer::take(std::uint32_t column, Slot slot) {
  return slot < columns_[column].size() ? std::exchange(columns_[column][slot], 0) : 0;
}

std::int64_t WorkTimer::clear_slot(Slot slot) {
  std::int64_t cleared = 0;
  for (std::uint32_t column = 0; column < column_count(); ++column) cleared += take(column, slot);
  return cleared;
}

void WorkTimer::clear() {
  columns_.resize(column_number_ + 1);
  for (std::vector<std::int64_t>& column : columns_) std::ranges::fill(column, 0);
}

void WorkTimer::unwind() {
  update();
  depth_ = 0;
  current_ = background;
}

void WorkTimer::grow_stack() {
  stack_.resize(2 * stack_.size());
}

}  // namespace plimsoll::runtime
