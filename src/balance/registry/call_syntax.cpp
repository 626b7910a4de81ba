#include "balance/registry/call_syntax.hpp"

#include <fmt/format.h>

#include <plimsoll/support/error.hpp>

namespace plimsoll::balance {

namespace {

Error malformed(std::string_view text, const CallSyntax& syntax, const std::string& why) {
  return support::usage_error(fmt::format("\"{}\" is no {}: {}", text, syntax.kind, why), syntax.example);
}

std::string_view trimmed(std::string_view text) {
  constexpr const char* blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// The parts between separators outside brackets, trimmed. Throws Error for brackets that do not match.
std::vector<std::string_view> split_outside_brackets(std::string_view text, char separator,
                                                     const CallSyntax& syntax) {
  std::vector<std::string_view> parts;
  std::string closing;  // what the open brackets wait for
  std::size_t begin = 0;
  for (std::size_t position = 0; position < text.size(); ++position) {
    const char letter = text[position];
    if (letter == '(') closing += ')';
    if (letter == '[') closing += ']';
    if (letter == ')' || letter == ']') {
      if (closing.empty() || closing.back() != letter)
        throw malformed(text, syntax, fmt::format("'{}' closes nothing", letter));
      closing.pop_back();
    }
    if (letter != separator || !closing.empty()) continue;
    parts.push_back(trimmed(text.substr(begin, position - begin)));
    begin = position + 1;
  }
  if (!closing.empty()) throw malformed(text, syntax, fmt::format("'{}' is missing", closing.back()));
  parts.push_back(trimmed(text.substr(begin)));
  return parts;
}

Call parse_call(std::string_view text, const CallSyntax& syntax) {
  const std::size_t bracket = text.find('(');
  Call call{.name = std::string(trimmed(text.substr(0, bracket)))};
  if (bracket == std::string_view::npos) return call;
  if (text.back() != ')')
    throw malformed(text, syntax, fmt::format("a '{}' is missing after ')'", syntax.separator));
  const std::string_view inside = trimmed(text.substr(bracket + 1, text.size() - bracket - 2));
  if (inside.empty()) return call;
  for (const std::string_view argument : split_outside_brackets(inside, ',', syntax)) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string_view::npos || equals == 0)
      throw malformed(text, syntax, fmt::format("\"{}\" is no name=value", argument));
    call.arguments.emplace_back(trimmed(argument.substr(0, equals)), trimmed(argument.substr(equals + 1)));
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
  for (const auto& [name, value] : call.arguments)
    if (!parameters.emplace(name, value).second)
      throw support::usage_error(fmt::format("parameter \"{}\" of {} is given twice", name, call.name),
                                 "give it once");
  return parameters;
}

}  // namespace plimsoll::balance
