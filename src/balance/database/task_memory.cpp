#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "balance/database/user_data.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Returns a block number or rank number. The bound rejects numbers that a double may not represent exactly.
std::optional<std::int64_t> number_of_member(const support::JsonView& object, std::string_view name) {
  constexpr double bound = 9007199254740992.0;  // 2^53: above it, doubles skip integers
  const std::optional<double> number = number_member(object, name);
  if (!number) return {};
  if (!(std::abs(*number) < bound) || *number != std::trunc(*number))
    throw support::bad_input(fmt::format("invalid value {} of member {}: expected an integer below 2^53",
                                         *number, support::in_quotes(name)));
  return static_cast<std::int64_t>(*number);
}

}  // namespace

TaskMemory task_memory(const support::JsonView& user_defined) {
  const auto size = [&](std::string_view name) { return size_member(user_defined, name).value_or(0); };
  TaskMemory memory{.footprint_bytes = size("task_footprint_bytes"),
                    .working_bytes = size("task_working_bytes"),
                    .serialized_bytes = size("task_serialized_bytes"),
                    .rank_working_bytes = size("rank_working_bytes"),
                    .block = {}};
  const std::int64_t shared_id = number_of_member(user_defined, "shared_id").value_or(-1);
  if (shared_id >= 0)
    memory.block = {shared_id, size("shared_bytes"), number_of_member(user_defined, "home_rank")};
  return memory;
}

}  // namespace plimsoll::balance
