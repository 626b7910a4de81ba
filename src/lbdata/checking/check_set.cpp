#include "lbdata/checking/check_set.hpp"

#include <algorithm>

#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

const std::vector<CheckDescription>& checks() {
  static const std::vector<CheckDescription> all = {
      {"type", Severity::warning, "the document specifies its type (LBDatafile or LBStatsfile)"},
      {"range", Severity::error,
       "integers are in range: ranks and subphases fit in 32 bits, all others in 64 bits"},
      {"finite", Severity::error, "times and bytes are finite numbers"},
      {"negative-value", Severity::error, "times, bytes and messages are not negative"},
      {"duplicate-phase", Severity::error,
       "each phase appears once per file, and each iteration once per phase"},
      {"duplicate-task", Severity::error,
       "each task appears once per phase, and migratable tasks on only one rank"},
      {"dangling-reference", Severity::warning,
       "both ends of a communication exist: objects as tasks, nodes as ranks"},
      {"unknown-communication-type", Severity::warning,
       "communications have one of the ten documented types"},
      {"task-node", Severity::warning, "the node of each task is the rank of its file"},
      {"metadata", Severity::error, "metadata match the file's rank and phases"},
      {"memory-value", Severity::warning,
       "memory sizes in user_defined are not negative, and block and home numbers are integers"},
      {"local-messages", Severity::warning, "messages between objects of one rank are recorded"},
      {"object-messages", Severity::warning,
       "most bytes are sent between objects, rather than from or to ranks"},
  };
  return all;
}

std::vector<std::string> ValidateOptions::all_checks() {
  std::vector<std::string> names;
  for (const CheckDescription& check : lbdata::checks()) names.emplace_back(check.name);
  return names;
}

CheckSet::CheckSet(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto found = std::ranges::find(checks(), name, &CheckDescription::name);
    if (found == checks().end()) throw support::unknown_name("check", name, ValidateOptions::all_checks());
    bits_ |= 1U << static_cast<unsigned>(found - checks().begin());
  }
}

bool CheckSet::wants(std::string_view check_name) const {
  const auto found = std::ranges::find(checks(), check_name, &CheckDescription::name);
  return found == checks().end() || (bits_ & (1U << static_cast<unsigned>(found - checks().begin()))) != 0;
}

Diagnostic finding(Check check, std::string what, std::string suggestion) {
  const CheckDescription& description = checks()[static_cast<std::size_t>(check)];
  return {.severity = description.severity,
          .check = std::string(description.name),
          .what = std::move(what),
          .suggestion = std::move(suggestion)};
}

}  // namespace plimsoll::lbdata
