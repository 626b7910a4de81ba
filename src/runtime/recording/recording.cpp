#include "runtime/recording/recording.hpp"

#include <fmt/format.h>

#include <cmath>

#include <plimsoll/support/error.hpp>

namespace plimsoll::inline v0_1::runtime {

Recording::Recording(WorkMeter& work_meter, LoadTime load_time)
    : meter(work_meter), objects(meter.slots()), loads(meter, objects, load_time) {}

ObjectHandle Recording::enter(ObjectId id, lbdata::EntityIndex entity, bool measured) {
  const ObjectHandle object = objects.add(id, entity, measured);
  if (object.slot >= meter.timer().size()) meter.timer().resize(objects.size());
  return object;
}

void Recording::ask_load_model() {
  if (!load_model) return;
  for (std::uint32_t slot = ObjectSlots::first_object; slot < objects.size(); ++slot) {
    if (!objects[slot].alive || objects[slot].measured) continue;
    const double load = load_model(objects.handle(slot));
    if (!(load >= 0) || !std::isfinite(load)) {
      throw support::usage_error(fmt::format("user_set_lb_load() returned an invalid time {} s for object {}",
                                             load, static_cast<std::uint64_t>(objects[slot].id)));
    }
    loads.replace_added(slot, load);
  }
}

void Recording::clear() {
  meter.clear();
  edges.end_phase();
  objects.end_phase();
  loads.clear();
  phase_values.clear();
}

}  // namespace plimsoll::runtime
