// Objects and their IDs in the C interface, plimsoll.h.
#include <fmt/format.h>
#include <plimsoll.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include <plimsoll/runtime/load_recorder.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/bindings/c_handles.hpp"
#include "runtime/bindings/c_recorder.hpp"
#include "runtime/bindings/c_structures.hpp"

namespace {

using plimsoll::LoadRecorder;
using plimsoll::runtime::checked_count;
using plimsoll::runtime::handle;
using plimsoll::runtime::id_of;
using plimsoll::runtime::last_error;
using plimsoll::runtime::object_of;
using plimsoll::runtime::ObjectHandle;
using plimsoll::runtime::ObjectId;
using plimsoll::runtime::ObjectSpec;
using plimsoll::runtime::read_structure;
using plimsoll::runtime::StructureName;
using plimsoll::runtime::with;
using plimsoll::support::usage_error;

// Runs the body of a C function that returns an ID: 0 already shows the error.
template <class Work>
plimsoll_id id_or_none(const Work& work) {
  try {
    return work();
  } catch (...) {
    last_error().set_checked(plimsoll::support::current_error().what());
    return {};
  }
}

// New members must not be placed where earlier programs have padding.
static_assert(offsetof(plimsoll_spec, number) + sizeof(plimsoll_spec::number) == sizeof(plimsoll_spec));

constexpr StructureName spec_name = {"plimsoll_spec", "PLIMSOLL_SPEC_INIT"};

ObjectSpec spec_of(int dimensions, const std::int64_t* index, const plimsoll_spec* caller) {
  ObjectSpec spec;
  if (dimensions < 0 || (dimensions > 0 && index == nullptr)) {
    throw usage_error(
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
    return object_of(self.register_object(ObjectId{id.number}, spec_of(dimensions, index, spec)));
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
  return recorder == nullptr ? plimsoll_object{} : object_of(recorder->recorder.find(ObjectId{id.number}));
}

plimsoll_id plimsoll_make_id(int home, int64_t number, int migratable) {
  return id_or_none([&] {
    if (number < 0) throw usage_error("invalid object number: must be >= 0");
    return id_of(plimsoll::runtime::object_id(home, static_cast<std::uint64_t>(number), migratable != 0));
  });
}

int64_t plimsoll_number_of(plimsoll_id id) {
  const auto number = plimsoll::runtime::object_number(ObjectId{id.number});
  return number ? static_cast<int64_t>(*number) : -1;
}

plimsoll_id plimsoll_rank_object_id(int rank) {
  return id_or_none([&] { return id_of(plimsoll::runtime::rank_object_id(rank)); });
}

void plimsoll_set_objects(plimsoll_recorder* recorder, int64_t count, const plimsoll_id* ids,
                          const plimsoll_spec* spec, plimsoll_object* objects) {
  with(recorder, [&](LoadRecorder& self) {
    const std::size_t size = checked_count("ids", count, ids);
    if (objects != nullptr) std::fill_n(objects, size, plimsoll_object{});
    std::vector<ObjectId> all(size);
    std::transform(ids, ids + size, all.begin(), [](plimsoll_id id) { return ObjectId{id.number}; });
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

}  // extern "C"
