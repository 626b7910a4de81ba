#include <algorithm>
#include <unordered_map>
#include <vector>

#include <plimsoll/collectives/structure.hpp>
#include <plimsoll/support/mix_bits.hpp>

#include "collectives/analysis/typed_rows.hpp"

namespace plimsoll::inline v0_1::collectives {

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

/// The partners of each rank in one call.
class Partners {
 public:
  explicit Partners(const Signature& signature)
      : one_group_(peers(signature) == signature.comm_size),
        receivers_(signature.comm_size),
        senders_(peers(signature)) {
    for (const TypedRow& row : rows_of(signature, signature.send)) add(row);
  }

  Structure structure() const {
    Structure result;
    std::uint64_t pairs = 0;
    std::uint64_t ranks_that_do_both = 0;
    for (const RankSet& receivers : receivers_) {
      add_degree(receivers, result.senders, result.sends_to);
      pairs += receivers.size;
    }
    for (const RankSet& senders : senders_) add_degree(senders, result.receivers, result.receives_from);
    if (one_group_)
      for (std::size_t rank = 0; rank < receivers_.size(); ++rank)
        ranks_that_do_both += receivers_[rank].size > 0 && senders_[rank].size > 0 ? 1 : 0;
    result.symmetric = is_symmetric();
    const std::uint64_t possible_pairs =
        std::uint64_t{result.senders} * result.receivers - ranks_that_do_both;
    result.kind = class_of(result, 4 * pairs >= 3 * possible_pairs);
    return result;
  }

 private:
  void add(const TypedRow& row) {
    RankSet ranks;
    row.ranks.for_each([&](std::uint64_t rank) { ranks.insert(rank); });
    RankSet receivers;
    for (std::uint32_t peer = 0; peer < row.peers; ++peer)
      if (row.count(peer) > 0) {
        receivers.insert(peer);
        senders_[peer].insert(ranks);
      }
    row.ranks.for_each([&](std::uint64_t rank) {
      if (rank >= receivers_.size()) return;
      receivers_[rank] = receivers;
      if (!one_group_ || row.count(static_cast<std::uint32_t>(rank)) == 0) return;
      receivers_[rank].erase(rank);
      senders_[rank].erase(rank);
      any_to_itself_ = true;
    });
  }

  static void add_degree(const RankSet& partners, std::uint32_t& ranks, Degree& degree) {
    if (partners.size == 0) return;
    degree.min = ranks == 0 ? partners.size : std::min(degree.min, partners.size);
    degree.max = std::max(degree.max, partners.size);
    ++ranks;
  }

  bool is_symmetric() const {
    return one_group_ && std::ranges::equal(receivers_, senders_, {}, &RankSet::key, &RankSet::key);
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

  bool one_group_;
  bool any_to_itself_ = false;
  std::vector<RankSet> receivers_;  // ranks to which each rank sends
  std::vector<RankSet> senders_;    // ranks from which each peer receives
};

}  // namespace

Structure structure_of(const Signature& signature) {
  return Partners(signature).structure();
}

const char* to_string(StructureClass structure_class) {
  switch (structure_class) {
    case StructureClass::empty: return "empty";
    case StructureClass::local: return "local";
    case StructureClass::pairwise: return "pairwise";
    case StructureClass::shift: return "shift";
    case StructureClass::gather: return "gather";
    case StructureClass::scatter: return "scatter";
    case StructureClass::dense: return "dense";
    case StructureClass::transpose: return "transpose";
    case StructureClass::halo: return "halo";
    case StructureClass::irregular: return "irregular";
  }
  return "";
}

}  // namespace plimsoll::collectives
