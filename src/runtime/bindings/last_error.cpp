#include "runtime/bindings/last_error.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

// tests/runtime/bindings/names_test.py checks that all names in the runtime's texts are here.
constexpr std::array names = {
    InterfaceName{"add_collection()", "plimsoll_add_collection()", "add_collection()"},
    InterfaceName{"add_time()", "plimsoll_add_time()", "add_time()"},
    InterfaceName{"balance_at_phase_ends()", "plimsoll_balance_at_phase_ends()", "balance_at_phase_ends()"},
    InterfaceName{"begin()", "plimsoll_begin()", "begin_work()"},
    InterfaceName{"close()", "plimsoll_finish()", "finish()"},
    InterfaceName{"end()", "plimsoll_end()", "end_work()"},
    InterfaceName{"get_obj_time()", "plimsoll_get_obj_time()", "get_obj_time()"},
    InterfaceName{"id()", "plimsoll_id_of()", "id()"},
    InterfaceName{"inherit()", "plimsoll_inherit()", "inherit()"},
    InterfaceName{"instrument()", "plimsoll_instrument()", "instrument()"},
    InterfaceName{"leave_subphase()", "plimsoll_leave_subphase()", "leave_subphase()"},
    InterfaceName{"migrate()", "plimsoll_migrate()", "migrate()"},
    InterfaceName{"moved()", "plimsoll_moved()", "moved()"},
    InterfaceName{"next_phase()", "plimsoll_next_phase()", "next_phase()"},
    InterfaceName{"object_id()", "plimsoll_make_id()", "plimsoll_make_object_id()"},
    InterfaceName{"on_phase_end()", "plimsoll_on_phase_end()", "on_phase_end()"},
    InterfaceName{"on_phase_start()", "plimsoll_on_phase_start()", "on_phase_start()"},
    InterfaceName{"owner()", "plimsoll_owner()", "owner()"},
    InterfaceName{"plan()", "plimsoll_plan()", "plan()"},
    InterfaceName{"record_message()", "plimsoll_message()", "record_message()"},
    InterfaceName{"register_object()", "plimsoll_register()", "register_object()"},
    InterfaceName{"register_object_group()", "plimsoll_register_group()", "register_object_group()"},
    InterfaceName{"remove_all_values()", "plimsoll_remove_all_values()", "remove_all_values()"},
    InterfaceName{"remove_object()", "plimsoll_remove()", "remove_object()"},
    InterfaceName{"remove_value()", "plimsoll_remove_value()", "remove_value()"},
    InterfaceName{"set_measured()", "plimsoll_set_measured()", "set_measured()"},
    InterfaceName{"set_migratable()", "plimsoll_set_migratable()", "set_migratable()"},
    InterfaceName{"set_obj_time()", "plimsoll_set_obj_time()", "set_obj_time()"},
    InterfaceName{"set_objects()", "plimsoll_set_objects()", "set_objects()"},
    InterfaceName{"set_phase_value()", "plimsoll_set_integer(), plimsoll_set_real() or plimsoll_set_text()",
                  "set_phase_value()"},
    InterfaceName{"set_position()", "plimsoll_set_position()", "set_position()"},
    InterfaceName{"set_rank_value()", "plimsoll_set_integer(), plimsoll_set_real() or plimsoll_set_text()",
                  "set_rank_value()"},
    InterfaceName{"set_subphase()", "plimsoll_set_subphase()", "set_subphase()"},
    InterfaceName{"set_value()", "plimsoll_set_integer(), plimsoll_set_real() or plimsoll_set_text()",
                  "set_value()"},
    InterfaceName{"user_set_lb_load()", "plimsoll_user_set_lb_load()", "user_set_lb_load()"},
    // Texts of the C interface itself.
    InterfaceName{"PLIMSOLL_SUMMARY_INIT", "PLIMSOLL_SUMMARY_INIT", "plimsoll_phase_summary()"},
    InterfaceName{"a value of enum plimsoll_category", "a value of enum plimsoll_category",
                  "a constant plimsoll_category_..."},
    InterfaceName{"plimsoll_start_balancer()", "plimsoll_start_balancer()", "start_balancer()"},
    InterfaceName{"plimsoll_summary", "plimsoll_summary", "plimsoll_phase_summary"},
};

bool is_part_of_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// Returns the name at the beginning of a text, or null.
const InterfaceName* name_at(std::string_view text) {
  const auto found = std::ranges::find_if(names, [text](const InterfaceName& name) {
    return text.starts_with(name.cpp) &&
           (text.size() == name.cpp.size() || !is_part_of_name(text[name.cpp.size()]));
  });
  return found == names.end() ? nullptr : &*found;
}

}  // namespace

std::span<const InterfaceName> interface_names() {
  return names;
}

std::string in_language(std::string_view text, Language language) {
  std::string result;
  bool in_name = false;
  while (!text.empty()) {
    const InterfaceName* name = in_name ? nullptr : name_at(text);
    const std::size_t length = name == nullptr ? 1 : name->cpp.size();
    if (name == nullptr)
      result += text.front();
    else
      result += language == Language::c ? name->c : name->fortran;
    in_name = is_part_of_name(text[length - 1]);
    text.remove_prefix(length);
  }
  return result;
}

namespace {

std::string without_digits(std::string text) {
  std::erase_if(text, [](char letter) { return letter >= '0' && letter <= '9'; });
  return text;
}

}  // namespace

LastError::~LastError() {
  if (process_ == ::getpid()) print_unchecked();
}

void LastError::set(std::string text, bool is_ours) {
  text_ = std::move(text);
  is_unchecked_ = is_ours;
}

void LastError::set_checked(std::string text) {
  set(std::move(text), false);
}

const std::string& LastError::check() {
  is_unchecked_ = false;
  return text_;
}

void LastError::print_unchecked() {
  if (!std::exchange(is_unchecked_, false)) return;
  const std::string problem = without_digits(text_);
  if (problem == printed_) return;
  printed_ = problem;
  print_("unchecked error: " + text_);
}

}  // namespace plimsoll::runtime
