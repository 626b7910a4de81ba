#include "balance/registry/call_syntax.hpp"

#include <fmt/format.h>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

Error malformed(std::string_view text, const CallSyntax& syntax, const std::string& why) {
  return support::usage_error(fmt::format("invalid {} {}: {}", syntax.kind, support::in_quotes(text), why),
                              syntax.example);
}

/// Splits a text at separators outside brackets and trims the parts. Throws Error for brackets that do not
/// match.
std::vector<std::string_view> split_outside_brackets(std::string_view text, char separator,
                                                     const CallSyntax& syntax) {
  std::vector<std::string_view> parts;
  std::string closing;  // expected closing brackets
  std::size_t begin = 0;
  for (std::size_t position = 0; position < text.size(); ++position) {
    const char letter = text[position];
    if (letter == '(') closing += ')';
    if (letter == '[') closing += ']';
    if (letter == ')' || letter == ']') {
      if (closing.empty() || closing.back() != letter)
        throw malformed(text, syntax, fmt::format("unmatched '{}'", letter));
      closing.pop_back();
    }
    if (letter != separator || !closing.empty()) continue;
    parts.push_back(support::trimmed(text.substr(begin, position - begin)));
    begin = position + 1;
  }
  if (!closing.empty()) throw malformed(text, syntax, fmt::format("missing '{}'", closing.back()));
  parts.push_back(support::trimmed(text.substr(begin)));
  return parts;
}

Call parse_call(std::string_view text, const CallSyntax& syntax) {
  const std::size_t bracket = text.find('(');
  Call call{.name = std::string(support::trimmed(text.substr(0, bracket)))};
  if (bracket == std::string_view::npos) return call;
  if (text.back() != ')')
    throw malformed(text, syntax, fmt::format("missing '{}' after ')'", syntax.separator));
  const std::string_view inside = support::trimmed(text.substr(bracket + 1, text.size() - bracket - 2));
  if (inside.empty()) return call;
  for (const std::string_view argument : split_outside_brackets(inside, ',', syntax)) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string_view::npos || equals == 0)
      throw malformed(text, syntax,
                      fmt::format("expected name=value, found {}", support::in_quotes(argument)));
    call.parameters.emplace_back(support::trimmed(argument.substr(0, equals)),
                                support::trimmed(argument.substr(equals + 1)));
  }
  return call;
}

}  // namespace

std::vector<Call> parse_calls(std::string_view text, const CallSyntax& syntax) {
  std::vector<Call> calls;
  for (const std::string_view part : split_outside_brackets(text, syntax.separator, syntax))
    calls.push_back(parse_call(part, syntax));
  return calls;
}

ParameterMap parameter_map(const Call& call) {
  ParameterMap parameters;
  for (const auto& [name, value] : call.parameters)
    if (!parameters.emplace(name, value).second)
      throw support::usage_error(
          fmt::format("duplicate parameter {} of {}", support::in_quotes(name), call.name), "set it once");
  return parameters;
}

}  // namespace plimsoll::balance
