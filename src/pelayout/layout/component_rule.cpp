#include <algorithm>

#include <plimsoll/pelayout/layout.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

bool is_power(std::int64_t number, std::int64_t base) {
  if (base < 2) return number == 1;
  while (number % base == 0) number /= base;
  return number == 1;
}

}  // namespace

bool ComponentRule::admits(std::int64_t tasks) const {
  if (tasks < 1 || tasks < minimum || tasks > maximum) return false;
  if (fixed && tasks != *fixed) return false;
  if (multiple_of && tasks % *multiple_of != 0) return false;
  if (power_of && !is_power(tasks, *power_of)) return false;
  return allowed.empty() || std::ranges::binary_search(allowed, tasks);
}

const ComponentRule& Layout::rule(const std::string& component) const {
  static const ComponentRule none;
  const auto found = rules.find(component);
  return found == rules.end() ? none : found->second;
}

std::optional<std::size_t> Layout::spanning_part(const LayoutExpression& sequence) const {
  if (sequence.kind != LayoutExpression::Kind::sequence) return std::nullopt;
  const auto found = std::ranges::find_if(sequence.parts, [&](const LayoutExpression& part) {
    return part.kind == LayoutExpression::Kind::component && rule(part.component).spans;
  });
  if (found == sequence.parts.end()) return std::nullopt;
  return static_cast<std::size_t>(found - sequence.parts.begin());
}

}  // namespace plimsoll::pelayout
