#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/lbdata/validator.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Checks beyond the schema. The enumerators are indices into checks().
enum class Check : std::uint8_t {
  type,
  range,
  finite,
  negative_value,
  duplicate_phase,
  duplicate_task,
  dangling_reference,
  unknown_communication_type,
  task_node,
  metadata,
  memory_value,
  local_messages,
  object_messages,
};

/// Set of enabled checks.
class CheckSet {
 public:
  /// Throws Error (usage) for an unknown name.
  explicit CheckSet(const std::vector<std::string>& names);
  bool has(Check check) const { return (bits_ & (1U << static_cast<unsigned>(check))) != 0; }
  /// Returns whether findings of this check are requested; syntax and schema always are.
  bool wants(std::string_view check_name) const;

 private:
  std::uint32_t bits_ = 0;
};

/// Returns a finding of a check, with its name and severity filled in.
Diagnostic finding(Check check, std::string what, std::string suggestion = {});

}  // namespace plimsoll::lbdata
