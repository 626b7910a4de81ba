#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include <plimsoll/collectives/profile.hpp>

#include "collectives/files/findings.hpp"
#include "collectives/model/signature_index.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

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
