#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>

#include <plimsoll/runtime/work_meter.hpp>
#include <plimsoll/runtime/work_timer.hpp>
#include <plimsoll/support/examination.hpp>

#include "runtime/recording/calibration.hpp"
#include "runtime/recording/thread_work.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

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

/// What a thread remembers, so that it need not search.
struct LastUse {
  std::uint64_t table = 0;
  ThreadWork* work = nullptr;
};
constinit thread_local LastUse last_use;

}  // namespace

Clock::Clock(Source wanted) : source_(support::has_invariant_counter() ? wanted : Source::system) {
  if (source_ == Source::system) return;
  static const Calibration of_this_process = calibrate();
  first_ = of_this_process.first;
  seconds_per_tick_ = of_this_process.tick_s;
  relative_error_ = of_this_process.error;
}

void Clock::recalibrate() {
  if (source_ == Source::system) return;
  const Moment last = read_clocks();
  seconds_per_tick_ = seconds_per_tick(first_, last);
  relative_error_ = runtime::relative_error(first_, last);
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

static_assert(ObjectSlots::background == WorkTimer::background);

WorkMeter::WorkMeter(Clock::Source source, bool with_cpu_time)
    : timer_(source),
      cpu_(with_cpu_time ? std::make_unique<CpuMeter>() : nullptr),
      threads_(std::make_unique<ThreadTable>(source, with_cpu_time)) {
  timer_.resize(slots_.size());
}

WorkMeter::~WorkMeter() = default;

bool WorkMeter::begin_on_other_thread(ObjectHandle object) {
  if (!slots_.is_valid(object)) return false;
  threads_->mine().begin(object.slot, slots_.size(), column());
  return true;
}

bool WorkMeter::end_on_other_thread(ObjectHandle object) {
  return threads_->mine().end(object.slot) || switched_;
}

bool WorkMeter::is_open(WorkTimer::Slot slot) const {
  const auto has_open = [slot](const auto& work) { return work->timer.is_open(slot); };
  return timer_.is_open(slot) || std::ranges::any_of(threads_->all(), has_open);
}

void WorkMeter::switch_on(bool on) {
  if (on == is_on()) return;
  if (!on) end_all();
  on_ = on;
  switched_ = true;
  start();
}

std::size_t WorkMeter::end_all() {
  if (!is_on()) return 0;
  if (cpu_) charge_cpu_time();
  std::size_t open = timer_.depth();
  timer_.unwind();
  set_column(0);
  for (const auto& work : threads_->all()) {
    open += work->timer.depth();
    work->timer.unwind();
  }
  return open;
}

void WorkMeter::update() {
  if (cpu_) charge_cpu_time();
  timer_.update();
}

void WorkMeter::set_column(std::uint32_t column) {
  if (cpu_) charge_cpu_time();
  timer_.set_column(column);
  column_.store(column, std::memory_order_relaxed);
}

void WorkMeter::start() {
  if (!is_on()) return;
  timer_.start();
  if (cpu_) cpu_->start();
}

void WorkMeter::clear() {
  timer_.clear();
  if (cpu_) cpu_->clear();
  threads_->end_phase();
}

void WorkMeter::start_phase() {
  switched_ = false;
  start();
}

void WorkMeter::charge_cpu_time() {
  cpu_->charge(timer_.column(), timer_.current());
}

ThreadWork::ThreadWork(int thread_number, pid_t thread_id, Clock::Source source, bool with_cpu_time)
    : number(thread_number),
      system_id(thread_id),
      timer(source),
      cpu(with_cpu_time ? std::make_unique<CpuMeter>() : nullptr) {}

void ThreadWork::clear() {
  timer.clear();
  if (cpu) cpu->clear();
  edges.end_phase();
  added.clear();
  taken_ticks = 0;
  used = false;
}

std::uint64_t ThreadTable::new_number() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

ThreadWork& ThreadTable::mine() {
  if (last_use.table != number_) [[unlikely]]
    last_use = {number_, &find_or_add()};
  return *last_use.work;
}

ThreadWork& ThreadTable::find_or_add() {
  const std::lock_guard lock(mutex_);
  const pid_t system_id = ::gettid();
  const auto found = std::ranges::find(threads_, system_id, [](const auto& work) { return work->system_id; });
  if (found != threads_.end()) return **found;
  threads_.push_back(std::make_unique<ThreadWork>(next_thread_++, system_id, source_, with_cpu_time_));
  return *threads_.back();
}

void ThreadTable::end_phase() {
  const auto is_unused = [](const auto& work) { return !work->used; };
  if (std::erase_if(threads_, is_unused) > 0) number_ = new_number();
  for (const auto& work : threads_) work->clear();
}

}  // namespace plimsoll::runtime
