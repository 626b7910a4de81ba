// C interface, plimsoll.h: LoadRecorder without exceptions and classes.
#include <fmt/format.h>
#include <plimsoll.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plimsoll/runtime/load_recorder.hpp>
#include <plimsoll/support/current_error.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/say.hpp>

#include "runtime/bindings/c_recorder.hpp"
#include "runtime/bindings/c_structures.hpp"
#include "runtime/bindings/program_defaults.hpp"

namespace {

using plimsoll::LoadRecorder;
using plimsoll::runtime::checked_count;
using plimsoll::runtime::Endpoint;
using plimsoll::runtime::is_rank_0;
using plimsoll::runtime::Language;
using plimsoll::runtime::last_error;
using plimsoll::runtime::ObjectHandle;
using plimsoll::runtime::ObjectId;
using plimsoll::runtime::ObjectSpec;
using plimsoll::runtime::PhaseSummary;
using plimsoll::runtime::ProgramDefaults;
using plimsoll::runtime::read_structure;
using plimsoll::runtime::RoomyStructure;
using plimsoll::runtime::status_of;
using plimsoll::runtime::status_with;
using plimsoll::runtime::status_without_recorder;
using plimsoll::runtime::StructureName;
using plimsoll::runtime::UserValue;
using plimsoll::runtime::UserValueKind;
using plimsoll::runtime::with;
using plimsoll::runtime::write_structure;
using plimsoll::support::usage_error;

ProgramDefaults& program_defaults() {
  static ProgramDefaults defaults;
  return defaults;
}

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

int start(plimsoll_recorder** recorder, Language language, MPI_Comm communicator, int* argc, char** argv) {
  if (recorder != nullptr) *recorder = nullptr;
  const auto work = [&] {
    if (recorder == nullptr)
      throw plimsoll::support::usage_error("plimsoll_start() called without a place for the recorder",
                                           "pass the address of a plimsoll_recorder*");
    int none = 0;
    char* no_words[] = {nullptr};
    const bool has_words = argc != nullptr && argv != nullptr;
    plimsoll::Settings defaults = program_defaults().settings();
    defaults.sink = [language](std::string_view text) {
      plimsoll::support::say(plimsoll::runtime::in_language(text, language));
    };
    *recorder = new plimsoll_recorder(language, has_words ? *argc : none, has_words ? argv : no_words,
                                      communicator, defaults);
  };
  return status_of(
      language, [communicator] { return is_rank_0(communicator); }, work);
}

plimsoll_object object_of(ObjectHandle handle) {
  return {std::uint64_t{handle.generation} << 32 | handle.slot};
}

ObjectHandle handle(plimsoll_object object) {
  return {static_cast<std::uint32_t>(object.number), static_cast<std::uint32_t>(object.number >> 32)};
}

plimsoll_id id_of(ObjectId id) {
  return {static_cast<std::uint64_t>(id)};
}

// New members must not be placed where earlier programs have padding.
static_assert(offsetof(plimsoll_spec, number) + sizeof(plimsoll_spec::number) == sizeof(plimsoll_spec));
static_assert(offsetof(plimsoll_summary, migration_s) + sizeof(plimsoll_summary::migration_s) ==
              sizeof(plimsoll_summary));

constexpr StructureName spec_name = {"plimsoll_spec", "PLIMSOLL_SPEC_INIT"};
constexpr StructureName summary_name = {"plimsoll_summary", "PLIMSOLL_SUMMARY_INIT"};

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

plimsoll::lbdata::CommCategory category_of(int number) {
  constexpr auto& all = plimsoll::lbdata::all_comm_categories;
  if (number < 1 || number > static_cast<int>(all.size())) {
    throw plimsoll::support::usage_error(fmt::format("invalid message category {}", number),
                                         "use a value of enum plimsoll_category");
  }
  return all[static_cast<std::size_t>(number) - 1];
}

Endpoint endpoint(plimsoll::lbdata::EntityKind kind, std::uint64_t number) {
  if (kind == plimsoll::lbdata::EntityKind::object) return ObjectId{number};
  if (kind == plimsoll::lbdata::EntityKind::shared_id) return Endpoint::shared_block(number);
  constexpr std::uint64_t no_rank = std::numeric_limits<int>::max();
  return Endpoint::node(static_cast<int>(std::min(number, no_rank)));
}

plimsoll_summary summary_of(const PhaseSummary& summary) {
  return {.struct_size = sizeof(plimsoll_summary),
          .phase = summary.phase,
          .total_s = summary.times.total_s,
          .objects_s = summary.times.objects_s,
          .background_s = summary.times.background_s,
          .idle_s = summary.times.idle_s,
          .duration_s = summary.duration_s,
          .rank_load_max_s = summary.rank_load_s.maximum(),
          .rank_load_mean_s = summary.rank_load_s.average(),
          .imbalance = summary.rank_load_s.imbalance(),
          .objects = summary.object_load_s.count(),
          .migrations = summary.balancing.migrations,
          .decision_s = summary.balancing.decision_s,
          .migration_s = summary.balancing.migration_s};
}

std::string_view text_of(const char* text) {
  if (text == nullptr) throw usage_error("the name or the text of a value is NULL", "specify a string");
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
  throw usage_error(fmt::format("invalid place {} for values", static_cast<int>(place)),
                    "use a value of enum plimsoll_value_place");
}

}  // namespace

extern "C" {

int plimsoll_set_default(const char* name, const char* value) {
  return status_without_recorder([&] {
    if (name == nullptr || value == nullptr)
      throw usage_error("the name or the value of a setting is NULL", "specify strings");
    program_defaults().set(name, value);
  });
}

int plimsoll_start(plimsoll_recorder** recorder, MPI_Comm communicator, int* argc, char** argv) {
  return start(recorder, Language::c, communicator, argc, argv);
}

int plimsoll_start_fortran(plimsoll_recorder** recorder, MPI_Fint communicator, int* argc, char** argv) {
  int initialised = 0;
  MPI_Initialized(&initialised);
  if (initialised != 0) return start(recorder, Language::fortran, MPI_Comm_f2c(communicator), argc, argv);
  *recorder = nullptr;
  return status_without_recorder(&plimsoll::runtime::mpi_is_not_initialised);
}

int plimsoll_next_phase(plimsoll_recorder* recorder, plimsoll_summary* summary) {
  return status_with(recorder, [&](plimsoll_recorder& self) {
    with(recorder, [&](LoadRecorder&) {
      if (summary != nullptr) write_structure({}, summary, summary_name);
    });
    const PhaseSummary ended = self.recorder.next_phase();
    if (summary != nullptr) write_structure(summary_of(ended), summary, summary_name);
  });
}

int plimsoll_finish(plimsoll_recorder** recorder) {
  if (recorder == nullptr || *recorder == nullptr) return 0;
  const std::unique_ptr<plimsoll_recorder> owner(std::exchange(*recorder, nullptr));
  return status_with(owner.get(), [](plimsoll_recorder& self) { self.recorder.close(); });
}

const char* plimsoll_error_message(void) {
  return last_error().check().c_str();
}

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
  with(recorder,
       [&](LoadRecorder& self) { self.record_message(ObjectId{from.number}, ObjectId{to.number}, bytes); });
}

void plimsoll_message_to_rank(plimsoll_recorder* recorder, plimsoll_id from, int to, uint64_t bytes) {
  with(recorder,
       [&](LoadRecorder& self) { self.record_message(ObjectId{from.number}, Endpoint::node(to), bytes); });
}

void plimsoll_message_from_rank(plimsoll_recorder* recorder, int from, plimsoll_id to, uint64_t bytes) {
  with(recorder,
       [&](LoadRecorder& self) { self.record_message(Endpoint::node(from), ObjectId{to.number}, bytes); });
}

void plimsoll_broadcast(plimsoll_recorder* recorder, plimsoll_id from, plimsoll_id to, uint64_t bytes) {
  with(recorder,
       [&](LoadRecorder& self) { self.record_broadcast(ObjectId{from.number}, ObjectId{to.number}, bytes); });
}

void plimsoll_broadcast_to_rank(plimsoll_recorder* recorder, plimsoll_id from, int to, uint64_t bytes) {
  with(recorder,
       [&](LoadRecorder& self) { self.record_broadcast(ObjectId{from.number}, Endpoint::node(to), bytes); });
}

void plimsoll_broadcast_from_rank(plimsoll_recorder* recorder, int from, plimsoll_id to, uint64_t bytes) {
  with(recorder,
       [&](LoadRecorder& self) { self.record_broadcast(Endpoint::node(from), ObjectId{to.number}, bytes); });
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
    const auto ends = plimsoll::lbdata::ends_of(known);
    self.record_edge(known, endpoint(ends.from, from), endpoint(ends.to, to), bytes, messages);
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

void plimsoll_remove_value(plimsoll_recorder* recorder, enum plimsoll_value_place place,
                           plimsoll_object object, const char* name) {
  with(recorder, [&](LoadRecorder& self) {
    if (place != PLIMSOLL_USER_DEFINED && place != PLIMSOLL_ATTRIBUTES)
      throw usage_error("only object values can be removed",
                        "remove this call: values of a phase apply to that phase only");
    const bool is_attribute = place == PLIMSOLL_ATTRIBUTES;
    self.remove_value(handle(object), is_attribute ? UserValueKind::attributes : UserValueKind::user_defined,
                      text_of(name));
  });
}

void plimsoll_on_phase_end(plimsoll_recorder* recorder, plimsoll_phase_end_hook hook, void* context) {
  if (hook == nullptr) return;
  with(recorder, [&](LoadRecorder& self) {
    self.on_phase_end([hook, context](const PhaseSummary& summary) {
      hook(RoomyStructure(summary_of(summary)).get(), context);
    });
  });
}

void plimsoll_on_phase_start(plimsoll_recorder* recorder, plimsoll_phase_start_hook hook, void* context) {
  if (hook == nullptr) return;
  with(recorder, [&](LoadRecorder& self) {
    self.on_phase_start([hook, context](std::int64_t phase) { hook(phase, context); });
  });
}

int64_t plimsoll_phase(const plimsoll_recorder* recorder) {
  return recorder == nullptr ? 0 : recorder->recorder.phase();
}

const char* plimsoll_data_files(const plimsoll_recorder* recorder) {
  return recorder == nullptr ? "" : recorder->data_files.c_str();
}

}  // extern "C"
