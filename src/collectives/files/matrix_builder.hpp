#pragma once

#include <array>
#include <map>

#include "collectives/files/findings.hpp"
#include "collectives/model/distinct_rows.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Whether the numbers in rows may be negative.
enum class Sign : std::uint8_t { not_negative, any };

/// Builds a CountMatrix from rows of text and validates it: rows must have equal length, and each rank of the
/// communicator must be in exactly one row. Equal rows are merged. O(numbers); can build many matrices one
/// after another.
class MatrixBuilder {
 public:
  explicit MatrixBuilder(Budget& budget) : budget_(budget) {}

  /// Discards the current rows and begins a matrix. Throws Malformed for an impossible number of ranks.
  void begin(std::uint64_t comm_size, Sign sign, std::uint64_t line);
  /// Adds a row; `numbers` are separated by spaces. Throws Malformed with `line`.
  void add_row(const NumberList& ranks, std::string_view numbers, std::uint64_t line);
  bool empty() const { return ranks_seen_.empty(); }
  /// Returns the matrix. Throws Malformed with the line of the invalid row, or with `end_line` if ranks lack
  /// a row.
  CountMatrix finish(std::uint64_t end_line);

 private:
  /// Ranks that share a row, and the row's line.
  struct Ranks {
    NumberList::Run run;
    std::uint64_t line;
  };

  void check_ranks(std::uint64_t end_line) const;

  Budget& budget_;
  std::uint64_t comm_size_ = 0;
  Sign sign_ = Sign::not_negative;
  std::size_t columns_ = 0;
  DistinctRows rows_;
  std::vector<Ranks> ranks_seen_;
};

/// Combines the content of files into the signatures of a lead. Each call belongs to one signature.
class SignatureCollector {
 public:
  /// Adds a block. If a program makes the collective profiler write in the middle of a run, the profiler
  /// writes these blocks again at the end. Therefore a block with the same content, or with the same content
  /// and more calls, is valid. A different block that contains an earlier block's call is reported at `line`
  /// and skipped.
  void add(Signature signature, std::uint64_t line, Findings& findings);
  /// Adds the signature of one call, or merges it into an existing signature with the same counts.
  void add_call(Signature signature, Findings& findings);

  bool empty() const { return signatures_.empty(); }
  /// Returns the signatures in the order in which they were added. If calls were added one by one, they are
  /// sorted by operation and first call.
  std::vector<Signature> take();

 private:
  /// Value of a map whose key is the first call of a run: the last call of the run, and the signature of
  /// these calls.
  struct Owner {
    std::uint64_t last;
    std::size_t signature;
  };
  using Owners = std::map<std::uint64_t, Owner>;
  /// Overlap of a list of calls with the existing signatures.
  struct Overlap {
    std::uint64_t calls = 0;
    std::uint64_t first_call = 0;
    std::size_t signature = 0;
    bool with_several = false;
  };

  Owners& owners(const Signature& signature) { return owners_[signature.operation.index()]; }
  Overlap overlap_with(const Signature& signature);
  void own(std::size_t signature, const NumberList& calls);
  void replace_calls(std::size_t signature, NumberList calls);

  std::vector<Signature> signatures_;
  std::array<Owners, Operation::count> owners_;
  SignatureIndex by_counts_;  ///< index of signatures added by add_call()
  bool call_by_call_ = false;
};

}  // namespace plimsoll::collectives
