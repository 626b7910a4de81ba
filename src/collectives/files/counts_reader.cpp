#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>
#include <tuple>

#include "collectives/files/counts_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

constexpr std::uint64_t maximum_ranks = std::numeric_limits<std::int32_t>::max();

/// Reads the number at `at`, and moves `at` past it.
std::int64_t read_count(const char*& at, const char* end, std::uint64_t line) {
  constexpr std::ptrdiff_t safe_digits = 18;
  const char* const begin = at;
  const bool negative = *at == '-';
  if (negative) ++at;
  std::int64_t value = 0;
  const char* const digits = at;
  for (; at != end && static_cast<unsigned char>(*at - '0') <= 9 && at - digits < safe_digits; ++at)
    value = value * 10 + (*at - '0');
  if (negative) value = -value;
  if (at - digits == safe_digits) {
    const auto [rest, error] = std::from_chars(begin, end, value);
    if (error == std::errc::result_out_of_range) throw Malformed{line, "number too large"};
    at = rest;
  }
  if (at == digits || (at != end && *at != ' ' && *at != '\t')) {
    throw Malformed{line, "expected a number, not " +
                              shown(std::string_view(begin, static_cast<std::size_t>(end - begin)))};
  }
  return value;
}

/// Whether the numbers in rows may be negative.
enum class Sign : std::uint8_t { not_negative, any };

/// Builds a CountMatrix from rows of text and validates it: rows must have equal length, and each rank of the
/// communicator must be in exactly one row. Equal rows are merged. O(numbers); can build many matrices one
/// after another.
class MatrixBuilder {
 public:
  explicit MatrixBuilder(Budget& budget) : budget_(budget) {}

  /// Discards the current rows and begins a matrix. Throws Malformed for an impossible number of ranks.
  void begin(std::uint64_t comm_size, Sign sign, std::uint64_t line) {
    if (comm_size == 0 || comm_size > maximum_ranks)
      throw Malformed{line, fmt::format("invalid communicator size {}", comm_size)};
    budget_.check(comm_size, line);
    comm_size_ = comm_size;
    sign_ = sign;
    columns_ = 0;
    rows_.clear();
    ranks_seen_.clear();
  }

  /// Adds a row; `numbers` are separated by spaces. Throws Malformed with `line`.
  void add_row(const NumberList& ranks, std::string_view text, std::uint64_t line) {
    if (ranks.max() >= comm_size_)
      throw Malformed{line,
                      fmt::format("invalid rank {}: the communicator has {} ranks", ranks.max(), comm_size_)};
    std::vector<std::int64_t>& numbers = rows_.numbers();
    const std::size_t before = numbers.size();
    const char* const end = text.data() + text.size();
    bool negative = false;
    for (const char* at = text.data(); at != end;) {
      if (*at == ' ' || *at == '\t') {
        ++at;
        continue;
      }
      numbers.push_back(read_count(at, end, line));
      negative |= numbers.back() < 0;
    }
    if (negative && sign_ == Sign::not_negative) throw Malformed{line, "negative count"};
    const std::size_t count = numbers.size() - before;
    if (count == 0) throw Malformed{line, "row without numbers"};
    if (!rows_.empty() && count != columns_)
      throw Malformed{
          line, fmt::format("row contains {} numbers, but the previous row contains {}", count, columns_)};
    columns_ = count;
    budget_.take(count, line);

    const std::span<const std::int64_t> added = std::span(numbers).last(count);
    const DistinctRows::Row row = rows_.row(digest_of(added).low, [&](std::uint32_t position) {
      return std::ranges::equal(added, std::span(numbers).subspan(position * count, count));
    });
    if (!row.is_new) numbers.resize(before);
    row.ranks.append(ranks);
    for (const NumberList::Run& run : ranks.runs()) ranks_seen_.push_back({run, line});
  }

  bool empty() const { return ranks_seen_.empty(); }
  /// Returns the matrix. Throws Malformed with the line of the invalid row, or with `end_line` if ranks lack
  /// a row.
  CountMatrix finish(std::uint64_t end_line) {
    check_ranks(end_line);
    return rows_.take(columns_);
  }

 private:
  /// Ranks that share a row, and the row's line.
  struct Ranks {
    NumberList::Run run;
    std::uint64_t line;
  };

  void check_ranks(std::uint64_t end_line) const {
    std::vector<Ranks> sorted = ranks_seen_;
    std::ranges::sort(sorted, {}, [](const Ranks& ranks) { return ranks.run.first; });
    std::uint64_t next = 0;
    std::uint64_t line_before = 0;
    for (const Ranks& ranks : sorted) {
      if (ranks.run.first < next) {
        throw Malformed{std::max(ranks.line, line_before),
                        fmt::format("duplicate row of rank {}", ranks.run.first)};
      }
      if (ranks.run.first > next) throw Malformed{end_line, fmt::format("missing row of rank {}", next)};
      next = ranks.run.last + 1;
      line_before = ranks.line;
    }
    if (next < comm_size_) throw Malformed{end_line, fmt::format("missing row of rank {}", next)};
  }

  Budget& budget_;
  std::uint64_t comm_size_ = 0;
  Sign sign_ = Sign::not_negative;
  std::size_t columns_ = 0;
  DistinctRows rows_;
  std::vector<Ranks> ranks_seen_;
};

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

/// Orders blocks by operation, size of the communicator, and calls.
struct OrderOfBlocks {
  static auto key(const CountsBlock& block) {
    return std::tuple(block.operation.index(), block.comm_size, block.calls.size(), block.calls.run_count());
  }
  bool operator()(const CountsBlock* left, const CountsBlock* right) const {
    if (key(*left) != key(*right)) return key(*left) < key(*right);
    const auto calls = left->calls.runs();
    const auto others = right->calls.runs();
    return std::lexicographical_compare(calls.begin(), calls.end(), others.begin(), others.end());
  }
};

void report_alone(const CountsBlock& block, const std::string& other, Findings& findings) {
  findings.add(
      Severity::error, block.line,
      fmt::format("{} does not contain a block for the same {} calls", other, block.operation.name()),
      "block skipped");
}

class CallReader {
 public:
  CallReader(std::string_view text, Budget& budget) : lines_(text), rows_(budget) {}

  Signature read() {
    Signature signature;
    signature.send.type_size = read_field("Send datatype size:");
    signature.recv.type_size = read_field("Recv datatype size:");
    comm_size_ = read_field("Comm size:");
    read_matrix("Send counts", signature.send.matrix);
    read_matrix("Recv counts", signature.recv.matrix);
    signature.comm_size = static_cast<std::uint32_t>(comm_size_);
    skip_empty();
    if (!lines_.at_end()) fail(shown(lines_.line()) + " found after the last row");
    return signature;
  }

 private:
  [[noreturn]] void fail(std::string what) const { throw Malformed{lines_.number(), std::move(what)}; }
  void skip_empty() {
    while (!lines_.at_end() && lines_.line().empty()) lines_.advance();
  }

  std::uint64_t read_field(std::string_view name) {
    skip_empty();
    std::string_view text = lines_.line();
    const bool is_named = take_field(text, name);
    const auto value = support::parse_number<std::uint64_t>(text);
    if (!is_named || !value) fail(fmt::format("found {}: expected '{} NUMBER'", shown(lines_.line()), name));
    lines_.advance();
    return *value;
  }

  void read_matrix(std::string_view title, CountMatrix& matrix) {
    skip_empty();
    if (lines_.line() != title) fail(fmt::format("found {}: expected '{}'", shown(lines_.line()), title));
    rows_.begin(comm_size_, Sign::not_negative, lines_.number());
    lines_.advance();
    for (std::uint64_t rank = 0; rank < comm_size_; ++rank, lines_.advance()) {
      if (lines_.line().empty()) fail(fmt::format("missing row of rank {}", rank));
      NumberList alone;
      alone.push_back(rank);
      rows_.add_row(alone, lines_.line(), lines_.number());
    }
    matrix = rows_.finish(lines_.number());
  }

  TrimmedLines lines_;
  MatrixBuilder rows_;
  std::uint64_t comm_size_ = 0;
};

/// Describes an error in the sizes of the two matrices; empty if they are correct.
std::string size_problem(const Signature& signature) {
  const std::uint32_t send = signature.send.matrix.columns;
  const std::uint32_t recv = signature.recv.matrix.columns;
  const bool gathers = signature.operation.exchange == Exchange::allgatherv && send == 1;
  if (send != recv && !gathers)
    return fmt::format("rows contain {} send counts, but {} receive counts", send, recv);
  // Neighbourhood operations exist only on intra-communicators, whose peers are their own ranks.
  if (signature.operation.neighborhood && peers(signature) != signature.comm_size)
    return fmt::format("rows contain {} numbers: expected {}, one per rank", recv, signature.comm_size);
  return {};
}

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

void pair_blocks(std::vector<CountsBlock> send, std::vector<CountsBlock> recv, Content content,
                 Findings& send_findings, Findings& recv_findings, SignatureCollector& signatures) {
  std::vector<std::pair<Signature, std::uint64_t>> paired;  // with the line of the block
  std::map<const CountsBlock*, std::set<std::size_t>, OrderOfBlocks> unpaired;
  for (std::size_t number = 0; number < recv.size(); ++number) unpaired[&recv[number]].insert(number);
  for (std::size_t number = 0; number < send.size(); ++number) {
    CountsBlock& block = send[number];
    const auto found = unpaired.find(&block);
    if (found == unpaired.end() || found->second.empty()) {
      report_alone(block, recv_findings.file(), send_findings);
      continue;
    }
    std::set<std::size_t>& partners = found->second;
    const std::size_t partner = partners.contains(number) ? number : *partners.begin();
    partners.erase(partner);
    Signature signature{.operation = block.operation, .comm_size = block.comm_size};
    signature.send = std::move(block.side);
    signature.recv = std::move(recv[partner].side);
    signature.calls = std::move(block.calls);
    const std::string problem = content == Content::counts ? size_problem(signature) : std::string();
    if (problem.empty()) {
      paired.emplace_back(std::move(signature), block.line);
    } else {
      send_findings.add(Severity::error, block.line, problem, "block skipped");
    }
  }
  signatures.add_all(std::move(paired), send_findings);
  std::set<std::size_t> alone;
  for (auto& [calls, numbers] : unpaired) alone.merge(numbers);
  for (const std::size_t number : alone) report_alone(recv[number], send_findings.file(), recv_findings);
}

std::optional<Signature> read_call_counts(std::string_view text, std::optional<Operation> operation,
                                          std::uint64_t call, Budget& budget, Findings& findings) {
  try {
    Signature signature = CallReader(text, budget).read();
    signature.operation = operation.value_or(told_by_rows(signature));
    signature.calls.push_back(call);
    const std::string problem = size_problem(signature);
    if (problem.empty()) return signature;
    findings.add(Severity::error, 0, problem, "call skipped");
  } catch (const Malformed& problem) {
    findings.add(Severity::error, problem.line, problem.what, "call skipped");
  }
  return std::nullopt;
}

Operation told_by_rows(const Signature& signature) {
  const bool one_sent = signature.send.matrix.columns == 1 && signature.comm_size > 1;
  if (!one_sent) return {Exchange::alltoallv};
  return {signature.recv.matrix.columns == 1 ? Exchange::alltoall : Exchange::allgatherv};
}

}  // namespace plimsoll::collectives
