// Members of LoadRecorder for user-defined values.
#include <plimsoll/runtime/load_recorder.hpp>

#include "runtime/recorder/recorder_parts.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

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
