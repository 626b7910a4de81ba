#pragma once

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>
#include <string_view>

#include "cli/options/output_options.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

/// Returns the names of an option in both spellings, because versions of CIME's tool differ: "--total_tasks"
/// becomes "--total_tasks,--total-tasks", "-r,--test_root" becomes "-r,--test_root,--test-root".
inline std::string both_spellings(std::string_view names) {
  std::string both;
  while (!names.empty()) {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(names.size(), name.size() + 1));
    both += (both.empty() ? "" : ",") + std::string(name);
    if (name.find('_') == std::string_view::npos) continue;
    std::string dashed(name);
    std::ranges::replace(dashed, '_', '-');
    both += "," + dashed;
  }
  return both;
}

/// Adds an option in both spellings. Its value is a one-line string, stored as std::string or optional.
template <class Text>
CLI::Option* add_text(CLI::App& app, const char* group, const std::string& name, Text& value,
                      const char* placeholder, const std::string& help) {
  return app.add_option(both_spellings(name), value, help)
      ->option_text(placeholder)
      ->check(check_name)
      ->group(group);
}

}  // namespace plimsoll::cli
