#include <plimsoll/runtime/work_meter.hpp>

#include "runtime/recording/cpu_meter.hpp"

namespace plimsoll::inline v0_1::runtime {

static_assert(ObjectSlots::background == WorkTimer::background);

WorkMeter::WorkMeter(Clock::Source source, bool with_cpu_time)
    : timer_(source), cpu_(with_cpu_time ? std::make_unique<CpuMeter>() : nullptr) {
  timer_.resize(slots_.size());
}

WorkMeter::~WorkMeter() = default;

void WorkMeter::switch_on(bool on) {
  if (on == on_) return;
  if (!on) end_all();
  on_ = on;
  switched_ = true;
  start();
}

std::size_t WorkMeter::end_all() {
  if (!on_) return 0;
  if (cpu_) charge_cpu_time();
  const std::size_t open = timer_.depth();
  timer_.unwind();
  timer_.set_column(0);
  return open;
}

void WorkMeter::update() {
  if (cpu_) charge_cpu_time();
  timer_.update();
}

void WorkMeter::set_column(std::uint32_t column) {
  if (cpu_) charge_cpu_time();
  timer_.set_column(column);
}

void WorkMeter::start() {
  if (!on_) return;
  timer_.start();
  if (cpu_) cpu_->start();
}

void WorkMeter::clear() {
  timer_.clear();
  if (cpu_) cpu_->clear();
}

void WorkMeter::start_phase() {
  switched_ = false;
  start();
}

void WorkMeter::charge_cpu_time() {
  cpu_->charge(timer_.column(), timer_.current());
}

}  // namespace plimsoll::runtime
