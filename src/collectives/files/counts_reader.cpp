#include <fmt/format.h>

#include "collectives/files/counts_files.hpp"
#include "collectives/files/matrix_builder.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

void check_distinct(const NumberList& list, std::uint64_t line) {
  const NumberList* const lists[] = {&list};
  if (const auto duplicate = NumberList::first_duplicate(lists))
    throw Malformed{line, fmt::format("duplicate call {}", *duplicate)};
}

/// Reads a list of distinct call IDs and takes that many numbers from the budget.
NumberList read_call_list(std::string_view text, Budget& budget, std::uint64_t line) {
  std::optional<NumberList> list = NumberList::parse(text);
  if (!list) throw Malformed{line, "invalid call list " + shown(text)};
  // Short texts can describe many runs, which cost more than numbers.
  constexpr std::uint64_t numbers_per_run = 4;
  const bool is_short = list->run_count() > text.size();
  budget.take(is_short ? numbers_per_run * list->size() : list->size(), line);
  if (list->max() > largest_id) throw Malformed{line, fmt::format("call ID {} is too large", list->max())};
  check_distinct(*list, line);
  return *std::move(list);
}

bool begins_block(std::string_view line) {
  return line.starts_with("# Raw ");
}

class BlockReader {
 public:
  BlockReader(TrimmedLines& lines, Content content, Budget& budget, MatrixBuilder& rows, Findings& findings)
      : lines_(lines), content_(content), budget_(budget), rows_(rows), findings_(findings) {}

  CountsBlock read() {
    block_.line = lines_.number();
    check_title();
    for (lines_.advance(); line() != "BEGINNING DATA"; lines_.advance()) {
      check_goes_on("BEGINNING DATA");
      if (!line().empty()) read_field();
    }
    check_fields();
    read_rows();
    return std::move(block_);
  }

 private:
  std::string_view line() const { return lines_.line(); }
  [[noreturn]] void fail(std::string what) const { throw Malformed{lines_.number(), std::move(what)}; }

  void check_goes_on(std::string_view awaited) const {
    if (lines_.at_end() || begins_block(line())) fail(fmt::format("missing {} in the block", awaited));
  }

  void check_title() const {
    const std::string_view wanted = content_ == Content::counts ? "# Raw counters" : "# Raw displacements";
    if (line() != wanted) fail(fmt::format("found {}: expected '{}'", shown(line()), wanted));
  }

  void read_field() {
    std::string_view text = line();
    if (take_field(text, "Number of ranks:")) {
      set(comm_size_, number(text));
    } else if (take_field(text, "Datatype size:")) {
      set(type_size_, number(text));
    } else if (take_field(text, "Count:")) {
      read_calls(text);
    } else {
      read_operation(text);
    }
  }

  template <class Value>
  void set(std::optional<Value>& field, Value value) const {
    if (field) fail("duplicate field");
    field = std::move(value);
  }

  std::uint64_t number(std::string_view text) const {
    const auto value = support::parse_number<std::uint64_t>(text);
    if (!value) fail(shown(text) + " is not a number");
    return *value;
  }

  void read_operation(std::string_view text) {
    const std::size_t end = text.find(" calls");
    if (end == std::string_view::npos) fail(shown(text) + " is not a block header line");
    const std::optional<Operation> operation = Operation::named(text.substr(0, end));
    if (!operation) fail("unknown collective operation " + shown(text.substr(0, end)));
    if (!NumberList::parse(text.substr(end + 6)))
      fail(shown(text.substr(end + 6)) + " is not a range of calls");
    set(operation_, *operation);
  }

  void read_calls(std::string_view text) {
    const std::size_t end = text.find_first_not_of("0123456789");
    const std::uint64_t said = number(text.substr(0, end));
    text = support::trimmed(text.substr(end == std::string_view::npos ? text.size() : end));
    if (!take_field(text, "calls") || !take_field(text, "-"))
      fail("invalid line: expected 'Count: NUMBER calls - LIST'");
    set(calls_, read_call_list(text, budget_, lines_.number()));
    if (calls_->size() != said) {
      findings_.add(Severity::warning, lines_.number(),
                    fmt::format("the header specifies {} calls, but lists {}", said, calls_->size()),
                    "the list is used");
    }
  }

  void check_fields() {
    if (!comm_size_) fail("missing field 'Number of ranks: '");
    if (!type_size_) fail("missing field 'Datatype size: '");
    if (!operation_) fail("missing operation in the block header");
    if (!calls_) fail("missing field 'Count: '");
  }

  void read_rows() {
    rows_.begin(*comm_size_, content_ == Content::counts ? Sign::not_negative : Sign::any, lines_.number());
    for (lines_.advance(); line() != "END DATA"; lines_.advance()) {
      check_goes_on("END DATA");
      if (!line().empty()) read_row();
    }
    block_.operation = *operation_;
    block_.comm_size = static_cast<std::uint32_t>(*comm_size_);
    block_.calls = std::move(*calls_);
    block_.side.type_size = *type_size_;
    // For the send side of Allgatherv, which has no displacements, the collective profiler writes a block
    // without rows.
    if (content_ == Content::counts || !rows_.empty()) block_.side.matrix = rows_.finish(lines_.number());
    lines_.advance();
  }

  void read_row() {
    std::string_view text = line();
    if (!take_field(text, "Rank(s)")) fail(shown(text) + " is not a row: expected 'Rank(s) LIST: NUMBERS'");
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos) fail("missing colon after the ranks of a row");
    const std::optional<NumberList> ranks = NumberList::parse(text.substr(0, colon), *comm_size_);
    if (!ranks)
      fail(fmt::format("invalid rank list {}: expected ranks below {}", shown(text.substr(0, colon)),
                       *comm_size_));
    text = support::trimmed(text.substr(colon + 1));
    take_field(text, ":");
    rows_.add_row(*ranks, text, lines_.number());
  }

  TrimmedLines& lines_;
  Content content_;
  Budget& budget_;
  MatrixBuilder& rows_;
  Findings& findings_;
  std::optional<std::uint64_t> comm_size_;
  std::optional<std::uint64_t> type_size_;
  std::optional<Operation> operation_;
  std::optional<NumberList> calls_;
  CountsBlock block_;
};

}  // namespace

std::vector<CountsBlock> read_counts(std::string_view text, Content content, Budget& budget,
                                     Findings& findings) {
  std::vector<CountsBlock> blocks;
  TrimmedLines lines(text);
  MatrixBuilder rows(budget);
  bool between_blocks = true;
  while (!lines.at_end()) {
    if (begins_block(lines.line())) {
      const std::uint64_t begin = lines.number();
      try {
        blocks.push_back(BlockReader(lines, content, budget, rows, findings).read());
        between_blocks = true;
      } catch (const Malformed& problem) {
        findings.add(Severity::error, problem.line, problem.what,
                     fmt::format("block starting at line {} skipped", begin));
        // The rest of the block was reported together with its first error. Advance beyond its title, which
        // must not be read again.
        between_blocks = false;
        if (lines.number() == begin) lines.advance();
      }
      continue;
    }
    if (between_blocks && !lines.line().empty()) {
      findings.add(Severity::error, lines.number(), shown(lines.line()) + " outside any block",
                   "lines up to the next '# Raw ' line skipped");
      between_blocks = false;
    }
    lines.advance();
  }
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    findings.add(Severity::warning, 0, "is empty", "the program that wrote it may have been stopped");
  return blocks;
}

}  // namespace plimsoll::collectives
