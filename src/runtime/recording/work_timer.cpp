#include <algorithm>
#include <span>
#include <utility>

#include <plimsoll/runtime/work_timer.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

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
