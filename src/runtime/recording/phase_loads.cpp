#include "runtime/recording/phase_loads.hpp"

#include <algorithm>

#include "runtime/recording/thread_work.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

void PhaseLoads::add(std::uint32_t slot, double time_s) {
  if (!meter_.is_own_thread()) {
    ThreadWork& work = meter_.threads().mine();
    work.used = true;
    return work.added.add(meter_.column(), slot, time_s, objects_.size());
  }
  added_.add(meter_.timer().column(), slot, time_s, objects_.size());
  added_total_s_ += time_s;
}

void PhaseLoads::replace(std::uint32_t slot, double time_s) {
  take_from_threads(slot);
  meter_.update();
  if (time_ == LoadTime::cpu) {
    replaced_cpu_s_ += meter_.cpu()->clear_slot(slot);
  } else {
    replaced_ticks_ += meter_.timer().clear_slot(slot);
    from_threads_.clear_slot(slot);
  }
  replace_added(slot, time_s);
}

void PhaseLoads::replace_added(std::uint32_t slot, double time_s) {
  added_.clear_slot(slot);
  added_.add(0, slot, time_s, objects_.size());
}

void PhaseLoads::take_from_threads(std::uint32_t slot) {
  for (const auto& work : meter_.threads().all()) take(*work, slot);
}

void PhaseLoads::take_from_threads() {
  std::int64_t longest_ticks = 0;
  for (const auto& work : meter_.threads().all()) {
    for (std::uint32_t slot = ObjectSlots::first_object; slot < objects_.size(); ++slot) take(*work, slot);
    longest_ticks = std::max(longest_ticks, work->taken_ticks);
  }
  // At least this much of that thread's work was done during the background time of the recorder's own
  // thread.
  const RankTimes own = rank_times();
  threads_in_background_s_ =
      std::max(0.0, meter_.timer().clock().seconds(longest_ticks) - own.objects_s - own.idle_s);
}

// The program's own times count as in add().
void PhaseLoads::take(ThreadWork& work, std::uint32_t slot) {
  const Clock& clock = meter_.timer().clock();
  for (std::uint32_t column = 0; column < work.timer.column_count(); ++column) {
    const std::int64_t ticks = work.timer.take(column, slot);
    if (ticks == 0) continue;
    work.taken_ticks += ticks;
    from_threads_.add(column, slot, clock.seconds(ticks), objects_.size());
  }
  for (std::uint32_t column = 0; column < work.added.column_count(); ++column) {
    const double added_s = work.added.take(column, slot);
    if (added_s > 0) added_.add(column, slot, added_s, objects_.size());
    added_total_s_ += added_s;
  }
  if (work.cpu) meter_.cpu()->take(*work.cpu, slot);
}

double PhaseLoads::seconds(std::size_t slot) const {
  double sum = 0;
  for (std::uint32_t column = 0; column < column_count(); ++column) sum += seconds(column, slot);
  return sum;
}

double PhaseLoads::seconds(std::uint32_t column, std::size_t slot) const {
  double load = added_.at(column, slot);
  if (objects_[slot].measured) load += measured_s(column, slot);
  return load;
}

double PhaseLoads::measured_s(std::uint32_t column, std::size_t slot) const {
  return time_ == LoadTime::cpu ? meter_.cpu()->seconds(column, slot) : wall_s(column, slot);
}

double PhaseLoads::wall_s(std::uint32_t column, std::size_t slot) const {
  const WorkTimer& timer = meter_.timer();
  const double others_s = from_threads_.at(column, slot);
  if (column >= timer.column_count()) return others_s;
  return others_s + timer.clock().seconds(timer.ticks(column, static_cast<WorkTimer::Slot>(slot)));
}

double PhaseLoads::wall_s(std::size_t slot) const {
  double sum = 0;
  for (std::uint32_t column = 0; column < column_count(); ++column) sum += wall_s(column, slot);
  return sum;
}

std::uint32_t PhaseLoads::column_count() const {
  return std::max({meter_.timer().column_count(), added_.column_count(), from_threads_.column_count()});
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
  // Subtract loads that the program added itself, and work of other threads, from the background time, in
  // which the clock included them.
  const double from_background = std::min(added_total_s_ + threads_in_background_s_, times.background_s);
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
  added_.clear();
  from_threads_.clear();
  added_total_s_ = 0;
  threads_in_background_s_ = 0;
  replaced_ticks_ = 0;
  replaced_cpu_s_ = 0;
}

}  // namespace plimsoll::runtime
