// Objects, their IDs, user-defined values, work and messages in the C interface, plimsoll.h.

#include <fmt/format.h>
#include <plimsoll.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <plimsoll/runtime/load_recorder.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/bindings/c_recorder.hpp"

using namespace plimsoll;
using namespace plimsoll::runtime;

namespace {

// Runs the body of a C function that returns an ID: 0 already shows the error.
template <class Work>
plimsoll_id id_or_none(const Work& work) {
  try {
    return work();
  } catch (...) {
    last_error().set_checked(support::current_error().what());
    return {};
  }
}

// New members must not be placed where earlier programs have padding.
static_assert(offsetof(plimsoll_spec, number) + sizeof(plimsoll_spec::number) == sizeof(plimsoll_spec));

constexpr StructureName spec_name = {"plimsoll_spec", "PLIMSOLL_SPEC_INIT"};

ObjectSpec spec_of(int dimensions, const std::int64_t* index, const plimsoll_spec* caller) {
  ObjectSpec spec;
  if (dimensions < 0 || (dimensions > 0 && index == nullptr)) {
    throw support::usage_error(
        fmt::format("invalid index of a registered object: {} dimensions without index values", dimensions),
        "specify one index value per dimension, or 0 and NULL");
  }
  if (dimensions > 0) spec.index.assign(index, index + dimensions);
  if (caller == nullptr) return spec;
  plimsoll_spec given = PLIMSOLL_SPEC_INIT;
  read_structure(caller, given, spec_name);
  if (given.collection != 0) spec.collection = given.collection;
  if (given.number >= 0) spec.number = static_cast<std::uint64_t>(given.number);
  if (given.home >= 0) spec.home = given.home;
  spec.migratable = given.migratable != 0;
  spec.measured = given.measured != 0;
  return spec;
}

std::string_view text_of(const char* text) {
  if (text == nullptr)
    throw support::usage_error("the name or the text of a value is NULL", "specify a string");
  return text;
}

void set_value(LoadRecorder& self, plimsoll_value_place place, plimsoll_object object, std::string_view name,
               const UserValue& value) {
  switch (place) {
    case PLIMSOLL_USER_DEFINED:
      return self.set_value(handle(object), UserValueKind::user_defined, name, value);
    case PLIMSOLL_ATTRIBUTES: return self.set_value(handle(object), UserValueKind::attributes, name, value);
    case PLIMSOLL_PHASE: return self.set_phase_value(name, value);
    case PLIMSOLL_RANK: return self.set_rank_value(name, value);
  }
  throw support::usage_error(fmt::format("invalid place {} for values", static_cast<int>(place)),
                             "use a value of enum plimsoll_value_place");
}

/// Returns where the recorder keeps values of an object. Throws Error (usage) for the other places, at which
/// values cannot be `read` or `removed`.
UserValueKind kind_of(plimsoll_value_place place, const char* action) {
  if (place == PLIMSOLL_USER_DEFINED) return UserValueKind::user_defined;
  if (place == PLIMSOLL_ATTRIBUTES) return UserValueKind::attributes;
  throw support::usage_error(fmt::format("only object values can be {}", action),
                             "remove this call: values of a phase apply to that phase only");
}

/// Calls `read(value)` with a value of an object, if it has this value. Returns the result of `read`, or 0.
template <class Read>
int get_value(plimsoll_recorder* recorder, plimsoll_value_place place, plimsoll_object object,
              const char* name, const void* result, const Read& read) {
  return with(recorder, [&](LoadRecorder& self) {
    if (result == nullptr)
      throw support::usage_error("the pointer to a result is NULL", "specify a variable");
    const auto value = self.value(handle(object), kind_of(place, "read"), text_of(name));
    return value ? read(*value) : 0;
  });
}

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

uint64_t plimsoll_add_collection(plimsoll_recorder* recorder) {
  return with(recorder, [](LoadRecorder& self) { return self.add_collection(); });
}

plimsoll_object plimsoll_register(plimsoll_recorder* recorder, int dimensions, const int64_t* index,
                                  const plimsoll_spec* spec) {
  return with(recorder, [&](LoadRecorder& self) {
    return object_of(self.register_object(spec_of(dimensions, index, spec)));
  });
}

plimsoll_object plimsoll_register_id(plimsoll_recorder* recorder, plimsoll_id id, int dimensions,
                                     const int64_t* index, const plimsoll_spec* spec) {
  return with(recorder, [&](LoadRecorder& self) {
    return object_of(self.register_object(cpp_id(id), spec_of(dimensions, index, spec)));
  });
}

plimsoll_object plimsoll_register_group(plimsoll_recorder* recorder) {
  return with(recorder, [](LoadRecorder& self) { return object_of(self.register_object_group()); });
}

void plimsoll_remove(plimsoll_recorder* recorder, plimsoll_object object) {
  with(recorder, [&](LoadRecorder& self) { self.remove_object(handle(object)); });
}

void plimsoll_set_migratable(plimsoll_recorder* recorder, plimsoll_object object, int migratable) {
  with(recorder, [&](LoadRecorder& self) { self.set_migratable(handle(object), migratable != 0); });
}

plimsoll_object plimsoll_rank_object(const plimsoll_recorder* recorder) {
  return recorder == nullptr ? plimsoll_object{} : object_of(recorder->recorder.rank_object());
}

plimsoll_id plimsoll_id_of(const plimsoll_recorder* recorder, plimsoll_object object) {
  return recorder == nullptr ? plimsoll_id{} : id_of(recorder->recorder.id(handle(object)));
}

plimsoll_object plimsoll_find(const plimsoll_recorder* recorder, plimsoll_id id) {
  return recorder == nullptr ? plimsoll_object{} : object_of(recorder->recorder.find(cpp_id(id)));
}

plimsoll_id plimsoll_make_id(int home, int64_t number, int migratable) {
  return id_or_none([&] {
    if (number < 0) throw support::usage_error("invalid object number: must be >= 0");
    return id_of(object_id(home, static_cast<std::uint64_t>(number), migratable != 0));
  });
}

int64_t plimsoll_number_of(plimsoll_id id) {
  const auto number = object_number(cpp_id(id));
  return number ? static_cast<int64_t>(*number) : -1;
}

plimsoll_id plimsoll_rank_object_id(int rank) {
  return id_or_none([&] { return id_of(rank_object_id(rank)); });
}

void plimsoll_set_objects(plimsoll_recorder* recorder, int64_t count, const plimsoll_id* ids,
                          const plimsoll_spec* spec, plimsoll_object* objects) {
  with(recorder, [&](LoadRecorder& self) {
    const std::size_t size = checked_count("ids", count, ids);
    if (objects != nullptr) std::fill_n(objects, size, plimsoll_object{});
    std::vector<ObjectId> all(size);
    std::transform(ids, ids + size, all.begin(), cpp_id);
    const std::vector<ObjectHandle> handles = self.set_objects(all, spec_of(0, nullptr, spec));
    if (objects != nullptr) std::ranges::transform(handles, objects, object_of);
  });
}

void plimsoll_inherit(plimsoll_recorder* recorder, plimsoll_object parent, plimsoll_object child,
                      double share) {
  with(recorder, [&](LoadRecorder& self) { self.inherit(handle(parent), handle(child), share); });
}

void plimsoll_set_position(plimsoll_recorder* recorder, plimsoll_object object, int dimensions,
                           const double* position) {
  with(recorder, [&](LoadRecorder& self) {
    self.set_position(handle(object), {position, checked_count("coordinates", dimensions, position)});
  });
}

void plimsoll_set_integer(plimsoll_recorder* recorder, enum plimsoll_value_place place,
                          plimsoll_object object, const char* name, int64_t value) {
  with(recorder, [&](LoadRecorder& self) { set_value(self, place, object, text_of(name), value); });
}

void plimsoll_set_real(plimsoll_recorder* recorder, enum plimsoll_value_place place, plimsoll_object object,
                       const char* name, double value) {
  with(recorder, [&](LoadRecorder& self) { set_value(self, place, object, text_of(name), value); });
}

void plimsoll_set_text(plimsoll_recorder* recorder, enum plimsoll_value_place place, plimsoll_object object,
                       const char* name, const char* value) {
  with(recorder, [&](LoadRecorder& self) {
    set_value(self, place, object, text_of(name), std::string(text_of(value)));
  });
}

int plimsoll_get_integer(plimsoll_recorder* recorder, enum plimsoll_value_place place, plimsoll_object object,
                         const char* name, int64_t* value) {
  return get_value(recorder, place, object, name, value, [&](const UserValue& found) {
    const auto* integer = std::get_if<std::int64_t>(&found);
    if (integer != nullptr) *value = *integer;
    return integer != nullptr ? 1 : 0;
  });
}

int plimsoll_get_real(plimsoll_recorder* recorder, enum plimsoll_value_place place, plimsoll_object object,
                      const char* name, double* value) {
  return get_value(recorder, place, object, name, value, [&](const UserValue& found) {
    const auto* integer = std::get_if<std::int64_t>(&found);
    const auto* number = std::get_if<double>(&found);
    if (integer != nullptr) *value = static_cast<double>(*integer);
    if (number != nullptr) *value = *number;
    return integer != nullptr || number != nullptr ? 1 : 0;
  });
}

void plimsoll_remove_value(plimsoll_recorder* recorder, enum plimsoll_value_place place,
                           plimsoll_object object, const char* name) {
  with(recorder, [&](LoadRecorder& self) {
    self.remove_value(handle(object), kind_of(place, "removed"), text_of(name));
  });
}

void plimsoll_remove_all_values(plimsoll_recorder* recorder, plimsoll_object object) {
  with(recorder, [&](LoadRecorder& self) { self.remove_all_values(handle(object)); });
}

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

void plimsoll_add_device_time(plimsoll_recorder* recorder, plimsoll_object object, double time_s,
                              int64_t phase) {
  with(recorder, [&](LoadRecorder& self) { self.add_device_time(handle(object), time_s, phase); });
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
