#include "runtime/recording/recording.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/recording/object_registry.hpp"
#include "runtime/recording/thread_work.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

Recording::Recording(WorkMeter& work_meter, LoadTime load_time)
    : meter(work_meter), objects(meter.slots()), loads(meter, objects, load_time) {
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
  loads.clear();
  phase_values.clear();
}

}  // namespace plimsoll::runtime
