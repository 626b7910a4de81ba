#include "collectives/merging/merged_hashes.hpp"

#include <algorithm>
#include <vector>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// Returns the indices of the lead's calls for which any rank has a hash, ascending.
std::vector<std::uint64_t> hashed_calls(std::span<const MemberCalls> members) {
  std::vector<std::uint64_t> indices;
  for (const MemberCalls& member : members) {
    if (!member.hashes) continue;
    const std::size_t known = indices.size();
    for (const LogHash& hash : *member.hashes)
      if (indices.size() == known || indices.back() != hash.index) indices.push_back(hash.index);
    const auto own = indices.begin() + static_cast<std::ptrdiff_t>(known);
    std::inplace_merge(indices.begin(), own, indices.end());
    indices.erase(std::unique(indices.begin(), indices.end()), indices.end());
  }
  const CallRuns& calls_of_lead = *members.front().calls;
  std::erase_if(indices, [&](std::uint64_t index) { return !calls_of_lead.find(index); });
  return indices;
}

}  // namespace

RankHashes merge_hashes(std::span<const MemberCalls> members, Operation operation, std::uint32_t id) {
  const std::vector<std::uint64_t> indices = hashed_calls(members);
  RankHashes merged = {.operation = operation,
                       .communicator = id,
                       .comm_size = static_cast<std::uint32_t>(members.size()),
                       .calls = {},
                       .values = std::vector<DataHashes>(indices.size() * members.size())};
  for (const std::uint64_t index : indices)
    merged.calls.push_back(members.front().calls->find(index)->id_of(index));
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    if (!members[rank].hashes) continue;
    std::size_t call = 0;
    for (const LogHash& hash : *members[rank].hashes) {
      while (call < indices.size() && indices[call] < hash.index) ++call;
      if (call == indices.size()) break;
      if (indices[call] != hash.index) continue;
      DataHashes& of_rank = merged.values[call * members.size() + rank];
      (hash.direction == Direction::send ? of_rank.sent : of_rank.received) = hash.hash;
    }
  }
  return merged;
}

}  // namespace plimsoll::collectives
