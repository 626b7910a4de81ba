#include "pelayout/pes/pes_values.hpp"

#include <fmt/format.h>

#include <cstdint>

#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Returns whether a value contains $NAME{.
bool has_call(std::string_view value) {
  for (std::size_t at = value.find('$'); at != std::string_view::npos; at = value.find('$', at + 1)) {
    std::size_t end = at + 1;
    while (end < value.size() && is_word(value[end])) ++end;
    if (end > at + 1 && end < value.size() && value[end] == '{') return true;
  }
  return false;
}

bool may_be_option(std::string_view value) {
  return value.starts_with('-') && !support::parse_number<std::int64_t>(value);
}

}  // namespace

std::string why_unsafe_for_cime(std::string_view name, std::string_view value) {
  if (has_call(value))
    return fmt::format("unsafe value {} of {}: CIME would run a command or read its environment",
                       support::in_quotes(value, 60), support::printable(name));
  if (may_be_option(value))
    return fmt::format("unsafe value {} of {}: begins with a dash", support::in_quotes(value, 60),
                       support::printable(name));
  return {};
}

std::string why_unsafe_as_argument(const std::string& word, const TemplateValues& values) {
  if (!word.starts_with('{')) return {};
  const std::string name = word.substr(1, word.find('}') - 1);
  const auto found = values.find(name);
  if (found == values.end() || !may_be_option(found->second)) return {};
  return fmt::format("unsafe value {} of {}: begins with a dash, so a program may interpret it as an option",
                     support::in_quotes(found->second, 60), support::printable(name));
}

}  // namespace plimsoll::pelayout
