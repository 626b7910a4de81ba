// User-defined values in the C interface, plimsoll.h.
#include <fmt/format.h>
#include <plimsoll.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include <plimsoll/runtime/load_recorder.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/bindings/c_handles.hpp"
#include "runtime/bindings/c_recorder.hpp"

namespace {

using plimsoll::LoadRecorder;
using plimsoll::runtime::handle;
using plimsoll::runtime::UserValue;
using plimsoll::runtime::UserValueKind;
using plimsoll::runtime::with;
using plimsoll::support::usage_error;

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

/// Returns where the recorder keeps values of an object. Throws Error (usage) for the other places, at which
/// values cannot be `read` or `removed`.
UserValueKind kind_of(plimsoll_value_place place, const char* action) {
  if (place == PLIMSOLL_USER_DEFINED) return UserValueKind::user_defined;
  if (place == PLIMSOLL_ATTRIBUTES) return UserValueKind::attributes;
  throw usage_error(fmt::format("only object values can be {}", action),
                    "remove this call: values of a phase apply to that phase only");
}

/// Calls `read(value)` with a value of an object, if it has this value. Returns the result of `read`, or 0.
template <class Read>
int get_value(plimsoll_recorder* recorder, plimsoll_value_place place, plimsoll_object object,
              const char* name, const void* result, const Read& read) {
  return with(recorder, [&](LoadRecorder& self) {
    if (result == nullptr) throw usage_error("the pointer to a result is NULL", "specify a variable");
    const auto value = self.value(handle(object), kind_of(place, "read"), text_of(name));
    return value ? read(*value) : 0;
  });
}

}  // namespace

extern "C" {

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

}  // extern "C"
