#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "lbdata/importing/object_loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

enum class CsvColumn { phase, object, rank, load, x, y, z, bytes };
constexpr std::array<std::string_view, 8> csv_columns = {"phase", "object", "rank", "load",
                                                         "x",     "y",      "z",    "bytes"};

constexpr std::string_view name_of(CsvColumn column) {
  return csv_columns[static_cast<std::size_t>(column)];
}

/// Returns the fields of a line, without the white space and the quotation marks around them.
std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields = support::split(line, ',');
  for (std::string_view& field : fields) {
    field = support::trimmed(field);
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
      field = field.substr(1, field.size() - 2);
  }
  return fields;
}

/// The columns of a CSV file, in the order of its first line.
class CsvHeader {
 public:
  CsvHeader(std::string_view line, const std::string& file, std::uint64_t number) {
    for (const std::string_view name : fields_of(line)) {
      const auto column = std::ranges::find(csv_columns, name);
      if (column == csv_columns.end())
        throw invalid_line(fmt::format("unknown column {}", support::in_quotes(name)), file, number,
                           fmt::format("the columns are {}", fmt::join(csv_columns, ", ")));
      std::optional<std::size_t>& place = places_[static_cast<std::size_t>(column - csv_columns.begin())];
      if (place) throw invalid_line(fmt::format("two columns have the name {}", name), file, number);
      place = n_columns_++;
    }
    using enum CsvColumn;
    for (const CsvColumn column : {phase, object, rank, load})
      if (!has(column))
        throw invalid_line(fmt::format("missing column {}", name_of(column)), file, number,
                           "begin the file with a line of column names, such as phase,object,rank,load");
    if ((has(y) && !has(x)) || (has(z) && !has(y)))
      throw invalid_line("the coordinates are not x, or x and y, or x, y and z", file, number);
  }

  std::size_t size() const { return n_columns_; }
  bool has(CsvColumn column) const { return places_[static_cast<std::size_t>(column)].has_value(); }
  /// Returns the field of a column that the file has.
  std::string_view in(const std::vector<std::string_view>& fields, CsvColumn column) const {
    return fields[*places_[static_cast<std::size_t>(column)]];
  }

 private:
  std::array<std::optional<std::size_t>, csv_columns.size()> places_;
  std::size_t n_columns_ = 0;
};

/// Returns the user data of an object: its position, and its size for migrations.
std::string user_data(const CsvHeader& header, const std::vector<std::string_view>& fields,
                      const std::string& file, std::uint64_t line) {
  std::vector<std::string> members;
  std::vector<double> position;
  using enum CsvColumn;
  for (const CsvColumn column : {x, y, z}) {
    if (!header.has(column)) break;
    const auto number = support::parse_number<double>(header.in(fields, column));
    if (!number || !std::isfinite(*number))
      throw invalid_line(fmt::format("invalid coordinate {} {}: expected a number", name_of(column),
                                     support::in_quotes(header.in(fields, column))),
                         file, line);
    position.push_back(*number);
  }
  if (!position.empty()) members.push_back(fmt::format(R"("position":[{}])", fmt::join(position, ",")));
  if (header.has(bytes))
    members.push_back(fmt::format(R"("task_serialized_bytes":{})",
                                  amount_in(header.in(fields, bytes), "bytes", file, line)));
  return members.empty() ? "" : fmt::format("{{{}}}", fmt::join(members, ","));
}

}  // namespace

ObjectLoads csv_loads(std::string_view text, const std::string& file) {
  support::take(text, "\xEF\xBB\xBF");  // byte order mark of spreadsheets
  support::LineReader lines(text);
  if (lines.at_end()) throw support::bad_input("the file is empty", file);
  const CsvHeader header(lines.line(), file, lines.number());
  using enum CsvColumn;
  ObjectLoads result;
  for (lines.advance(); !lines.at_end(); lines.advance()) {
    if (support::trimmed(lines.line()).empty()) continue;
    const std::uint64_t line = lines.number();
    const std::vector<std::string_view> fields = fields_of(lines.line());
    if (fields.size() != header.size())
      throw invalid_line(fmt::format("{} fields, but {} columns", fields.size(), header.size()), file, line);
    result.loads.push_back(
        {.phase = integer_in(header.in(fields, phase), "phase", max_imported_phase, file, line),
         .object = integer_in(header.in(fields, object), "object", std::numeric_limits<std::int64_t>::max(),
                              file, line),
         .rank = static_cast<std::int32_t>(
             integer_in(header.in(fields, rank), "rank", max_imported_rank, file, line)),
         .load_s = amount_in(header.in(fields, load), "load", file, line),
         .line = line,
         .user_defined = user_data(header, fields, file, line)});
  }
  return result;
}

}  // namespace plimsoll::lbdata
