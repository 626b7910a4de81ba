#include <fmt/format.h>

#include "collectives/files/counts_files.hpp"
#include "collectives/files/matrix_builder.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// Reads the counts of one call.
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

}  // namespace

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
