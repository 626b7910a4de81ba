#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "lbdata/importing/object_loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

// Format: WarpX documentation, "Reduced diagnostics", LoadBalanceCosts. One line per output, with a group of
// columns per box. Boxes that a line does not have are missing at its end, or NaN.

constexpr std::string_view box_separators = " \t\r,;";
constexpr std::int64_t max_box = 99'999'999;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t begin = line.find_first_not_of(box_separators); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(box_separators, begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(box_separators, end);
  }
  return words;
}

/// Returns the name in a column title such as "[2]cost_box_0()".
std::string_view name_in(std::string_view title) {
  support::take(title, "#");
  if (title.starts_with('[')) title.remove_prefix(std::min(title.find(']'), title.size() - 1) + 1);
  return title.substr(0, title.find('('));
}

using BoxPlace = std::optional<std::size_t>;

/// Columns of one box.
struct BoxColumns {
  BoxPlace cost, rank, level;
  std::array<BoxPlace, 3> low;  ///< of its first cell

  /// Returns the column of a name without "_box" and the number; null for columns that are not imported.
  BoxPlace* of(std::string_view name) {
    if (name == "cost") return &cost;
    if (name == "proc") return &rank;
    if (name == "lev") return &level;
    if (name == "i_low") return &low[0];
    if (name == "j_low") return &low[1];
    if (name == "k_low") return &low[2];
    return nullptr;
  }
};

/// The columns of a file, from its first line.
class BoxHeader {
 public:
  BoxHeader(std::string_view line, const std::string& file, std::uint64_t number) {
    for (const std::string_view title : words_of(line)) add(name_in(title), file, number);
    const auto incomplete = std::ranges::find_if(
        boxes_, [](const BoxColumns& box) { return box.cost.has_value() != box.rank.has_value(); });
    if (boxes_.empty() || incomplete != boxes_.end() || !step_)
      throw invalid_line("the first line names no step, or not the cost and the processor of each box", file,
                         number,
                         "specify a file of the reduced diagnostics LoadBalanceCosts, with its header");
  }

  std::size_t size() const { return n_columns_; }
  std::size_t step() const { return *step_; }
  BoxPlace time() const { return time_; }
  const std::vector<BoxColumns>& boxes() const { return boxes_; }

 private:
  void add(std::string_view name, const std::string& file, std::uint64_t line) {
    const std::size_t place = n_columns_++;
    if (name == "step") step_ = place;
    if (name == "time") time_ = place;
    const std::size_t end = name.rfind('_');
    if (end == std::string_view::npos) return;
    const auto number = support::parse_number<std::int64_t>(name.substr(end + 1));
    if (!number || *number < 0 || *number > max_box) return;
    name = name.substr(0, end);
    if (name.ends_with("_box")) name.remove_suffix(4);
    BoxColumns box;
    if (!box.of(name)) return;
    // Boxes come in order, so that a high number cannot stand for many boxes.
    if (*number > std::ssize(boxes_))
      throw invalid_line(fmt::format("box {} comes before box {}", *number, boxes_.size()), file, line);
    if (*number == std::ssize(boxes_)) boxes_.emplace_back();
    *boxes_[static_cast<std::size_t>(*number)].of(name) = place;
  }

  std::size_t n_columns_ = 0;
  BoxPlace step_, time_;
  std::vector<BoxColumns> boxes_;
};

/// One line of numbers.
class BoxRow {
 public:
  BoxRow(std::string_view line, const std::string& file, std::uint64_t number)
      : words_(words_of(line)), file_(file), line_(number) {}

  std::size_t size() const { return words_.size(); }
  std::uint64_t line() const { return line_; }
  /// Whether the line has this column, and it is not NaN.
  bool has(BoxPlace place) const {
    if (!place || *place >= words_.size()) return false;
    const auto number = support::parse_number<double>(words_[*place]);
    return !number || !std::isnan(*number);
  }
  std::string_view word(std::size_t place) const { return place < words_.size() ? words_[place] : ""; }
  double amount(std::size_t place, std::string_view name) const {
    return amount_in(word(place), name, file_, line_);
  }
  /// Returns an integer, which may be written as a real number.
  std::int64_t integer(std::size_t place, std::string_view name, std::int64_t max,
                       std::int64_t min = 0) const {
    const auto number = support::parse_number<double>(word(place));
    const auto in_range = [&](double value) {
      return value >= static_cast<double>(min) && value <= static_cast<double>(max) &&
             std::floor(value) == value;
    };
    if (!number || !in_range(*number))
      throw invalid_line(fmt::format("invalid {} {}: expected an integer from {} to {}", name,
                                     support::in_quotes(word(place)), min, max),
                         file_, line_);
    return static_cast<std::int64_t>(*number);
  }

 private:
  std::vector<std::string_view> words_;
  const std::string& file_;
  std::uint64_t line_;
};

/// Returns the user data of a box: its level and the index of its first cell.
std::string user_data(const BoxRow& row, const BoxColumns& box) {
  constexpr std::int64_t max_index = 0x7fffffff;
  std::vector<std::string> members;
  if (row.has(box.level))
    members.push_back(fmt::format(R"("level":{})", row.integer(*box.level, "level", 100)));
  std::vector<std::int64_t> position;
  for (const BoxPlace& place : box.low)
    if (row.has(place)) position.push_back(row.integer(*place, "index of a cell", max_index, -max_index));
  if (!position.empty()) members.push_back(fmt::format(R"("position":[{}])", fmt::join(position, ",")));
  return members.empty() ? "" : fmt::format("{{{}}}", fmt::join(members, ","));
}

void add_boxes(const BoxRow& row, const BoxHeader& header, std::int64_t phase,
               std::vector<ObjectLoad>& loads) {
  for (std::size_t k = 0; k < header.boxes().size(); ++k) {
    const BoxColumns& box = header.boxes()[k];
    if (!row.has(box.cost)) continue;
    loads.push_back(
        {.phase = phase,
         .object = static_cast<std::int64_t>(k),
         .rank = static_cast<std::int32_t>(row.integer(*box.rank, "processor", max_imported_rank)),
         .load_s = row.amount(*box.cost, "cost"),
         .line = row.line(),
         .user_defined = user_data(row, box)});
  }
}

}  // namespace

ObjectLoads warpx_loads(std::string_view text, const std::string& file) {
  constexpr std::int64_t max_step = std::int64_t{1} << 53;
  support::LineReader lines(text);
  const BoxHeader header(lines.line(), file, lines.number());
  ObjectLoads result;
  std::int64_t last_step = -1;
  for (lines.advance(); !lines.at_end(); lines.advance()) {
    const BoxRow row(lines.line(), file, lines.number());
    if (row.size() == 0) continue;
    if (row.size() > header.size())
      throw invalid_line(fmt::format("{} values, but {} columns", row.size(), header.size()), file,
                         row.line());
    const std::int64_t step = row.integer(header.step(), "step", max_step);
    if (step <= last_step)
      throw invalid_line(fmt::format("step {} after step {}", step, last_step), file, row.line(),
                         "remove the lines that a restart has written again");
    last_step = step;
    const std::int64_t phase = std::ssize(result.phases);
    std::string description = fmt::format(R"({{"step":{})", step);
    if (row.has(header.time()))
      description += fmt::format(R"(,"time":{})", row.amount(*header.time(), "time"));
    result.phases[phase] = description + '}';
    add_boxes(row, header, phase, result.loads);
  }
  return result;
}

}  // namespace plimsoll::lbdata
