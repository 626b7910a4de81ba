#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include <plimsoll/collectives/profile.hpp>

#include "collectives/files/findings.hpp"
#include "collectives/model/signature_index.hpp"

namespace plimsoll::inline v0_1::collectives {

/// The signatures of a lead, of which each call has one, put together from what files say.
class SignatureCollector {
 public:
  /// Adds a block. The profiler, when told to write in the middle of a run, writes its blocks again at the
  /// end: one that says the same, or the same of more calls, is no contradiction. Another that shares a call
  /// with one before is reported at `line` and left out.
  void add(Signature signature, std::uint64_t line, Findings& findings);
  /// Adds a signature of one call, which is joined to that of others with the same counts.
  void add_call(Signature signature, Findings& findings);

  bool empty() const { return signatures_.empty(); }
  /// In the order added; if calls were added one by one, operation by operation in order of the first call.
  std::vector<Signature> take();

 private:
  /// The last call of a run, by the first, and the signature that has them.
  struct Owner {
    std::uint64_t last;
    std::size_t signature;
  };
  using Owners = std::map<std::uint64_t, Owner>;
  /// What a list of calls has in common with the signatures there are.
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
  SignatureIndex by_counts_;  ///< of those added by add_call()
  bool call_by_call_ = false;
};

}  // namespace plimsoll::collectives
