// Work of objects in the C interface, plimsoll.h.
#include <plimsoll.h>

#include <plimsoll/runtime/load_recorder.hpp>

#include "runtime/bindings/c_handles.hpp"
#include "runtime/bindings/c_recorder.hpp"

namespace {

using plimsoll::LoadRecorder;
using plimsoll::runtime::handle;
using plimsoll::runtime::object_of;
using plimsoll::runtime::ObjectHandle;
using plimsoll::runtime::with;

}  // namespace

extern "C" {

void plimsoll_begin(plimsoll_recorder* recorder, plimsoll_object object) {
  with(recorder, [&](LoadRecorder& self) { self.begin(handle(object)); });
}

void plimsoll_end(plimsoll_recorder* recorder, plimsoll_object object) {
  with(recorder, [&](LoadRecorder& self) { self.end(handle(object)); });
}

void plimsoll_begin_idle(plimsoll_recorder* recorder) {
  with(recorder, [&](LoadRecorder& self) { self.begin_idle(); });
}

void plimsoll_end_idle(plimsoll_recorder* recorder) {
  with(recorder, [&](LoadRecorder& self) { self.end_idle(); });
}

void plimsoll_add_time(plimsoll_recorder* recorder, plimsoll_object object, double time_s) {
  with(recorder, [&](LoadRecorder& self) { self.add_time(handle(object), time_s); });
}

void plimsoll_set_obj_time(plimsoll_recorder* recorder, plimsoll_object object, double time_s) {
  with(recorder, [&](LoadRecorder& self) { self.set_obj_time(handle(object), time_s); });
}

double plimsoll_get_obj_time(plimsoll_recorder* recorder, plimsoll_object object) {
  return with(recorder, [&](LoadRecorder& self) { return self.get_obj_time(handle(object)); });
}

void plimsoll_set_measured(plimsoll_recorder* recorder, plimsoll_object object, int measured) {
  with(recorder, [&](LoadRecorder& self) { self.set_measured(handle(object), measured != 0); });
}

void plimsoll_user_set_lb_load(plimsoll_recorder* recorder, plimsoll_load_model model, void* context) {
  with(recorder, [&](LoadRecorder& self) {
    if (model == nullptr) return self.user_set_lb_load(nullptr);
    self.user_set_lb_load(
        [model, context](ObjectHandle object) { return model(object_of(object), context); });
  });
}

void plimsoll_set_subphase(plimsoll_recorder* recorder, int subphase) {
  with(recorder, [&](LoadRecorder& self) { self.set_subphase(subphase); });
}

void plimsoll_leave_subphase(plimsoll_recorder* recorder) {
  with(recorder, [&](LoadRecorder& self) { self.leave_subphase(); });
}

void plimsoll_instrument(plimsoll_recorder* recorder, int on) {
  with(recorder, [&](LoadRecorder& self) { self.instrument(on != 0); });
}

}  // extern "C"
