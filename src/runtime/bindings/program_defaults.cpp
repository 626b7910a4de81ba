#include "runtime/bindings/program_defaults.hpp"

#include "runtime/configuration/setting_lookup.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

void ProgramDefaults::set(const std::string& name, const std::string& value) {
  const Setting* setting = find_setting(name, nullptr);
  if (setting == nullptr) throw unknown_setting(name, nullptr);
  expect_valid(*setting, value, name);
  setting->assign(settings_, value);
  if (name == "lb_statistics") sets_statistics_ = true;
  if (name.starts_with("lb_statistics_") && !sets_statistics_) settings_.lb_statistics = true;
}

}  // namespace plimsoll::runtime
