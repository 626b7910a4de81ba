#include "lbdata/importing/object_loads.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

Error invalid_line(std::string what, const std::string& file, std::uint64_t line, std::string suggestion) {
  return Error(ErrorKind::bad_input,
               {.what = std::move(what), .file = file, .line = line, .suggestion = std::move(suggestion)});
}

std::int64_t integer_in(std::string_view text, std::string_view column, std::int64_t max,
                        const std::string& file, std::uint64_t line) {
  const auto number = support::parse_number<std::int64_t>(text);
  if (!number || *number < 0 || *number > max)
    throw invalid_line(
        fmt::format("invalid {} {}: expected an integer from 0 to {}", column, support::in_quotes(text), max),
        file, line);
  return *number;
}

double amount_in(std::string_view text, std::string_view column, const std::string& file,
                 std::uint64_t line) {
  const auto number = support::parse_number<double>(text);
  if (!number || !(*number >= 0 && *number <= max_imported_amount))
    throw invalid_line(fmt::format("invalid {} {}: expected a number from 0 to {}", column,
                                   support::in_quotes(text), max_imported_amount),
                       file, line);
  return *number;
}

}  // namespace plimsoll::lbdata
