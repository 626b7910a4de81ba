#include "runtime/recording/object_check.hpp"

#include <mpi.h>

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include <plimsoll/support/mix_bits.hpp>

namespace plimsoll::inline v0_1::runtime {

namespace {

using mpi::check;
using Kind = ObjectClaim::Kind;

/// Claims in the order of the ranks that check them, with the number per rank.
struct SortedClaims {
  std::vector<ObjectClaim> claims;
  std::vector<int> counts;
  std::vector<int> offsets;

  explicit SortedClaims(std::vector<int> claims_per_rank)
      : counts(std::move(claims_per_rank)), offsets(counts.size()) {
    std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
    claims.resize(static_cast<std::size_t>(offsets.back()) + static_cast<std::size_t>(counts.back()));
  }
};

SortedClaims sorted_by_checking_rank(const std::vector<ObjectClaim>& claims, int ranks) {
  const auto checking_rank = [ranks](const ObjectClaim& claim) {
    return support::mix_bits(claim.id) % static_cast<std::uint64_t>(ranks);
  };
  std::vector<int> counts(static_cast<std::size_t>(ranks));
  for (const ObjectClaim& claim : claims) ++counts[checking_rank(claim)];
  SortedClaims sorted(std::move(counts));
  std::vector<int> next = sorted.offsets;
  for (const ObjectClaim& claim : claims)
    sorted.claims[static_cast<std::size_t>(next[checking_rank(claim)]++)] = claim;
  return sorted;
}

}  // namespace

ClaimFindings ObjectCheck::run() {
  checked_version_ = recording_.objects.version();
  return communicator_.all_reduce<&merge_findings>(check_claims(claims_to_check()));
}

std::vector<ObjectClaim> ObjectCheck::own_claims() const {
  std::vector<ObjectClaim> claims;
  const auto claim = [&](std::uint64_t id, Kind kind) { claims.push_back({id, kind, communicator_.rank()}); };
  const ObjectRegistry& objects = recording_.objects;
  for (std::size_t slot = ObjectSlots::first_object; slot < objects.size(); ++slot) {
    if (objects[slot].alive) claim(static_cast<std::uint64_t>(objects[slot].id), Kind::registered);
    if (objects[slot].removed) claim(static_cast<std::uint64_t>(objects[slot].id), Kind::removed);
  }
  for (const EdgeTable::Edge& edge : recording_.edges.edges()) {
    if (edge.messages == 0) continue;
    for (const Endpoint end : {edge.from, edge.to}) {
      const bool is_object = end.kind() == lbdata::EntityKind::object;
      if (is_object && objects.slot_of(ObjectId{end.number()}) == 0) claim(end.number(), Kind::mentioned);
    }
  }
  return claims;
}

std::vector<ObjectClaim> ObjectCheck::claims_to_check() const {
  const SortedClaims mine = sorted_by_checking_rank(own_claims(), communicator_.size());
  std::vector<int> counts(mine.counts.size());
  check(MPI_Alltoall(mine.counts.data(), 1, MPI_INT, counts.data(), 1, MPI_INT, communicator_.handle()),
        "MPI_Alltoall");
  SortedClaims received(std::move(counts));
  MPI_Datatype type = MPI_DATATYPE_NULL;  // one claim, so that counts are below 2^31
  check(MPI_Type_contiguous(sizeof(ObjectClaim), MPI_BYTE, &type), "MPI_Type_contiguous");
  check(MPI_Type_commit(&type), "MPI_Type_commit");
  const int code =
      MPI_Alltoallv(mine.claims.data(), mine.counts.data(), mine.offsets.data(), type, received.claims.data(),
                    received.counts.data(), received.offsets.data(), type, communicator_.handle());
  MPI_Type_free(&type);
  check(code, "MPI_Alltoallv");
  return std::move(received.claims);
}

}  // namespace plimsoll::runtime
