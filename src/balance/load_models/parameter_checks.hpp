#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include <plimsoll/balance/parameters.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Throws Error (usage) unless the number of phases is between 1 and `most`.
inline void check_phase_count(const char* model, const char* parameter, std::int64_t phases,
                              std::int64_t most) {
  if (phases < 1 || phases > most)
    throw invalid_parameter(model, parameter, phases, fmt::format("use 1 to {}", most));
}

/// Throws Error (usage) for a weight that is negative or not finite.
inline void check_weight(const char* model, const char* parameter, double weight) {
  if (!(weight >= 0) || weight > std::numeric_limits<double>::max())
    throw invalid_parameter(model, parameter, weight, "use a number >= 0");
}

}  // namespace plimsoll::balance
