// Members of LoadRecorder that record loads, messages and user-defined values.

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include <plimsoll/runtime/load_recorder.hpp>

#include "runtime/recorder/recorder_parts.hpp"
#include "runtime/recording/object_registry.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

using support::usage_error;

namespace {

bool is_time(double time_s) {
  return time_s >= 0 && std::isfinite(time_s);
}

Error invalid_time(double time_s, std::string_view call) {
  return usage_error(fmt::format("invalid time {} s for {}(): must be finite and >= 0", time_s, call));
}

bool is_object(Endpoint end) {
  return end.kind() == lbdata::EntityKind::object;
}

bool is_node(Endpoint end) {
  return end.kind() == lbdata::EntityKind::node;
}

struct Categories {
  lbdata::CommCategory object_to_object;
  lbdata::CommCategory object_to_node;
  lbdata::CommCategory node_to_object;
};

constexpr Categories messages{lbdata::CommCategory::SendRecv, lbdata::CommCategory::CollectionToNode,
                              lbdata::CommCategory::NodeToCollection};
constexpr Categories broadcasts{lbdata::CommCategory::Broadcast, lbdata::CommCategory::CollectionToNodeBcast,
                                lbdata::CommCategory::NodeToCollectionBcast};

lbdata::CommCategory category_of(const Categories& categories, Endpoint from, Endpoint to) {
  if (is_node(to)) return categories.object_to_node;
  return is_node(from) ? categories.node_to_object : categories.object_to_object;
}

bool ends_fit(lbdata::CommCategory category, Endpoint from, Endpoint to) {
  const lbdata::CategoryEnds ends = lbdata::ends_of(category);
  return from.kind() == ends.from && to.kind() == ends.to;
}

std::string name_of(Endpoint end) {
  switch (end.kind()) {
    case lbdata::EntityKind::node: return fmt::format("rank {}", static_cast<std::int64_t>(end.number()));
    case lbdata::EntityKind::shared_id: return fmt::format("shared block {}", end.number());
    default: return end.number() == 0 ? "no object" : name_of(ObjectId{end.number()});
  }
}

}  // namespace

void LoadRecorder::add_time(ObjectHandle object, double time_s) {
  if (!instruments() || !has_object("add_time", object)) return;
  if (!is_time(time_s)) return note(invalid_time(time_s, "add_time"));
  parts_->recording.loads.add(object.slot, time_s);
}

void LoadRecorder::add_device_time(ObjectHandle object, double time_s, std::int64_t of_phase) {
  if (!is_owner("add_device_time") || !instruments()) return;
  const std::int64_t n_phases = phase() - of_phase;
  if (of_phase < 0 || n_phases < 0)
    return note(usage_error(
        fmt::format("invalid phase {} for add_device_time(): must be between 0 and {}", of_phase, phase()),
        "pass the number of the phase in which the work on the device began"));
  const bool is_late = n_phases > 0;
  if (!is_late && !has_object("add_device_time", object)) return;
  if (!is_time(time_s)) return note(invalid_time(time_s, "add_device_time"));
  parts_->guard([&] {
    DeviceTimes& devices = parts_->recording.devices;
    if (is_late)
      devices.add_late(is_registered(object) ? object.slot : 0, time_s, n_phases);
    else
      devices.add(object.slot, time_s);
  });
}

void LoadRecorder::set_obj_time(ObjectHandle object, double time_s) {
  if (!is_owner("set_obj_time") || !instruments() || !has_object("set_obj_time", object)) return;
  if (!is_time(time_s)) return note(invalid_time(time_s, "set_obj_time"));
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

void LoadRecorder::record_message(Endpoint from, Endpoint to, std::uint64_t bytes, std::uint64_t count) {
  record_edge(category_of(messages, from, to), from, to, bytes, count);
}

void LoadRecorder::record_broadcast(Endpoint from, Endpoint to, std::uint64_t bytes, std::uint64_t count) {
  record_edge(category_of(broadcasts, from, to), from, to, bytes, count);
}

void LoadRecorder::add_writable_shared_id(int home, std::uint64_t block, std::uint64_t bytes) {
  record_edge(lbdata::CommCategory::WriteShared, Endpoint::shared_block(block), Endpoint::node(home), bytes,
              1);
}

void LoadRecorder::add_read_only_shared_id(int home, std::uint64_t block, std::uint64_t bytes) {
  record_edge(lbdata::CommCategory::ReadOnlyShared, Endpoint::shared_block(block), Endpoint::node(home),
              bytes, 1);
}

// Called for every message. Needs no stack protector: it writes only error messages of fixed kinds to the
// stack.
[[gnu::no_stack_protector]] void LoadRecorder::record_edge(lbdata::CommCategory category, Endpoint from,
                                                           Endpoint to, std::uint64_t bytes,
                                                           std::uint64_t count) {
  if (!instruments() || count == 0) return;
  if (!ends_fit(category, from, to)) [[unlikely]] {
    return note(support::usage_error(
        fmt::format("invalid sender or receiver for category {}: from {} to {}", to_string(category),
                    name_of(from), name_of(to)),
        "use the kinds of sender and receiver (object, rank or shared block) that the category requires"));
  }
  const auto is_none = [](Endpoint end) { return is_object(end) && end.number() == 0; };
  const auto is_no_rank = [this](Endpoint end) {
    return is_node(end) && end.number() >= static_cast<std::uint64_t>(rank_count());
  };
  if (is_none(from) || is_none(to) || is_no_rank(from) || is_no_rank(to)) [[unlikely]] {
    return note(
        support::usage_error(fmt::format("invalid message from {} to {}: sender or receiver does not exist",
                                         name_of(from), name_of(to)),
                             "specify an object by its ID, see id(), and a rank by its number"));
  }
  Recording& recording = parts_->recording;
  EdgeTable& edges = meter_.is_own_thread() ? recording.edges : recording.edges_of_other_thread();
  edges.add(from, to, category, bytes, count);
}

/// Returns the integer as a value; nothing, and notes an error, if it is too large.
std::optional<UserValue> LoadRecorder::accepted_integer(const char* call, std::string_view name,
                                                        std::uint64_t integer) {
  std::optional<UserValue> accepted;
  if (is_owner(call)) parts_->guard([&] { accepted = integer_value(name, integer); });
  return accepted;
}

void LoadRecorder::set_value(ObjectHandle object, UserValueKind kind, std::string_view name,
                             const UserValue& value) {
  if (!is_owner("set_value") || !has_object("set_value", object)) return;
  parts_->guard([&] { parts_->recording.objects.values(kind)[object.slot].set(name, value); });
}

void LoadRecorder::remove_value(ObjectHandle object, UserValueKind kind, std::string_view name) {
  if (!is_owner("remove_value") || !has_object("remove_value", object)) return;
  auto& values = parts_->recording.objects.values(kind);
  const auto found = values.find(object.slot);
  if (found == values.end()) return;
  found->second.remove(name);
  if (found->second.empty()) values.erase(found);
}

void LoadRecorder::remove_all_values(ObjectHandle object) {
  if (!is_owner("remove_all_values") || !has_object("remove_all_values", object)) return;
  parts_->recording.objects.remove_all_values(object.slot);
}

std::optional<UserValue> LoadRecorder::value(ObjectHandle object, UserValueKind kind,
                                             std::string_view name) const {
  if (!is_registered(object)) return {};
  const auto& values = parts_->recording.objects.values(kind);
  const auto found = values.find(object.slot);
  return found == values.end() ? std::nullopt : found->second.get(name);
}

void LoadRecorder::set_phase_value(std::string_view name, const UserValue& value) {
  if (!is_owner("set_phase_value")) return;
  parts_->guard([&] { parts_->recording.phase_values.set(name, value); });
}

void LoadRecorder::set_rank_value(std::string_view name, const UserValue& value) {
  if (!is_owner("set_rank_value")) return;
  parts_->guard([&] {
    parts_->rank_values.set(name, value);
    parts_->data.set_attributes(parts_->rank_values.to_json());
  });
}

}  // namespace plimsoll::runtime
