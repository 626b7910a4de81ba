#pragma once

#include <string>

#include <plimsoll/runtime/settings.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Defaults of settings that a C or Fortran program sets one by one. A C++ program passes Settings instead.
class ProgramDefaults {
 public:
  /// Sets the default of a setting such as "lb_data_dir". As in the other sources of settings, a setting
  /// lb_statistics_... also sets lb_statistics, unless the program sets that itself. Throws Error (usage) for
  /// an unknown name, suggesting the nearest one, and for an invalid value.
  void set(const std::string& name, const std::string& value);

  const Settings& settings() const { return settings_; }

 private:
  Settings settings_;
  bool sets_statistics_ = false;
};

}  // namespace plimsoll::runtime
