#pragma once

#include <cstdint>

#include <plimsoll/mpi/communicator.hpp>

#include "runtime/recording/object_claims.hpp"
#include "runtime/recording/recording.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Checks at the end of a phase that each object is registered on one rank only, and that the objects in
/// messages exist. Each object is checked by the rank that its hash selects.
class ObjectCheck {
 public:
  ObjectCheck(const mpi::Communicator& communicator, const Recording& recording)
      : communicator_(communicator), recording_(recording) {}

  /// Returns whether this rank has added or removed objects since the last run().
  bool is_due() const { return checked_version_ != recording_.objects.version(); }
  /// Collective: returns the findings, the same on all ranks. Sends 16 bytes per object on this rank, and per
  /// edge to or from an object on another rank.
  ClaimFindings run();

 private:
  std::vector<ObjectClaim> own_claims() const;
  std::vector<ObjectClaim> claims_to_check() const;

  const mpi::Communicator& communicator_;
  const Recording& recording_;
  std::uint64_t checked_version_ = 0;  // version of the objects at the last check
};

}  // namespace plimsoll::runtime
