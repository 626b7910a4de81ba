// User-defined values in the C interface, plimsoll.h.
#include <fmt/format.h>
#include <plimsoll.h>

#include <string>
#include <string_view>

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

void plimsoll_remove_all_values(plimsoll_recorder* recorder, plimsoll_object object) {
  with(recorder, [&](LoadRecorder& self) { self.remove_all_values(handle(object)); });
}

}  // extern "C"
