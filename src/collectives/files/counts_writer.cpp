#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "collectives/files/counts_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// Returns the range of the line "calls a-b" for each operation.
std::array<NumberList::Run, Operation::count> call_ranges(const std::vector<Signature>& signatures,
                                                          const WriteOptions& options) {
  std::array<NumberList::Run, Operation::count> ranges;
  ranges.fill({UINT64_MAX, 0});
  for (const Signature& signature : signatures) {
    NumberList::Run& range = ranges[signature.operation.index()];
    if (options.legacy_text) {
      if (range.first == UINT64_MAX) range = {options.first_call, options.first_call - 1};
      range.last += signature.calls.size();
    } else {
      range.first = std::min(range.first, signature.calls.min());
      range.last = std::max(range.last, signature.calls.max());
    }
  }
  return ranges;
}

/// Appends each number followed by a space, then a newline.
void append_row(support::TextBuffer& output, std::span<const std::int64_t> numbers) {
  for (const std::int64_t number : numbers) {
    if (number < 0 || number > 9) {
      output.append(number);
      output.append(" ");
    } else {
      const char digit_and_blank[] = {static_cast<char>('0' + number), ' '};
      output.append(std::string_view(digit_and_blank, 2));
    }
  }
  output.append("\n");
}

/// Returns the index of each rank's row. The matrix must contain each of the ranks 0, 1, 2, ... once, in any
/// order.
std::vector<std::uint32_t> rows_by_rank(const CountMatrix& matrix) {
  std::uint64_t ranks = 0;
  for (const NumberList& list : matrix.ranks) ranks += list.size();
  std::vector<std::uint32_t> rows(ranks);
  for (std::size_t row = 0; row < matrix.rows(); ++row)
    matrix.ranks[row].for_each([&](std::uint64_t rank) {
      PLIMSOLL_EXPECT(rank < ranks);
      rows[rank] = static_cast<std::uint32_t>(row);
    });
  return rows;
}

void append_row_of(const NumberList& ranks, std::span<const std::int64_t> numbers,
                   support::TextBuffer& output) {
  output.append("Rank(s) ");
  output.append(ranks.to_string());
  output.append(": ");
  append_row(output, numbers);
}

void write_rank_by_rank(const CountMatrix& matrix, support::TextBuffer& output) {
  std::uint64_t rank = 0;
  for (const std::uint32_t row : rows_by_rank(matrix)) {
    NumberList alone;
    alone.push_back(rank++);
    append_row_of(alone, matrix.row(row), output);
  }
}

constexpr std::string_view world_size_field = "COMM_WORLD size: ";
constexpr std::string_view total_field = "Total number of ";

std::string disabled_sections(std::uint64_t comm_size) {
  return fmt::format(
      "#### Amount of data per rank\nPer-rank data is disabled\n\n"
      "#### Number of zeros\nPer-rank data is disabled\nTotal: 0/{} (0.000000%)\n\n"
      "#### Data size min/max\nDISABLED\n\n"
      "#### Small vs. large messages\nDISABLED\n\n\n"
      "#### Grouping based on the total amount per ranks\n\nDISABLED\n\n",
      comm_size * comm_size);
}

void write_data_set(std::size_t number, const Signature& signature, bool legacy_text,
                    support::TextBuffer& output) {
  output.append(fmt::format("\n## Data set #{}\n\ncomm size = {}; {} calls = {}\n\n", number,
                            signature.comm_size, signature.operation.name(), signature.calls.size()));
  for (const Direction direction : {Direction::send, Direction::recv}) {
    output.append(fmt::format("### Data {} per rank - Type size: {}\n\n",
                              direction == Direction::send ? "sent" : "received",
                              side_of(signature, direction).type_size));
    if (legacy_text) output.append(disabled_sections(signature.comm_size));
  }
}

}  // namespace

void write_counts(const std::vector<Signature>& signatures, Content content, Direction direction,
                  const WriteOptions& options, support::TextBuffer& output) {
  const auto ranges = call_ranges(signatures, options);
  for (const Signature& signature : signatures) {
    const Side& side = side_of(signature, direction);
    const NumberList::Run& range = ranges[signature.operation.index()];
    output.append(
        fmt::format("# Raw {}\n\nNumber of ranks: {}\nDatatype size: {}\n{} calls {}-{}\n"
                    "Count: {} calls - {}\n\n\nBEGINNING DATA\n",
                    content == Content::counts ? "counters" : "displacements", signature.comm_size,
                    side.type_size, signature.operation.name(), range.first, range.last,
                    signature.calls.size(), signature.calls.to_string()));
    if (options.legacy_text && signature.operation.exchange == Exchange::alltoall) {
      write_rank_by_rank(side.matrix, output);
    } else if (side.matrix.columns > 0) {
      for (std::size_t row = 0; row < side.matrix.rows(); ++row)
        append_row_of(side.matrix.ranks[row], side.matrix.row(row), output);
    }
    output.append("END DATA\n");
  }
}

void write_call_counts(const Signature& signature, support::TextBuffer& output) {
  output.append(fmt::format("Send datatype size: {}\nRecv datatype size: {}\nComm size: {}\n",
                            signature.send.type_size, signature.recv.type_size, signature.comm_size));
  for (const Direction direction : {Direction::send, Direction::recv}) {
    output.append(direction == Direction::send ? "\nSend counts\n" : "\n\nRecv counts\n");
    const CountMatrix& matrix = side_of(signature, direction).matrix;
    for (const std::uint32_t row : rows_by_rank(matrix)) append_row(output, matrix.row(row));
  }
}

void write_profile_summary(const ProfileSummary& summary, bool legacy_text, support::TextBuffer& output) {
  const std::string operation = summary.operation.name();
  output.append("# Summary\n");
  if (legacy_text || summary.world_size > 0)
    output.append(fmt::format("{}{}\n", world_size_field, summary.world_size));
  if (legacy_text || summary.total_calls > 0)
    output.append(fmt::format("{}{} calls = {}{}\n", total_field, operation, summary.total_calls,
                              legacy_text ? " (limit is 0; -1 means no limit)" : ""));
  output.append(fmt::format("# Send/recv {} for {} operations:\n",
                            summary.of_displacements ? "displacements" : "counts", operation));
  for (std::size_t number = 0; number < summary.signatures.size(); ++number)
    write_data_set(number, *summary.signatures[number], legacy_text, output);
}

ProfileSummary read_profile_summary(std::string_view text, Operation operation) {
  ProfileSummary summary{.operation = operation};
  for (TrimmedLines lines(text); !lines.at_end() && !lines.line().starts_with("## "); lines.advance()) {
    std::string_view line = lines.line();
    if (take_field(line, support::trimmed(world_size_field))) {
      summary.world_size = support::parse_number<std::uint64_t>(line).value_or(0);
    } else if (take_field(line, support::trimmed(total_field))) {
      const std::size_t equals = line.find("= ");
      if (equals == std::string_view::npos) continue;
      line = line.substr(equals + 2);
      summary.total_calls = support::parse_number<std::uint64_t>(line.substr(0, line.find(' '))).value_or(0);
    }
  }
  return summary;
}

}  // namespace plimsoll::collectives
