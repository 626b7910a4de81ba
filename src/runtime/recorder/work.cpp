// Members of LoadRecorder for the loads of objects.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include <plimsoll/runtime/load_recorder.hpp>

#include "runtime/recorder/recorder_parts.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

using support::usage_error;

namespace {

bool is_time(double time_s) {
  return time_s >= 0 && std::isfinite(time_s);
}

}  // namespace

void LoadRecorder::add_time(ObjectHandle object, double time_s) {
  if (!instruments() || !has_object("add_time", object)) return;
  if (!is_time(time_s))
    return note(
        usage_error(fmt::format("invalid time {} s for add_time(): must be finite and >= 0", time_s)));
  parts_->recording.loads.add(object.slot, time_s);
}

void LoadRecorder::set_obj_time(ObjectHandle object, double time_s) {
  if (!is_owner("set_obj_time") || !instruments() || !has_object("set_obj_time", object)) return;
  if (!is_time(time_s))
    return note(
        usage_error(fmt::format("invalid time {} s for set_obj_time(): must be finite and >= 0", time_s)));
  parts_->recording.loads.replace(object.slot, time_s);
}

double LoadRecorder::get_obj_time(ObjectHandle object) {
  if (!is_owner("get_obj_time") || !has_object("get_obj_time", object)) return 0;
  if (instruments()) meter_.update();
  parts_->recording.loads.take_from_threads(object.slot);
  return parts_->recording.loads.seconds(object.slot);
}

void LoadRecorder::user_set_lb_load(UserSetLBLoad model) {
  if (!is_owner("user_set_lb_load")) return;
  parts_->recording.load_model = std::move(model);
}

void LoadRecorder::set_load_of_elements(LoadOfElement model) {
  parts_->recording.load_of_elements = std::move(model);
}

void LoadRecorder::set_subphase(int subphase) {
  constexpr int limit = 65535;  // maximum number of subphases: vt's type has 16 bits
  if (!is_owner("set_subphase") || !instruments()) return;
  if (subphase < 0 || subphase >= limit) {
    return note(usage_error(fmt::format("invalid subphase {} for set_subphase()", subphase),
                            "use subphases from 0 to 65534"));
  }
  meter_.set_column(static_cast<std::uint32_t>(subphase) + 1);
}

void LoadRecorder::leave_subphase() {
  if (is_owner("leave_subphase") && instruments()) meter_.set_column(0);
}

void LoadRecorder::instrument(bool on) {
  if (is_owner("instrument") && !parts_->phase_end.is_closed()) meter_.switch_on(on);
}

}  // namespace plimsoll::runtime
