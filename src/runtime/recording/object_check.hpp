#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/support/error.hpp>

#include "runtime/recording/recording.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// What one rank knows about an object.
struct ObjectClaim {
  enum class Kind : std::int32_t {
    registered,  ///< the object is registered on the rank
    removed,     ///< the object was removed from the rank in this phase
    mentioned,   ///< the object is an end of a message, and is not registered on the rank
  };
  std::uint64_t id = 0;
  Kind kind = Kind::registered;
  std::int32_t rank = 0;

  friend auto operator<=>(const ObjectClaim&, const ObjectClaim&) = default;
};

/// Contradictions between the claims of all ranks.
struct ClaimFindings {
  static constexpr std::size_t most_named = 3;

  std::uint64_t duplicates = 0;  ///< number of objects that are registered on several ranks
  ObjectClaim first;             ///< the duplicate with the lowest id, on its lowest rank
  ObjectClaim second;            ///< the same object on its second-lowest rank
  std::uint64_t unknown = 0;     ///< number of objects in messages that no rank has registered
  std::array<std::uint64_t, most_named> unknown_ids{};  ///< the lowest of their ids

  /// Returns the error (usage) that names a duplicate, if any.
  std::optional<Error> error(std::int64_t phase) const;
  /// Returns a message about the unknown objects; empty without unknown objects.
  std::string warning(std::int64_t phase) const;
};

/// Checks all claims on a set of objects. Cost: O(n log n).
ClaimFindings check_claims(std::vector<ObjectClaim> claims);

/// Merges `right` into `left`, which is about other objects; for mpi::Communicator::all_reduce.
void merge_findings(ClaimFindings& left, const ClaimFindings& right);

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
  /// Collective: returns the duplicates among migratable objects, the same on all ranks. Their IDs contain
  /// their homes, so that only objects away from home need a message of 16 bytes: none in most programs that
  /// have not migrated objects yet.
  ClaimFindings find_duplicates() const;

 private:
  std::vector<ObjectClaim> own_claims() const;
  std::vector<ObjectClaim> claims_to_check() const;

  const mpi::Communicator& communicator_;
  const Recording& recording_;
  std::uint64_t checked_version_ = 0;  // version of the objects at the last check
};

}  // namespace plimsoll::runtime
