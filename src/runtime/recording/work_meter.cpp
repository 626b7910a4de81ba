#include <unistd.h>

#include <algorithm>
#include <atomic>

#include <plimsoll/runtime/work_meter.hpp>

#include "runtime/recording/thread_work.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

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

namespace {

/// What a thread remembers, so that it need not search.
struct LastUse {
  std::uint64_t table = 0;
  ThreadWork* work = nullptr;
};
constinit thread_local LastUse last_use;

}  // namespace

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
