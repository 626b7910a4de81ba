#include <algorithm>
#include <unordered_map>

#include <plimsoll/collectives/patterns.hpp>
#include <plimsoll/support/hash.hpp>

#include "collectives/analysis/typed_rows.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

std::uint64_t key_of(std::uint64_t rank) {
  return support::mix_bits(rank + 1);
}

/// A set of ranks. The XOR of the ranks' keys identifies it (Zobrist hashing).
struct RankSet {
  std::uint32_t size = 0;
  std::uint64_t key = 0;

  void insert(std::uint64_t rank) { insert(RankSet{1, key_of(rank)}); }
  void insert(const RankSet& others) {
    size += others.size;
    key ^= others.key;
  }
  void erase(std::uint64_t rank) {
    --size;
    key ^= key_of(rank);
  }
};

/// The partners of each rank in one call. The ranks of the other group of an inter-communicator follow those
/// of the group that made the calls.
class Partners {
 public:
  Partners(const Signature& signature, std::uint32_t remote_size)
      : first_peer_(remote_size > 0 ? signature.comm_size : 0),
        one_group_(remote_size == 0 && peers(signature) == signature.comm_size),
        receivers_(signature.comm_size + (remote_size > 0 ? peers(signature, remote_size) : 0)),
        senders_(first_peer_ + peers(signature, remote_size)) {
    for (const TypedRow& row : rows_of(signature, signature.send, remote_size))
      add(row, receivers_, senders_);
    if (remote_size == 0) return;
    for (const TypedRow& row : rows_of(signature, signature.recv, remote_size))
      add(row, senders_, receivers_);
  }

  Structure structure() const {
    Structure result;
    std::uint64_t pairs = 0;
    for (const RankSet& receivers : receivers_) {
      add_degree(receivers, result.senders, result.sends_to);
      pairs += receivers.size;
    }
    for (const RankSet& senders : senders_) add_degree(senders, result.receivers, result.receives_from);
    result.symmetric = is_symmetric();
    result.kind = class_of(result, 4 * pairs >= 3 * possible_pairs());
    return result;
  }

 private:
  /// Adds ranks to the partners of their peers, and the peers to those of the ranks.
  void add(const TypedRow& row, std::vector<RankSet>& of_ranks, std::vector<RankSet>& of_peers) {
    RankSet ranks;
    row.ranks.for_each([&](std::uint64_t rank) { ranks.insert(rank); });
    RankSet partners;
    for (std::uint32_t peer = 0; peer < row.peers; ++peer)
      if (row.count(peer) > 0) {
        partners.insert(first_peer_ + peer);
        of_peers[first_peer_ + peer].insert(ranks);
      }
    row.ranks.for_each([&](std::uint64_t rank) {
      if (rank >= of_ranks.size()) return;
      of_ranks[rank] = partners;
      if (!one_group_ || row.count(static_cast<std::uint32_t>(rank)) == 0) return;
      of_ranks[rank].erase(rank);
      of_peers[rank].erase(rank);
      any_to_itself_ = true;
    });
  }

  static std::uint64_t active(std::span<const RankSet> partners) {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(partners, [](const RankSet& of_rank) { return of_rank.size > 0; }));
  }

  /// Returns the number of pairs if each sender sent to each receiver that may be its partner.
  std::uint64_t possible_pairs() const {
    const std::span<const RankSet> receivers = receivers_;
    const std::span<const RankSet> senders = senders_;
    if (first_peer_ > 0)
      return active(receivers.first(first_peer_)) * active(senders.subspan(first_peer_)) +
             active(receivers.subspan(first_peer_)) * active(senders.first(first_peer_));
    std::uint64_t ranks_that_do_both = 0;
    if (one_group_)
      for (std::size_t rank = 0; rank < receivers_.size(); ++rank)
        ranks_that_do_both += receivers_[rank].size > 0 && senders_[rank].size > 0 ? 1 : 0;
    return active(receivers) * active(senders) - ranks_that_do_both;
  }

  static void add_degree(const RankSet& partners, std::uint32_t& ranks, Degree& degree) {
    if (partners.size == 0) return;
    degree.min = ranks == 0 ? partners.size : std::min(degree.min, partners.size);
    degree.max = std::max(degree.max, partners.size);
    ++ranks;
  }

  bool is_symmetric() const {
    return (one_group_ || first_peer_ > 0) &&
           std::ranges::equal(receivers_, senders_, {}, &RankSet::key, &RankSet::key);
  }

  StructureClass class_of(const Structure& structure, bool has_most_pairs) const {
    if (structure.senders == 0) return any_to_itself_ ? StructureClass::local : StructureClass::empty;
    const bool to_several = structure.sends_to.max > 1;
    const bool from_several = structure.receives_from.max > 1;
    if (!to_several && !from_several)
      return structure.symmetric ? StructureClass::pairwise : StructureClass::shift;
    if (!to_several) return StructureClass::gather;
    if (!from_several) return StructureClass::scatter;
    if (has_most_pairs) return StructureClass::dense;
    if (!structure.symmetric) return StructureClass::irregular;
    return has_separate_groups() ? StructureClass::transpose : StructureClass::halo;
  }

  /// Returns whether each rank has the same set of itself and its partners as each of its partners. This
  /// holds if and only if as many ranks have that set as it has members.
  bool has_separate_groups() const {
    std::unordered_map<std::uint64_t, std::uint32_t> ranks_with_group;
    const auto group_of = [&](std::size_t rank) { return receivers_[rank].key ^ key_of(rank); };
    for (std::size_t rank = 0; rank < receivers_.size(); ++rank)
      if (receivers_[rank].size > 0) ++ranks_with_group[group_of(rank)];
    for (std::size_t rank = 0; rank < receivers_.size(); ++rank)
      if (receivers_[rank].size > 0 && ranks_with_group[group_of(rank)] != receivers_[rank].size + 1)
        return false;
    return true;
  }

  std::size_t first_peer_;  ///< number of the first rank of the other group of an inter-communicator, else 0
  bool one_group_;
  bool any_to_itself_ = false;
  std::vector<RankSet> receivers_;  // ranks to which each rank sends
  std::vector<RankSet> senders_;    // ranks from which each peer receives
};

}  // namespace

Structure structure_of(const Signature& signature, std::uint32_t remote_size) {
  return Partners(signature, remote_size).structure();
}

const char* to_string(StructureClass structure_class) {
  constexpr const char* names[] = {"empty",   "local", "pairwise",  "shift", "gather",
                                   "scatter", "dense", "transpose", "halo",  "irregular"};
  return names[static_cast<std::size_t>(structure_class)];
}

}  // namespace plimsoll::collectives
