#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/internal/rank_log.hpp>
#include <plimsoll/support/json_text.hpp>

#include "collectives/files/findings.hpp"
#include "collectives/model/distinct_rows.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Combines the content of files into the signatures of a lead. Each call belongs to one signature.
class SignatureCollector {
 public:
  /// Adds a block. If a program makes the collective profiler write in the middle of a run, the profiler
  /// writes these blocks again at the end. Therefore a block with the same content, or with the same content
  /// and more calls, is valid. A different block that contains an earlier block's call is reported at `line`
  /// and skipped.
  void add(Signature signature, std::uint64_t line, Findings& findings) {
    const Overlap overlap = overlap_with(signature);
    if (overlap.calls == 0) {
      signatures_.push_back(std::move(signature));
      own(signatures_.size() - 1, signatures_.back().calls);
      return;
    }
    const Signature& there = signatures_[overlap.signature];
    if (!overlap.with_several && same_counts(there, signature)) {
      if (overlap.calls == signature.calls.size()) return;
      if (overlap.calls == there.calls.size()) {
        replace_calls(overlap.signature, std::move(signature.calls));
        return;
      }
    }
    findings.add(Severity::error, line,
                 fmt::format("{} call {} appeared earlier with different counts", signature.operation.name(),
                             overlap.first_call),
                 "the first counts are kept; check whether files of several runs are mixed");
  }

  /// Adds the signature of one call, or merges it into an existing signature with the same counts.
  void add_call(Signature signature, Findings& findings) {
    call_by_call_ = true;
    if (overlap_with(signature).calls > 0) return add(std::move(signature), 0, findings);
    const NumberList calls = signature.calls;
    own(by_counts_.add(signatures_, std::move(signature)), calls);
  }

  /// Adds the blocks of a file, with their lines, as add() does. O(runs log(blocks)), without memory for the
  /// calls, if they are the first ones and have no call in common.
  void add_all(std::vector<std::pair<Signature, std::uint64_t>>&& blocks, Findings& findings) {
    if (signatures_.empty() && are_disjoint(blocks)) {
      for (auto& [signature, line] : blocks) signatures_.push_back(std::move(signature));
      are_owned_ = false;
      return;
    }
    for (auto& [signature, line] : blocks) add(std::move(signature), line, findings);
  }

  bool empty() const { return signatures_.empty(); }
  /// Returns the signatures in the order in which they were added. If calls were added one by one, they are
  /// sorted by operation and first call.
  std::vector<Signature> take() {
    if (call_by_call_) {
      std::ranges::stable_sort(signatures_, {}, [](const Signature& signature) {
        return std::pair(signature.operation.index(), signature.calls.min());
      });
    }
    return std::move(signatures_);
  }

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

  static bool are_disjoint(const std::vector<std::pair<Signature, std::uint64_t>>& blocks) {
    std::array<std::vector<const NumberList*>, Operation::count> lists;
    for (const auto& [signature, line] : blocks)
      lists[signature.operation.index()].push_back(&signature.calls);
    return std::ranges::none_of(lists, [](const auto& of_operation) {
      return NumberList::first_duplicate(of_operation).has_value();
    });
  }

  void own_all() {
    for (std::size_t k = 0; k < signatures_.size(); ++k) own(k, signatures_[k].calls);
    are_owned_ = true;
  }

  Owners& owners(const Signature& signature) { return owners_[signature.operation.index()]; }
  Overlap overlap_with(const Signature& signature) {
    if (!are_owned_) own_all();
    const Owners& owned = owners(signature);
    Overlap overlap;
    for (const NumberList::Run& run : signature.calls.runs()) {
      auto next = owned.upper_bound(run.first);
      if (next != owned.begin() && std::prev(next)->second.last >= run.first) --next;
      for (; next != owned.end() && next->first <= run.last; ++next) {
        const std::uint64_t first = std::max(run.first, next->first);
        if (overlap.calls == 0) {
          overlap.first_call = first;
          overlap.signature = next->second.signature;
        }
        overlap.with_several |= next->second.signature != overlap.signature;
        overlap.calls += std::min(run.last, next->second.last) - first + 1;
      }
    }
    return overlap;
  }

  void own(std::size_t signature, const NumberList& calls) {
    Owners& owned = owners(signatures_[signature]);
    for (const NumberList::Run& run : calls.runs()) owned[run.first] = {run.last, signature};
  }

  void replace_calls(std::size_t signature, NumberList calls) {
    Owners& owned = owners(signatures_[signature]);
    for (const NumberList::Run& run : signatures_[signature].calls.runs())
      owned.erase(owned.lower_bound(run.first), owned.upper_bound(run.last));
    own(signature, calls);
    signatures_[signature].calls = std::move(calls);
  }

  std::vector<Signature> signatures_;
  std::array<Owners, Operation::count> owners_;  ///< complete if `are_owned_`
  bool are_owned_ = true;
  SignatureIndex by_counts_;  ///< index of signatures added by add_call()
  bool call_by_call_ = false;
};

/// The largest accepted call ID. Later IDs in a run still fit into 64 bits.
inline constexpr std::uint64_t largest_id = UINT64_MAX / 2;

using rank_log::Content;

/// A block of a send-counters, recv-counters, send-displs or recv-displs file: one side of some calls.
struct CountsBlock {
  std::uint64_t line = 0;  ///< line where the block begins
  Operation operation;
  std::uint32_t comm_size = 0;
  NumberList calls;
  Side side;
};

/// Reads the blocks of a send-counters, recv-counters, send-displs or recv-displs file (format version 9).
/// Accepts the variants that occur in versions of the collective profiler and in its documentation: lists
/// with and without spaces, a second colon after the ranks, and spaces and empty lines anywhere. A malformed
/// block is skipped and becomes a finding. The range after "calls" is not used, because the collective
/// profiler writes wrong ranges.
std::vector<CountsBlock> read_counts(std::string_view text, Content content, Budget& budget,
                                     Findings& findings);

/// Describes an error in the sizes of the two matrices; empty if they are correct.
std::string size_problem(const Signature& signature);

/// Combines the send and receive sides of the same calls. Block n of one file is paired with block n of the
/// other. If their calls differ, block n is paired with the block that has the same calls. A block without a
/// partner is reported and skipped.
void pair_blocks(std::vector<CountsBlock> send, std::vector<CountsBlock> recv, Content content,
                 Findings& send_findings, Findings& recv_findings, SignatureCollector& signatures);

/// Writes a send-counters, recv-counters, send-displs or recv-displs file (format version 9), with one block
/// per signature. With legacy_text, writes the text of the collective profiler, including its errors.
/// The ranges of calls in that text begin at the first call selected for recording, and their length is the
/// number of calls. Equal rows of Alltoall are listed separately.
void write_counts(const std::vector<Signature>& signatures, Content content, Direction direction,
                  const WriteOptions& options, support::TextBuffer& output);

/// Reads the file of one call. If the file name does not contain the operation, the operation is inferred
/// from the rows if possible; see told_by_rows(). Errors become findings; the function then returns nothing.
std::optional<Signature> read_call_counts(std::string_view text, std::optional<Operation> operation,
                                          std::uint64_t call, Budget& budget, Findings& findings);

/// Infers the operation from counts. On several ranks, it is Alltoall if every send row and every receive row
/// has only one number. It is Allgatherv if only the send rows have one number. Otherwise it is Alltoallv.
Operation told_by_rows(const Signature& signature);

/// Content of a profile_<operation>_job<J>.rank<L>.md file about the calls of one operation.
struct ProfileSummary {
  Operation operation;
  std::uint64_t world_size = 0;   ///< 0 if unknown
  std::uint64_t total_calls = 0;  ///< including calls that are not recorded; 0 if unknown
  bool of_displacements = false;
  std::vector<const Signature*> signatures;
};

/// Reads the values that counts files do not contain: the size of MPI_COMM_WORLD and the number of calls.
/// Missing values are 0. Never fails, because no other data depend on these values.
ProfileSummary read_profile_summary(std::string_view text, Operation operation);

}  // namespace plimsoll::collectives
