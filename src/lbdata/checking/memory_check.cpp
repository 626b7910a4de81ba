#include "lbdata/checking/memory_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

constexpr std::string_view size_members[] = {"rank_working_bytes", "task_footprint_bytes",
                                             "task_working_bytes", "task_serialized_bytes", "shared_bytes"};
constexpr std::string_view number_members[] = {"shared_id", "home_rank"};

bool mentions(std::string_view text, std::string_view name) {
  return text.find(name) != std::string_view::npos;
}

/// Returns whether the text may contain one of the members. Most tasks have none, and need not be parsed.
bool may_describe_memory(std::string_view text) {
  return mentions(text, "_bytes") ||
         std::ranges::any_of(number_members, [&](std::string_view name) { return mentions(text, name); });
}

std::string size_problem(const std::optional<double>& bytes) {
  if (!bytes) return "expected a number";
  if (*bytes >= 0 && std::isfinite(*bytes)) return "";
  return fmt::format("invalid size {}: must be >= 0", *bytes);
}

std::string number_problem(const std::optional<double>& number) {
  return number && *number == std::trunc(*number) ? "" : "expected an integer";
}

}  // namespace

void check_memory_members(std::string_view user_defined, support::JsonParser& parser,
                          const std::function<void(std::string_view member, std::string what)>& add) {
  if (!may_describe_memory(user_defined)) return;
  std::optional<support::JsonView> object;
  try {
    object = parser.parse(user_defined);
  } catch (const Error& error) {
    return add("", error.diagnostic().what);
  }
  const auto check = [&](std::string_view name, auto problem_of) {
    const std::optional<support::JsonView> member = object->find(name);
    if (!member || member->is_null()) return;
    if (std::string problem = problem_of(member->get<double>()); !problem.empty())
      add(name, std::move(problem));
  };
  for (const std::string_view name : size_members) check(name, size_problem);
  for (const std::string_view name : number_members) check(name, number_problem);
}

}  // namespace plimsoll::lbdata
