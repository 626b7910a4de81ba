// Work and messages of objects in the C interface, plimsoll.h.

#include <fmt/format.h>
#include <plimsoll.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include <plimsoll/runtime/load_recorder.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/bindings/c_recorder.hpp"
#include "runtime/bindings/c_structures.hpp"

using namespace plimsoll;
using namespace plimsoll::runtime;

namespace {}  // namespace

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

namespace {

lbdata::CommCategory category_of(int number) {
  constexpr auto& all = lbdata::all_comm_categories;
  if (number < 1 || number > static_cast<int>(all.size())) {
    throw support::usage_error(fmt::format("invalid message category {}", number),
                               "use a value of enum plimsoll_category");
  }
  return all[static_cast<std::size_t>(number) - 1];
}

Endpoint endpoint(lbdata::EntityKind kind, std::uint64_t number) {
  if (kind == lbdata::EntityKind::object) return ObjectId{number};
  if (kind == lbdata::EntityKind::shared_id) return Endpoint::shared_block(number);
  constexpr std::uint64_t no_rank = std::numeric_limits<int>::max();
  return Endpoint::node(static_cast<int>(std::min(number, no_rank)));
}

}  // namespace

extern "C" {

void plimsoll_message(plimsoll_recorder* recorder, plimsoll_id from, plimsoll_id to, uint64_t bytes) {
  with(recorder, [&](LoadRecorder& self) { self.record_message(cpp_id(from), cpp_id(to), bytes); });
}

void plimsoll_message_to_rank(plimsoll_recorder* recorder, plimsoll_id from, int to, uint64_t bytes) {
  with(recorder, [&](LoadRecorder& self) { self.record_message(cpp_id(from), Endpoint::node(to), bytes); });
}

void plimsoll_message_from_rank(plimsoll_recorder* recorder, int from, plimsoll_id to, uint64_t bytes) {
  with(recorder, [&](LoadRecorder& self) { self.record_message(Endpoint::node(from), cpp_id(to), bytes); });
}

void plimsoll_broadcast(plimsoll_recorder* recorder, plimsoll_id from, plimsoll_id to, uint64_t bytes) {
  with(recorder, [&](LoadRecorder& self) { self.record_broadcast(cpp_id(from), cpp_id(to), bytes); });
}

void plimsoll_broadcast_to_rank(plimsoll_recorder* recorder, plimsoll_id from, int to, uint64_t bytes) {
  with(recorder, [&](LoadRecorder& self) { self.record_broadcast(cpp_id(from), Endpoint::node(to), bytes); });
}

void plimsoll_broadcast_from_rank(plimsoll_recorder* recorder, int from, plimsoll_id to, uint64_t bytes) {
  with(recorder, [&](LoadRecorder& self) { self.record_broadcast(Endpoint::node(from), cpp_id(to), bytes); });
}

void plimsoll_writable_shared(plimsoll_recorder* recorder, int home, uint64_t block, uint64_t bytes) {
  with(recorder, [&](LoadRecorder& self) { self.add_writable_shared_id(home, block, bytes); });
}

void plimsoll_read_only_shared(plimsoll_recorder* recorder, int home, uint64_t block, uint64_t bytes) {
  with(recorder, [&](LoadRecorder& self) { self.add_read_only_shared_id(home, block, bytes); });
}

void plimsoll_record_edge(plimsoll_recorder* recorder, int category, uint64_t from, uint64_t to,
                          uint64_t bytes, uint64_t messages) {
  with(recorder, [&](LoadRecorder& self) {
    const auto known = category_of(category);
    const auto ends = lbdata::ends_of(known);
    self.record_edge(known, endpoint(ends.from, from), endpoint(ends.to, to), bytes, messages);
  });
}

}  // extern "C"
