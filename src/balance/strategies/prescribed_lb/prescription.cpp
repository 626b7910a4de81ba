#include "balance/strategies/prescribed_lb/prescription.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr const char* forms = "use one rank per object, e.g. 3,3,0, or object:rank pairs, e.g. 17:3, 18:0";

/// Scanner for the words and signs of a placement.
class Scanner {
 public:
  Scanner(std::string_view text, const std::string& source) : rest_(text), source_(source) {}

  bool at_end() {
    skip_separators();
    return rest_.empty();
  }
  /// Consumes the next sign if it is `sign`. Returns whether it did so.
  bool take(char sign) {
    if (at_end() || rest_.front() != sign) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// Consumes the next word if it is a name. Returns whether it did so.
  bool take_name() {
    if (at_end() || !is_letter(rest_.front())) return false;
    while (!rest_.empty() && is_letter(rest_.front())) rest_.remove_prefix(1);
    return true;
  }
  /// Reads a 64-bit integer, with or without sign, optionally in quotes.
  std::uint64_t take_number() {
    const bool quoted = take('"');
    if (at_end()) fail("a number");
    std::uint64_t number = 0;
    std::int64_t negative = 0;
    const bool is_number =
        rest_.front() == '-' ? support::take_number(rest_, negative) : support::take_number(rest_, number);
    if (!is_number) fail("a number");
    if (quoted && !take('"')) fail("a quotation mark");
    if (!rest_.empty() && (is_letter(rest_.front()) || rest_.front() == '.')) fail("a separator");
    return number | static_cast<std::uint64_t>(negative);
  }
  [[noreturn]] void fail(const char* expected) {
    const bool ends = at_end();
    const std::string found = ends ? "the end" : fmt::format("{:?}", rest_.substr(0, 10));
    throw support::bad_input(
        fmt::format("line {} of {}: found {}, expected {}", line_, source_, found, expected), {}, forms);
  }

 private:
  static bool is_letter(char character) {
    return std::isalpha(static_cast<unsigned char>(character)) != 0 || character == '_';
  }
  void skip_separators() {
    while (!rest_.empty() &&
           (rest_.front() == ',' || std::isspace(static_cast<unsigned char>(rest_.front())) != 0)) {
      if (rest_.front() == '\n') ++line_;
      rest_.remove_prefix(1);
    }
  }

  std::string_view rest_;
  const std::string& source_;
  std::size_t line_ = 1;
};

}  // namespace

Prescription parse_prescription(std::string_view text, const std::string& source) {
  Prescription result;
  result.source = source;
  Scanner scanner(text, result.source);
  const bool is_array = scanner.take('[');
  const bool is_object = !is_array && scanner.take('{');
  const bool is_table = !is_array && !is_object && scanner.take_name();
  if (is_table && !scanner.take_name()) scanner.fail("a second name");
  result.by_number = is_object || is_table;

  const auto at_end = [&] {
    return is_array ? scanner.take(']') : is_object ? scanner.take('}') : scanner.at_end();
  };
  for (bool first = true; !at_end(); first = false) {
    const std::uint64_t number = scanner.take_number();
    if (first && !is_array && !is_table && scanner.take(':')) {
      result.by_number = true;
    } else if (result.by_number && !is_table && !scanner.take(':')) {
      scanner.fail("a colon");
    }
    if (result.by_number)
      result.entries.push_back({number, static_cast<std::int64_t>(scanner.take_number())});
    else
      result.ranks.push_back(static_cast<std::int64_t>(number));
  }
  if (!scanner.at_end()) scanner.fail("the end");
  return result;
}

Prescription read_prescription(const std::string& folder, std::int64_t phase) {
  const lbdata::Dataset dataset = lbdata::read(lbdata::find_rank_files({folder})).dataset;
  if (phase < 0) phase = last_complete_phase(dataset, folder);
  const LDStats stats = load_phase(dataset, phase).stats;
  Prescription result;
  result.source = fmt::format("phase {} of {}", phase, folder);
  result.by_number = true;
  for (std::size_t object = 0; object < stats.numbers.size(); ++object)
    result.entries.push_back({stats.numbers[object], stats.from_proc[object]});
  return result;
}

}  // namespace plimsoll::balance
