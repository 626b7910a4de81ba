#include "runtime/recording/object_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <plimsoll/lbdata/entity.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/mpi/sparse_exchange.hpp>
#include <plimsoll/support/hash.hpp>

#include "runtime/recording/object_registry.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

// Checks the claims on one object, sorted by kind and rank.
ClaimFindings check_object(std::span<const ObjectClaim> claims) {
  ClaimFindings findings;
  if (claims.front().kind == ObjectClaim::Kind::mentioned) {
    findings.unknown = 1;
    findings.unknown_ids[0] = claims.front().id;
  } else if (claims.size() > 1 && claims[1].kind == ObjectClaim::Kind::registered) {
    findings.duplicates = 1;
    findings.first = claims[0];
    findings.second = claims[1];
  }
  return findings;
}

std::size_t named(std::uint64_t unknown) {
  return std::min<std::size_t>(unknown, ClaimFindings::most_named);
}

}  // namespace

std::optional<Error> ClaimFindings::error(std::int64_t phase) const {
  if (duplicates == 0) return std::nullopt;
  const std::string more = duplicates > 1 ? fmt::format(", as are {} more objects", duplicates - 1) : "";
  return support::usage_error(
      fmt::format("{} is registered on rank {} and on rank {} at the end of phase {}{}",
                  name_of(ObjectId{first.id}), first.rank, second.rank, phase, more),
      "call remove_object() on the rank that an object leaves, and use unique numbers for new objects");
}

std::string ClaimFindings::warning(std::int64_t phase) const {
  if (unknown == 0) return {};
  std::vector<std::string> names;
  for (const std::uint64_t id : std::span(unknown_ids).first(named(unknown)))
    names.push_back(name_of(ObjectId{id}));
  const std::string more = unknown > names.size() ? fmt::format(" and {} more", unknown - names.size()) : "";
  return fmt::format(
      "warning: messages in phase {} have a sender or receiver that is not registered on any rank: "
      "{}{}; check the IDs passed to record_message()",
      phase, fmt::join(names, ", "), more);
}

ClaimFindings check_claims(std::vector<ObjectClaim> claims) {
  std::ranges::sort(claims);
  ClaimFindings findings;
  for (auto begin = claims.begin(); begin != claims.end();) {
    const auto end =
        std::find_if(begin, claims.end(), [&](const ObjectClaim& claim) { return claim.id != begin->id; });
    merge_findings(findings, check_object({begin, end}));
    begin = end;
  }
  return findings;
}

void merge_findings(ClaimFindings& left, const ClaimFindings& right) {
  if (left.duplicates == 0 || (right.duplicates > 0 && right.first.id < left.first.id)) {
    left.first = right.first;
    left.second = right.second;
  }
  left.duplicates += right.duplicates;

  std::array<std::uint64_t, 2 * ClaimFindings::most_named> ids{};
  std::ranges::merge(std::span(left.unknown_ids).first(named(left.unknown)),
                     std::span(right.unknown_ids).first(named(right.unknown)), ids.begin());
  left.unknown += right.unknown;
  std::copy_n(ids.begin(), named(left.unknown), left.unknown_ids.begin());
}

ClaimFindings ObjectCheck::run() {
  checked_version_ = recording_.objects.version();
  return communicator_.all_reduce<&merge_findings>(check_claims(claims_to_check()));
}

ClaimFindings ObjectCheck::find_duplicates() const {
  const ObjectRegistry& objects = recording_.objects;
  const int here = communicator_.rank();
  const auto claim_of = [&](ObjectId id) {
    return ObjectClaim{static_cast<std::uint64_t>(id), ObjectClaim::Kind::registered, here};
  };
  std::vector<ObjectClaim> claims;  // on objects whose home is here
  const auto write = [&](mpi::Messages& messages) {
    for (std::size_t slot = ObjectSlots::first_object; slot < objects.size(); ++slot) {
      const auto known = lbdata::decode_identifier(static_cast<std::uint64_t>(objects[slot].id));
      if (!objects[slot].alive || !known || known->kind != lbdata::IdentifierKind::migratable_element)
        continue;
      const int home = static_cast<int>(known->home) % communicator_.size();
      if (home != here) messages[home].value(claim_of(objects[slot].id));
    }
  };
  mpi::exchange_messages(communicator_, write, [&](int, mpi::Unpacker& message) {
    claims.push_back(message.value<ObjectClaim>());
    const ObjectId id{claims.back().id};
    if (objects.find(id)) claims.push_back(claim_of(id));
  });
  std::ranges::sort(claims);
  claims.erase(std::ranges::unique(claims).begin(), claims.end());
  return communicator_.all_reduce<&merge_findings>(check_claims(std::move(claims)));
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
  const auto write = [&](mpi::Messages& messages) {
    for (const ObjectClaim& claim : own_claims())
      messages[static_cast<int>(support::mix_bits(claim.id) % ranks)].value(claim);
  };
  std::vector<ObjectClaim> claims;
  mpi::exchange_messages(communicator_, write, [&](int, mpi::Unpacker& message) {
    claims.push_back(message.value<ObjectClaim>());
  });
  return claims;
}

}  // namespace plimsoll::runtime
