#pragma once

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

template <class Integer>
Integer integer_of(const Integer&);
template <class Integer>
Integer integer_of(const std::optional<Integer>&);

/// Adds an option that takes an integer N and rejects all other values. It also rejects -1 for unsigned
/// integers, and numbers that are too large, instead of converting them to the maximum. `value` is an integer
/// or an optional integer.
template <class Value>
CLI::Option* add_integer_option(CLI::App& app, const std::string& name, Value& value,
                                const std::string& help) {
  using Integer = decltype(integer_of(value));
  const auto read = [](const std::string& word, Integer& number) -> std::string {
    const char* const end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, number);
    if (error == std::errc() && stop == end) return "";
    using Limits = std::numeric_limits<Integer>;
    return fmt::format("invalid value {}: expected an integer from {} to {}", support::in_quotes(word),
                       Limits::min(), Limits::max());
  };
  const auto check = [read](const std::string& word) {
    Integer number{};
    return read(word, number);
  };
  const auto assign = [read, &value](const std::vector<std::string>& words) {
    Integer number{};
    const bool good = read(words.front(), number).empty();
    value = number;
    return good;
  };
  return app.add_option(name, assign, help)->option_text("N")->check(check);
}

}  // namespace plimsoll::cli
