#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/support/error.hpp>

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

}  // namespace plimsoll::runtime
