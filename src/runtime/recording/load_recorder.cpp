#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>

#include <plimsoll/mpi/node_place.hpp>
#include <plimsoll/runtime/configuration.hpp>
#include <plimsoll/runtime/load_recorder.hpp>
#include <plimsoll/support/text_file.hpp>

#include "runtime/output/say.hpp"
#include "runtime/output/statistics_output.hpp"
#include "runtime/recording/modelled_loads.hpp"

namespace plimsoll::runtime {

namespace {

using support::usage_error;

// Only rank 0 reads; all get the text, or the error.
std::string read_on_rank_0(const mpi::Communicator& communicator, const std::string& path) {
  std::string text;
  mpi::agreed(communicator, [&] {
    if (communicator.rank() == 0) text = support::read_text_file(path);
  });
  return communicator.broadcast(text);
}

Settings configured(const mpi::Communicator& communicator, int& argc, char** argv, const Settings& defaults) {
  Configuration configuration(defaults);
  mpi::agreed(communicator, [&] {
    configuration.take_arguments(argc, argv);
    configuration.take_environment();
  });
  // All read the file that rank 0 was told of, should they have been told of different ones.
  const std::string file = communicator.broadcast(configuration.file());
  if (!file.empty()) {
    const std::string text = read_on_rank_0(communicator, file);
    mpi::agreed(communicator, [&] { configuration.take_file(text, file); });
  }
  Settings settings;
  mpi::agreed(communicator, [&] {
    settings = configuration.settings();
    if (settings.lb_show_config && communicator.rank() == 0)
      say(settings, "settings\n" + configuration.table());
  });
  return settings;
}

std::optional<lbdata::PhaseSpecification> specification(const mpi::Communicator& communicator,
                                                        const Settings& settings) {
  if (!settings.lb_spec) return std::nullopt;
  const std::string text = read_on_rank_0(communicator, settings.lb_spec_file);
  std::optional<lbdata::PhaseSpecification> result;
  mpi::agreed(communicator, [&] { result = lbdata::PhaseSpecification::parse(text, settings.lb_spec_file); });
  return result;
}

std::filesystem::path folder_of(const std::string& file) {
  return std::filesystem::path(file).parent_path();
}

void make_folder_of(const std::string& file) {
  const std::filesystem::path folder = folder_of(file);
  std::error_code code;
  if (!folder.empty()) std::filesystem::create_directories(folder, code);
  if (code)
    throw support::system_error("cannot make the folder", folder, code.value(), "check name and permissions");
}

// Else they would be taken for ranks of this run.
void remove_files_of_higher_ranks(const Settings& settings, int ranks) {
  bool found = true;
  for (int rank = ranks; found; ++rank) {
    found = false;
    for (const char* suffix : {"", ".partial", ".pending"}) {
      std::error_code code;
      const std::string file = data_file_path(settings, rank) + suffix;
      if (std::filesystem::remove(file, code)) found = true;
      if (code)
        throw support::system_error("cannot remove the file of an earlier run", file, code.value(),
                                    "remove it");
    }
  }
}

void prepare_folders(const mpi::Communicator& communicator, const Settings& settings) {
  mpi::agreed(communicator, [&] {
    const std::string first = data_file_path(settings, 0);
    const std::string mine = data_file_path(settings, communicator.rank());
    if (communicator.rank() != 0) {
      if (settings.lb_data && folder_of(mine) != folder_of(first)) make_folder_of(mine);
      return;
    }
    if (settings.lb_data) make_folder_of(first);
    if (settings.lb_data && settings.lb_data_overwrite)
      remove_files_of_higher_ranks(settings, communicator.size());
    if (settings.lb_statistics) make_folder_of(statistics_file_path(settings, ""));
  });
}

NodeLBData::Place place_of(const mpi::Communicator& communicator) {
  const mpi::NodePlace node = mpi::node_place(communicator);
  return {.rank = communicator.rank(),
          .shared_node = {.id = node.id, .size = node.size, .rank = node.rank, .num_nodes = node.node_count},
          .may_have_threads = mpi::Environment::allows_threads()};
}

Clock::Source clock_source(const Settings& settings) {
  return settings.lb_system_clock ? Clock::Source::system : Clock::Source::timestamp_counter;
}

}  // namespace

LoadRecorder::LoadRecorder(MPI_Comm communicator, const Settings& settings)
    : communicator_(communicator), settings_(settings), timer_(clock_source(settings)) {
  start();
}

LoadRecorder::LoadRecorder(int& argc, char** argv, const Settings& defaults)
    : LoadRecorder(argc, argv, MPI_COMM_WORLD, defaults) {}

LoadRecorder::LoadRecorder(int& argc, char** argv, MPI_Comm communicator, const Settings& defaults)
    : environment_(&argc, &argv),
      communicator_(communicator),
      settings_(configured(communicator_, argc, argv, defaults)),
      timer_(clock_source(settings_)) {
  start();
}

LoadRecorder::~LoadRecorder() {
  if (std::uncaught_exceptions() > exceptions_at_start_) {
    environment_.leave();  // whether the exception passes on all ranks is not known here
  } else if (!closed_ && !data_->path().empty()) {
    tell(
        "the recorder ends without close(): its LB data files stay .partial; 'plimsoll repair' completes "
        "them");
  }
}

void LoadRecorder::start() {
  mpi::agreed(communicator_,
              [&] { Configuration(settings_).settings(); });  // throws if they are not possible
  const auto selected = specification(communicator_, settings_);
  prepare_folders(communicator_, settings_);
  const NodeLBData::Place place = place_of(communicator_);
  mpi::agreed(communicator_, [&] {
    data_ = std::make_unique<NodeLBData>(settings_, place, selected);
    if (settings_.lb_statistics && rank() == 0) statistics_ = std::make_unique<StatisticsOutput>(settings_);
    load_model_ = ModelledLoads::make(settings_, *data_);
    if (settings_.lb_cpu_time) cpu_ = std::make_unique<CpuMeter>();

    idle_ = objects_.handle(ObjectRegistry::idle_slot);
    timer_.resize(objects_.size());
    const auto home = static_cast<std::uint32_t>(rank());
    const auto id = lbdata::encode({.kind = lbdata::IdentifierKind::bare_handler, .home = home});
    rank_object_ = enter(ObjectId{id}, {.home = rank(), .migratable = false}, true);
  });
  begin_next_phase();
}

// Objects.

std::uint64_t LoadRecorder::add_collection() {
  return lbdata::collection_proxy(++collections_);
}

ObjectHandle LoadRecorder::register_object(const ObjectSpec& spec) {
  ObjectHandle object;
  guarded([&] {
    const int home = spec.home.value_or(rank());
    if (home != rank() && !spec.number) {
      throw usage_error(fmt::format("an object whose home is rank {} is registered without a number", home),
                        "number the objects that have another home: it counts only its own");
    }
    const std::uint64_t number = spec.number ? *spec.number : next_number_++;
    object = enter(object_id(home, number, spec.migratable), spec);
  });
  return object;
}

ObjectHandle LoadRecorder::register_object(ObjectId id, const ObjectSpec& spec) {
  ObjectHandle object;
  guarded([&] { object = enter(id, spec); });
  return object;
}

ObjectHandle LoadRecorder::register_object_group() {
  ObjectHandle object;
  guarded([&] {
    const lbdata::Identifier identifier{.kind = lbdata::IdentifierKind::object_group,
                                        .home = static_cast<std::uint32_t>(rank()),
                                        .sequence = ++groups_,
                                        .collective = true};
    const lbdata::Entity entity{.objgroup_id = lbdata::WideInteger{lbdata::object_group_proxy(identifier)},
                                .home = rank(),
                                .migratable = false};
    object = enter(ObjectId{lbdata::encode(identifier)}, entity, true);
  });
  return object;
}

ObjectHandle LoadRecorder::enter(ObjectId id, const ObjectSpec& spec) {
  const auto parts = lbdata::decode_identifier(static_cast<std::uint64_t>(id));
  const bool is_element = parts && (parts->kind == lbdata::IdentifierKind::migratable_element ||
                                    parts->kind == lbdata::IdentifierKind::fixed_element);
  if (!is_element) {
    throw usage_error(
        fmt::format("{} is not the id of an element of a collection", static_cast<std::uint64_t>(id)),
        "take it from id() of the rank it comes from, or from object_id()");
  }
  if (parts->home >= static_cast<std::uint32_t>(rank_count())) {
    throw usage_error(
        fmt::format("the home of an object is rank {}, of {} ranks", parts->home, rank_count()));
  }
  lbdata::Entity entity{.collection_id = lbdata::WideInteger{spec.collection},
                        .home = static_cast<std::int32_t>(parts->home),
                        .migratable = parts->kind == lbdata::IdentifierKind::migratable_element};
  if (!spec.index.empty()) entity.index = spec.index;
  return enter(id, entity, spec.measured);
}

ObjectHandle LoadRecorder::enter(ObjectId id, lbdata::Entity entity, bool measured) {
  entity.id = lbdata::WideInteger{static_cast<std::uint64_t>(id)};
  const ObjectHandle object = objects_.add(id, data_->entities().intern(entity), measured);
  if (object.slot >= timer_.size()) timer_.resize(objects_.size());
  return object;
}

void LoadRecorder::remove_object(ObjectHandle object) {
  if (closed_) return;
  if (!objects_.alive(object) || object.slot < ObjectRegistry::first_slot)
    return unknown_object("remove_object");
  if (object == rank_object_) return note(usage_error("the rank itself cannot be removed"));
  if (timer_.is_open(object.slot)) {
    return note(usage_error(fmt::format("remove_object() of object {} while work on it is under way",
                                        static_cast<std::uint64_t>(id(object))),
                            "end() the work first"));
  }
  objects_.remove(object);
}

ObjectId LoadRecorder::id(ObjectHandle object) const {
  return objects_.alive(object) ? objects_[object.slot].id : ObjectId::none;
}

// Work.

void LoadRecorder::add_time(ObjectHandle object, double time_s) {
  if (!on_) return;
  if (!objects_.alive(object)) return unknown_object("add_time");
  if (!(time_s >= 0) || !std::isfinite(time_s))
    return note(usage_error(fmt::format("add_time() of {} s", time_s)));
  added_s(timer_.column(), object.slot) += time_s;
  added_total_s_ += time_s;
}

void LoadRecorder::set_obj_time(ObjectHandle object, double time_s) {
  if (!on_) return;
  if (!objects_.alive(object)) return unknown_object("set_obj_time");
  if (!(time_s >= 0) || !std::isfinite(time_s))
    return note(usage_error(fmt::format("set_obj_time() to {} s", time_s)));
  timer_.update();
  replaced_ticks_ += timer_.clear_slot(object.slot);
  replace_added(object.slot, time_s);
}

double LoadRecorder::get_obj_time(ObjectHandle object) {
  if (!objects_.alive(object)) {
    unknown_object("get_obj_time");
    return 0;
  }
  if (on_) timer_.update();
  return load_s(object.slot);
}

double LoadRecorder::load_s(std::size_t slot) const {
  double sum = 0;
  for (std::uint32_t column = 0; column < column_count(); ++column) sum += load_s(column, slot);
  return sum;
}

double LoadRecorder::load_s(std::uint32_t column, std::size_t slot) const {
  double load = 0;
  if (column < added_s_.size() && slot < added_s_[column].size()) load = added_s_[column][slot];
  if (objects_[slot].measured && column < timer_.column_count()) {
    load += timer_.clock().seconds(timer_.ticks(column, static_cast<WorkTimer::Slot>(slot)));
  }
  return load;
}

double& LoadRecorder::added_s(std::uint32_t column, std::size_t slot) {
  if (added_s_.size() <= column) added_s_.resize(column + std::size_t{1});
  if (added_s_[column].size() <= slot) added_s_[column].resize(objects_.size());
  return added_s_[column][slot];
}

void LoadRecorder::replace_added(std::size_t slot, double time_s) {
  for (std::vector<double>& column : added_s_) {
    if (slot < column.size()) column[slot] = 0;
  }
  added_s(0, slot) = time_s;
}

std::uint32_t LoadRecorder::column_count() const {
  return std::max(timer_.column_count(), static_cast<std::uint32_t>(added_s_.size()));
}

void LoadRecorder::set_subphase(int subphase) {
  constexpr int limit = 65535;  // vt's type has 16 bits
  if (!on_) return;
  if (subphase < 0 || subphase >= limit) {
    return note(usage_error(fmt::format("set_subphase({})", subphase), "number subphases from 0 to 65534"));
  }
  timer_.set_column(static_cast<std::uint32_t>(subphase) + 1);
}

void LoadRecorder::leave_subphase() {
  if (on_) timer_.set_column(0);
}

void LoadRecorder::instrument(bool on) {
  if (on == on_ || closed_) return;
  switched_ = true;
  if (on) {
    timer_.start();
    if (cpu_) cpu_->start();
  } else {
    if (cpu_) cpu_->charge(timer_.current());
    timer_.unwind();
    timer_.set_column(0);
  }
  on_ = on;
}

// Values of the program's own.

void LoadRecorder::set_value(ObjectHandle object, UserValueKind kind, std::string_view name,
                             const UserValue& value) {
  if (!objects_.alive(object)) return unknown_object("set_value");
  guarded([&] { objects_.values(kind)[object.slot].set(name, value); });
}

void LoadRecorder::remove_value(ObjectHandle object, UserValueKind kind, std::string_view name) {
  if (!objects_.alive(object)) return unknown_object("remove_value");
  auto& values = objects_.values(kind);
  const auto found = values.find(object.slot);
  if (found == values.end()) return;
  found->second.remove(name);
  if (found->second.empty()) values.erase(found);
}

void LoadRecorder::set_phase_value(std::string_view name, const UserValue& value) {
  guarded([&] { phase_values_.set(name, value); });
}

void LoadRecorder::set_rank_value(std::string_view name, const UserValue& value) {
  guarded([&] {
    rank_values_.set(name, value);
    data_->set_attributes(rank_values_.to_json());
  });
}

// Errors.

void LoadRecorder::note(const Error& error) {
  if (!error_) error_ = error;
}

void LoadRecorder::unknown_object(const char* call) {
  note(
      usage_error(fmt::format("{}() of an object that is not registered on this rank, or not any more", call),
                  "use the handle that register_object() returned, until remove_object()"));
}

// A sink that throws must not keep rank 0 from the next collective call.
void LoadRecorder::tell(const std::string& message) {
  if (rank() == 0) guarded([&] { say(settings_, message); });
}

void LoadRecorder::unmatched_end() {
  if (switched_) return;
  note(usage_error("end() of an object that is not the one begun last",
                   "end() what was begun, innermost first"));
}

}  // namespace plimsoll::runtime
