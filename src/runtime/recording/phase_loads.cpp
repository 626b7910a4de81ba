#include "runtime/recording/phase_loads.hpp"

#include <algorithm>

#include "runtime/recording/cpu_meter.hpp"

namespace plimsoll::inline v0_1::runtime {

void PhaseLoads::add(std::uint32_t slot, double time_s) {
  added_s(meter_.timer().column(), slot) += time_s;
  added_total_s_ += time_s;
}

void PhaseLoads::replace(std::uint32_t slot, double time_s) {
  meter_.update();
  if (time_ == LoadTime::cpu)
    replaced_cpu_s_ += meter_.cpu()->clear_slot(slot);
  else
    replaced_ticks_ += meter_.timer().clear_slot(slot);
  replace_added(slot, time_s);
}

void PhaseLoads::replace_added(std::uint32_t slot, double time_s) {
  for (std::vector<double>& column : added_s_) {
    if (slot < column.size()) column[slot] = 0;
  }
  added_s(0, slot) = time_s;
}

double PhaseLoads::seconds(std::size_t slot) const {
  double sum = 0;
  for (std::uint32_t column = 0; column < column_count(); ++column) sum += seconds(column, slot);
  return sum;
}

double PhaseLoads::seconds(std::uint32_t column, std::size_t slot) const {
  double load = 0;
  if (column < added_s_.size() && slot < added_s_[column].size()) load = added_s_[column][slot];
  if (objects_[slot].measured) load += measured_s(column, slot);
  return load;
}

double PhaseLoads::measured_s(std::uint32_t column, std::size_t slot) const {
  if (time_ == LoadTime::cpu) return meter_.cpu()->seconds(column, slot);
  const WorkTimer& timer = meter_.timer();
  if (column >= timer.column_count()) return 0;
  return timer.clock().seconds(timer.ticks(column, static_cast<WorkTimer::Slot>(slot)));
}

double PhaseLoads::wall_s(std::size_t slot) const {
  const WorkTimer& timer = meter_.timer();
  std::int64_t ticks = 0;
  for (std::uint32_t column = 0; column < timer.column_count(); ++column)
    ticks += timer.ticks(column, static_cast<WorkTimer::Slot>(slot));
  return timer.clock().seconds(ticks);
}

std::uint32_t PhaseLoads::column_count() const {
  return std::max(meter_.timer().column_count(), static_cast<std::uint32_t>(added_s_.size()));
}

RankTimes PhaseLoads::rank_times() const {
  const WorkTimer& timer = meter_.timer();
  RankTimes times;
  std::int64_t objects = replaced_ticks_;
  for (std::uint32_t column = 0; column < timer.column_count(); ++column) {
    if (!timer.has_column(column)) continue;
    times.background_s += timer.clock().seconds(timer.ticks(column, ObjectSlots::background));
    times.idle_s += timer.clock().seconds(timer.ticks(column, ObjectSlots::idle));
    for (std::size_t slot = ObjectSlots::first_object; slot < objects_.size(); ++slot) {
      objects += timer.ticks(column, static_cast<WorkTimer::Slot>(slot));
    }
  }
  // Subtract loads that the program added itself from the background time, in which the clock included them.
  const double from_background = std::min(added_total_s_, times.background_s);
  times.background_s -= from_background;
  times.objects_s = timer.clock().seconds(objects) + from_background;
  times.total_s = times.objects_s + times.background_s + times.idle_s;
  if (const CpuMeter* cpu = meter_.cpu()) {
    times.cpu_total_s = cpu->total_s() + replaced_cpu_s_;
    times.cpu_objects_s =
        times.cpu_total_s - cpu->seconds(ObjectSlots::background) - cpu->seconds(ObjectSlots::idle);
  }
  return times;
}

void PhaseLoads::clear() {
  added_s_.clear();
  added_total_s_ = 0;
  replaced_ticks_ = 0;
  replaced_cpu_s_ = 0;
}

double& PhaseLoads::added_s(std::uint32_t column, std::size_t slot) {
  if (added_s_.size() <= column) added_s_.resize(column + std::size_t{1});
  if (added_s_[column].size() <= slot) added_s_[column].resize(objects_.size());
  return added_s_[column][slot];
}

}  // namespace plimsoll::runtime
