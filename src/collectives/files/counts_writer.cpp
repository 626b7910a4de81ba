#include <algorithm>
#include <array>

#include "collectives/files/counts_files.hpp"
#include "collectives/files/findings.hpp"
#include "collectives/files/profile_output.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// Ranges of the line "calls a-b" for each operation.
class CallRanges {
 public:
  CallRanges(const std::vector<Signature>& signatures, const WriteOptions& options) {
    ranges_.fill({UINT64_MAX, 0});
    for (const Signature& signature : signatures) {
      NumberList::Run& range = ranges_[signature.operation.index()];
      if (options.legacy_text) {
        if (range.first == UINT64_MAX) range = {options.first_call, options.first_call - 1};
        range.last += signature.calls.size();
      } else {
        range.first = std::min(range.first, signature.calls.min());
        range.last = std::max(range.last, signature.calls.max());
      }
    }
  }

  const NumberList::Run& operator[](Operation operation) const { return ranges_[operation.index()]; }

 private:
  std::array<NumberList::Run, Operation::count> ranges_;
};

void write_list(const NumberList& list, support::TextBuffer& output) {
  bool first = true;
  for (const NumberList::Run& run : list.runs()) {
    if (!first) output.append(", ");
    first = false;
    output.append(run.first);
    if (run.last == run.first) continue;
    output.append("-");
    output.append(run.last);
  }
}

void write_row(const NumberList& ranks, std::span<const std::int64_t> numbers, support::TextBuffer& output) {
  output.append("Rank(s) ");
  write_list(ranks, output);
  output.append(": ");
  append_row(output, numbers);
}

void write_rank_by_rank(const CountMatrix& matrix, support::TextBuffer& output) {
  std::uint64_t rank = 0;
  for (const std::uint32_t row : rows_by_rank(matrix)) {
    NumberList alone;
    alone.push_back(rank++);
    write_row(alone, matrix.row(row), output);
  }
}

}  // namespace

void write_counts(const std::vector<Signature>& signatures, Content content, Direction direction,
                  const WriteOptions& options, support::TextBuffer& output) {
  const CallRanges ranges(signatures, options);
  for (const Signature& signature : signatures) {
    const Side& side = side_of(signature, direction);
    const NumberList::Run& range = ranges[signature.operation];
    output.append(content == Content::counts ? "# Raw counters\n\n" : "# Raw displacements\n\n");
    output.append("Number of ranks: ");
    output.append(signature.comm_size);
    output.append("\nDatatype size: ");
    output.append(side.type_size);
    output.append("\n");
    output.append(signature.operation.name());
    output.append(" calls ");
    output.append(range.first);
    output.append("-");
    output.append(range.last);
    output.append("\nCount: ");
    output.append(signature.calls.size());
    output.append(" calls - ");
    write_list(signature.calls, output);
    output.append("\n\n\nBEGINNING DATA\n");
    if (options.legacy_text && signature.operation.exchange == Exchange::alltoall) {
      write_rank_by_rank(side.matrix, output);
    } else if (side.matrix.columns > 0) {
      for (std::size_t row = 0; row < side.matrix.rows(); ++row)
        write_row(side.matrix.ranks[row], side.matrix.row(row), output);
    }
    output.append("END DATA\n");
  }
}

namespace {

constexpr std::string_view world_size_field = "COMM_WORLD size: ";
constexpr std::string_view total_field = "Total number of ";

void write_disabled_sections(std::uint64_t comm_size, support::TextBuffer& output) {
  output.append("#### Amount of data per rank\nPer-rank data is disabled\n\n");
  output.append("#### Number of zeros\nPer-rank data is disabled\nTotal: 0/");
  output.append(comm_size * comm_size);
  output.append(" (0.000000%)\n\n");
  output.append("#### Data size min/max\nDISABLED\n\n");
  output.append("#### Small vs. large messages\nDISABLED\n\n\n");
  output.append("#### Grouping based on the total amount per ranks\n\nDISABLED\n\n");
}

void write_data_set(std::size_t number, const Signature& signature, const std::string& operation,
                    bool legacy_text, support::TextBuffer& output) {
  output.append("\n## Data set #");
  output.append(number);
  output.append("\n\ncomm size = ");
  output.append(signature.comm_size);
  output.append("; ");
  output.append(operation);
  output.append(" calls = ");
  output.append(signature.calls.size());
  output.append("\n\n");
  for (const Direction direction : {Direction::send, Direction::recv}) {
    output.append(direction == Direction::send ? "### Data sent" : "### Data received");
    output.append(" per rank - Type size: ");
    output.append(side_of(signature, direction).type_size);
    output.append("\n\n");
    if (legacy_text) write_disabled_sections(signature.comm_size, output);
  }
}

}  // namespace

void write_profile_summary(const ProfileSummary& summary, bool legacy_text, support::TextBuffer& output) {
  const std::string operation = summary.operation.name();
  output.append("# Summary\n");
  if (legacy_text || summary.world_size > 0) {
    output.append(world_size_field);
    output.append(summary.world_size);
    output.append("\n");
  }
  if (legacy_text || summary.total_calls > 0) {
    output.append(total_field);
    output.append(operation);
    output.append(" calls = ");
    output.append(summary.total_calls);
    output.append(legacy_text ? " (limit is 0; -1 means no limit)\n" : "\n");
  }
  output.append("# Send/recv ");
  output.append(summary.of_displacements ? "displacements" : "counts");
  output.append(" for ");
  output.append(operation);
  output.append(" operations:\n");
  for (std::size_t number = 0; number < summary.signatures.size(); ++number)
    write_data_set(number, *summary.signatures[number], operation, legacy_text, output);
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
