#include "runtime/recording/object_check.hpp"

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/mpi/sparse_exchange.hpp>
#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

ClaimFindings ObjectCheck::run() {
  checked_version_ = recording_.objects.version();
  return communicator_.all_reduce<&merge_findings>(check_claims(claims_to_check()));
}

std::vector<ObjectClaim> ObjectCheck::own_claims() const {
  using Kind = ObjectClaim::Kind;
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
  const auto ranks = static_cast<std::uint64_t>(communicator_.size());
  std::map<int, mpi::Packer> messages;
  for (const ObjectClaim& claim : own_claims())
    messages[static_cast<int>(support::mix_bits(claim.id) % ranks)].value(claim);
  std::vector<mpi::Parcel> outgoing;
  for (auto& [rank, message] : messages) outgoing.push_back({rank, message.take()});
  std::vector<ObjectClaim> claims;
  for (const mpi::Parcel& parcel : mpi::exchange(communicator_, std::move(outgoing))) {
    mpi::Unpacker message(parcel.bytes);
    while (!message.at_end()) claims.push_back(message.value<ObjectClaim>());
  }
  return claims;
}

}  // namespace plimsoll::runtime
