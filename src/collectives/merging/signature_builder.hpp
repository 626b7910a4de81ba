#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <plimsoll/collectives/profile.hpp>

#include "collectives/merging/call_groups.hpp"
#include "collectives/model/signature_index.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Returns the signature of the call with this index, without call IDs. It contains the rows of all ranks of
/// the communicator; equal rows are stored once. `members` are all ranks of the communicator, sorted by
/// comm_rank. Returns nothing if a member did not record the call.
std::optional<Signature> signature_of(std::span<const MemberCalls> members, Operation operation,
                                      std::uint64_t index);

/// The distinct signatures of a lead, regardless of their communicators.
class SignatureSet {
 public:
  /// Adds a signature; if it already exists, adds only its calls.
  void add(Signature signature);
  /// Returns the signatures in order of operation, then of first call.
  std::vector<Signature> take();

 private:
  std::vector<Signature> signatures_;
  SignatureIndex by_counts_;
};

}  // namespace plimsoll::collectives
