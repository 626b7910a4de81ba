#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <plimsoll/collectives/profile.hpp>

#include "collectives/merging/call_groups.hpp"
#include "collectives/model/signature_index.hpp"

namespace plimsoll::inline v0_1::collectives {

/// The signature of the call of this index, without call ids: rows of all ranks of the communicator, equal
/// ones once. `members` are all of them, by comm_rank. Nothing if one of them does not have that call.
std::optional<Signature> signature_of(std::span<const MemberCalls> members, Operation operation,
                                      std::uint64_t index);

/// The signatures of a lead, each once, whatever communicator it comes from.
class SignatureSet {
 public:
  /// Adds a signature; if it is there already, its calls.
  void add(Signature signature);
  /// In order of operation, then of first call.
  std::vector<Signature> take();

 private:
  std::vector<Signature> signatures_;
  SignatureIndex by_counts_;
};

}  // namespace plimsoll::collectives
