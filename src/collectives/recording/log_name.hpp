#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Returns the file name of the rank's log.
inline std::string log_name(std::uint64_t run_id, std::uint32_t world_rank) {
  return fmt::format("plimsoll-{:x}.rank{}.log", run_id, world_rank);
}

inline bool is_log_name(std::string_view name) {
  return name.starts_with("plimsoll-") && name.ends_with(".log");
}

}  // namespace plimsoll::collectives
