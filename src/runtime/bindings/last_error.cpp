#include "runtime/bindings/last_error.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>
#include <vector>
namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

// tests/runtime/bindings/names_test.py checks that all names in the runtime's texts are here.
/// Functions that have the same name in Fortran, and the prefix `plimsoll_` in C.
constexpr std::array regular_names = {"add_collection()",
                                      "add_device_time()",
                                      "add_pack_time()",
                                      "add_time()",
                                      "balance_at_phase_ends()",
                                      "get_obj_time()",
                                      "infer_loads()",
                                      "inherit()",
                                      "instrument()",
                                      "leave_subphase()",
                                      "migrate()",
                                      "moved()",
                                      "next_phase()",
                                      "on_phase_end()",
                                      "on_phase_start()",
                                      "owner()",
                                      "plan()",
                                      "remove_all_values()",
                                      "remove_value()",
                                      "set_features()",
                                      "set_measured()",
                                      "set_migratable()",
                                      "set_obj_time()",
                                      "set_objects()",
                                      "set_pack()",
                                      "set_position()",
                                      "set_subphase()",
                                      "user_set_lb_load()"};

std::vector<InterfaceName> all_names() {
  std::vector<InterfaceName> names = {
      InterfaceName{"begin()", "plimsoll_begin()", "begin_work()"},
      InterfaceName{"close()", "plimsoll_finish()", "finish()"},
      InterfaceName{"end()", "plimsoll_end()", "end_work()"},
      InterfaceName{"id()", "plimsoll_id_of()", "id()"},
      InterfaceName{"object_id()", "plimsoll_make_id()", "plimsoll_make_object_id()"},
      InterfaceName{"record_message()", "plimsoll_message()", "record_message()"},
      InterfaceName{"register_object()", "plimsoll_register()", "register_object()"},
      InterfaceName{"register_object_group()", "plimsoll_register_group()", "register_object_group()"},
      InterfaceName{"remove_object()", "plimsoll_remove()", "remove_object()"},
      InterfaceName{"set_phase_value()", "plimsoll_set_integer(), plimsoll_set_real() or plimsoll_set_text()",
                    "set_phase_value()"},
      InterfaceName{"set_rank_value()", "plimsoll_set_integer(), plimsoll_set_real() or plimsoll_set_text()",
                    "set_rank_value()"},
      InterfaceName{"set_value()", "plimsoll_set_integer(), plimsoll_set_real() or plimsoll_set_text()",
                    "set_value()"},
      InterfaceName{"PLIMSOLL_SUMMARY_INIT", "PLIMSOLL_SUMMARY_INIT", "plimsoll_phase_summary()"},
      InterfaceName{"a value of enum plimsoll_category", "a value of enum plimsoll_category",
                    "a constant plimsoll_category_..."},
      InterfaceName{"plimsoll_start_balancer()", "plimsoll_start_balancer()", "start_balancer()"},
      InterfaceName{"plimsoll_summary", "plimsoll_summary", "plimsoll_phase_summary"}};
  for (const std::string name : regular_names) names.push_back({name, "plimsoll_" + name, name});
  return names;
}

bool is_part_of_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
}

/// Returns the name at the beginning of a text, or null.
const InterfaceName* name_at(std::string_view text) {
  const auto names = interface_names();
  const auto found = std::ranges::find_if(names, [text](const InterfaceName& name) {
    return text.starts_with(name.cpp) &&
           (text.size() == name.cpp.size() || !is_part_of_name(text[name.cpp.size()]));
  });
  return found == names.end() ? nullptr : &*found;
}

}  // namespace

std::span<const InterfaceName> interface_names() {
  // Never destroyed: functions that the program runs at its end may still report errors.
  static const auto& names = *new std::vector<InterfaceName>(all_names());
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
