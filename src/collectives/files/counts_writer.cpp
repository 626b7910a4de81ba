#include "collectives/files/counts_writer.hpp"

#include <algorithm>
#include <array>

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

}  // namespace plimsoll::collectives
