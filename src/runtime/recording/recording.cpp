#include "runtime/recording/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/hash.hpp>

#include "runtime/recording/edge_table.hpp"
#include "runtime/recording/object_registry.hpp"
#include "runtime/recording/phase_loads.hpp"
#include "runtime/recording/thread_work.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

Recording::Recording(WorkMeter& work_meter, LoadTime load_time)
    : meter(work_meter), objects(meter.slots()), loads(meter, objects, devices, load_time) {
  PLIMSOLL_EXPECT(load_time != LoadTime::cpu || meter.cpu() != nullptr);
}

ObjectHandle Recording::enter(ObjectId id, lbdata::EntityIndex entity, bool measured) {
  const ObjectHandle object = objects.add(id, entity, measured);
  if (object.slot >= meter.timer().size()) meter.timer().resize(objects.size());
  return object;
}

void Recording::merge_threads() {
  loads.take_from_threads();
  for (const auto& work : meter.threads().all()) {
    for (const EdgeTable::Edge& edge : std::as_const(work->edges).edges()) {
      if (edge.messages > 0) edges.add(edge.from, edge.to, edge.category, edge.bytes, edge.messages);
    }
  }
}

EdgeTable& Recording::edges_of_other_thread() {
  ThreadWork& work = meter.threads().mine();
  work.used = true;
  return work.edges;
}

std::string Recording::name_of(std::uint32_t slot) const {
  if (slot == ObjectSlots::idle) return "idle time";
  if (slot == rank_object.slot) return "the rank object";
  return slot < objects.size() ? runtime::name_of(objects[slot].id) : "an unknown object";
}

std::string Recording::name_of_unknown(ObjectHandle object) const {
  if (object == ObjectHandle{}) return "the handle is empty";
  if (object.slot < ObjectSlots::first_object || object.slot >= objects.size())
    return "the handle is not that of an object of this recorder";
  const std::string last = runtime::name_of(objects[object.slot].id);
  const bool is_last =
      !objects[object.slot].alive && objects.handle(object.slot).generation == object.generation + 1;
  return is_last ? last + " has been removed" : "it was removed before " + last + " was registered";
}

std::string Recording::open_work() const {
  std::string text;
  const auto add = [&](const WorkTimer& timer, const std::string& where) {
    for (const std::uint32_t slot : timer.open())
      text += fmt::format("{}{}{}", text.empty() ? "" : ", ", name_of(slot), where);
  };
  add(meter.timer(), "");
  for (const auto& work : meter.threads().all())
    add(work->timer, fmt::format(" on thread {} (system ID {})", work->number, work->system_id));
  return text;
}

void Recording::ask_load_model() {
  if (!load_of_elements && !load_model) return;
  for (std::uint32_t slot = ObjectSlots::first_object; slot < objects.size(); ++slot) {
    if (!objects[slot].alive || objects[slot].measured) continue;
    const std::optional<double> load = modelled_load(objects.handle(slot));
    if (!load) continue;
    if (!(*load >= 0) || !std::isfinite(*load)) {
      throw support::usage_error(fmt::format("user_set_lb_load() returned an invalid time {} s for {}", *load,
                                             runtime::name_of(objects[slot].id)));
    }
    loads.replace_added(slot, *load);
  }
}

/// Returns the load of an object that is not measured; nothing if no load model provides it.
std::optional<double> Recording::modelled_load(ObjectHandle object) const {
  if (load_of_elements)
    if (const std::optional<double> load = load_of_elements(object)) return load;
  return load_model ? std::optional(load_model(object)) : std::nullopt;
}

void Recording::clear() {
  meter.clear();
  edges.end_phase();
  objects.end_phase();
  devices.end_phase([this](std::size_t slot) { return objects[slot].alive; });
  loads.clear();
  phase_values.clear();
}

namespace {

std::uint64_t hash_of(Endpoint from, Endpoint to, lbdata::CommCategory category) {
  // Multiplies both ends by different constants, so that neither swapping nor shifting them gives the same
  // hash.
  return support::mix_bits(from.number() * 0x9e3779b97f4a7c15ULL + support::mix_bits(to.number()) +
                           static_cast<std::uint64_t>(category));
}

std::uint64_t hash_of(const EdgeTable::Edge& edge) {
  return hash_of(edge.from, edge.to, edge.category);
}

}  // namespace

void EdgeTable::add(Endpoint from, Endpoint to, lbdata::CommCategory category, std::uint64_t bytes,
                    std::uint64_t messages) {
  const std::uint64_t hash = hash_of(from, to, category);
  Edge* edge = nullptr;
  index_.find(hash, [&](std::uint32_t row) {
    Edge& other = edges_[row];
    if (other.from != from || other.to != to || other.category != category) return false;
    edge = &other;
    return true;
  });
  if (!edge) edge = &add_edge(from, to, category, hash);
  edge->bytes += bytes;
  edge->messages += messages;
}

EdgeTable::Edge& EdgeTable::add_edge(Endpoint from, Endpoint to, lbdata::CommCategory category,
                                     std::uint64_t hash) {
  const auto row = static_cast<std::uint32_t>(edges_.size());
  edges_.push_back({.from = from, .to = to, .category = category});
  index_.insert(hash, row, [&](std::uint32_t other) { return hash_of(edges_[other]); });
  return edges_.back();
}

void EdgeTable::unresolve() {
  for (Edge& edge : edges_) edge.from_entity = edge.to_entity = unresolved;
}

void EdgeTable::end_phase() {
  std::size_t unused = 0;
  for (const Edge& edge : edges_) unused += edge.messages == 0 ? 1 : 0;
  if (unused > 0 && 2 * unused >= edges_.size()) drop_unused();
  for (Edge& edge : edges_) edge.bytes = edge.messages = 0;
}

void EdgeTable::drop_unused() {
  std::erase_if(edges_, [](const Edge& edge) { return edge.messages == 0; });
  index_.clear();
  const auto hash_of_row = [&](std::uint32_t row) { return hash_of(edges_[row]); };
  for (std::uint32_t row = 0; row < edges_.size(); ++row) index_.insert(hash_of_row(row), row, hash_of_row);
}

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
  replace_measured(slot, time_s);
}

void PhaseLoads::replace_measured(std::uint32_t slot, double time_s) {
  if (time_ == LoadTime::cpu) {
    replaced_cpu_s_ += meter_.cpu()->clear_slot(slot);
  } else if (time_ == LoadTime::device) {
    devices_.clear(slot);
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

double background_load_s(const RankTimes& times, LoadTime time) {
  if (time == LoadTime::device) return 0;
  if (time != LoadTime::cpu) return times.background_s;
  return std::max(0.0, times.cpu_total_s - times.cpu_objects_s - times.idle_s);
}

double PhaseLoads::count_background_as_objects() {
  const double wall_s = rank_times().background_s;
  background_is_of_objects_ = true;
  return time_ == LoadTime::cpu ? meter_.cpu()->seconds(ObjectSlots::background) : wall_s;
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
  const std::uint32_t columns = column_count();
  for (std::uint32_t column = 0; column < columns; ++column) sum += seconds(column, slot);
  return sum;
}

double PhaseLoads::seconds(std::uint32_t column, std::size_t slot) const {
  double load = added_.at(column, slot);
  if (objects_[slot].measured) load += measured_s(column, slot);
  return load;
}

double PhaseLoads::measured_s(std::uint32_t column, std::size_t slot) const {
  if (time_ == LoadTime::cpu) return meter_.cpu()->seconds(column, slot);
  if (time_ == LoadTime::device) return column == 0 ? devices_.time_s(slot) : 0;
  return wall_s(column, slot);
}

double PhaseLoads::wall_s(std::uint32_t column, std::size_t slot) const {
  const WorkTimer& timer = meter_.timer();
  const double others_s = from_threads_.at(column, slot);
  if (column >= timer.column_count()) return others_s;
  return others_s + timer.clock().seconds(timer.ticks(column, static_cast<WorkTimer::Slot>(slot)));
}

double PhaseLoads::wall_s(std::size_t slot) const {
  double sum = 0;
  const std::uint32_t columns = column_count();
  for (std::uint32_t column = 0; column < columns; ++column) sum += wall_s(column, slot);
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
  const double from_background =
      background_is_of_objects_ ? times.background_s
                                : std::min(added_total_s_ + threads_in_background_s_, times.background_s);
  times.background_s -= from_background;
  times.objects_s = timer.clock().seconds(objects) + from_background;
  times.total_s = times.objects_s + times.background_s + times.idle_s;
  if (const CpuMeter* cpu = meter_.cpu()) {
    times.cpu_total_s = cpu->total_s() + replaced_cpu_s_;
    times.cpu_objects_s = times.cpu_total_s - cpu->seconds(ObjectSlots::idle);
    if (!background_is_of_objects_) times.cpu_objects_s -= cpu->seconds(ObjectSlots::background);
  }
  return times;
}

void PhaseLoads::clear() {
  added_.clear();
  from_threads_.clear();
  added_total_s_ = 0;
  background_is_of_objects_ = false;
  threads_in_background_s_ = 0;
  replaced_ticks_ = 0;
  replaced_cpu_s_ = 0;
}

}  // namespace plimsoll::runtime
