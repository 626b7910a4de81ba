#include <algorithm>
#include <optional>

#include "collectives/merging/merge_steps.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// Collects one side of a call from the rows of its ranks.
class SideBuilder {
 public:
  SideBuilder(Operation operation, Direction direction) : operation_(operation), direction_(direction) {}

  void add(std::uint32_t comm_rank, const RankLog& log, const LogRow& row,
           const LogCommunicator& communicator) {
    const LogRow::Side& side = row.side(direction_);
    if (comm_rank == 0) side_.type_size = side.type_size;
    type_sizes_.push_back(side.type_size);
    if (operation_.neighborhood) {
      make_dense(log, row, communicator);
      if (row_of(digest_of<std::int64_t>(dense_), comm_rank))
        rows_.numbers().insert(rows_.numbers().end(), dense_.begin(), dense_.end());
      return;
    }
    if (side.count == 0) return;
    columns_ = side.count;
    if (!row_of(side.digest, comm_rank)) return;
    for (std::uint64_t k = 0; k < side.count; ++k) rows_.numbers().push_back(log.number(row, side, k));
  }

  Side take() {
    if (std::ranges::all_of(type_sizes_, [&](std::uint64_t size) { return size == type_sizes_.front(); }))
      type_sizes_.clear();
    side_.type_sizes = std::move(type_sizes_);
    side_.matrix = rows_.take(columns_);
    return std::move(side_);
  }

 private:
  // Adds one rank to the row with this content. Returns whether the row is new; the caller then adds its
  // numbers. Digests represent rows throughout merging, so that each row in a log is read only once.
  bool row_of(const Digest& digest, std::uint32_t comm_rank) {
    const DistinctRows::Row row =
        rows_.row(digest.low, [&](std::uint32_t position) { return digests_[position] == digest; });
    if (row.is_new) digests_.push_back(digest);
    row.ranks.push_back(comm_rank);
    return row.is_new;
  }

  // Expands a row of neighbours to one number per rank of the communicator. Counts for the same rank are
  // added up. If a rank has several displacements, the first one is kept.
  void make_dense(const RankLog& log, const LogRow& row, const LogCommunicator& communicator) {
    const std::vector<std::uint32_t>& peers =
        direction_ == Direction::send ? communicator.destinations : communicator.sources;
    const LogRow::Side& side = row.side(direction_);
    columns_ = communicator.comm_size;
    dense_.assign(communicator.comm_size, 0);
    if (side.count == 0) return;
    for (std::size_t k = peers.size(); k-- > 0;) {
      const std::int64_t number = log.number(row, side, has_one_count(row) ? 0 : k);
      std::int64_t& entry = dense_[peers[k]];
      entry = row.content == rank_log::Content::displacements
                  ? number
                  : static_cast<std::int64_t>(static_cast<std::uint64_t>(entry) +
                                              static_cast<std::uint64_t>(number));
    }
  }

  bool has_one_count(const LogRow& row) const {
    return row.content == rank_log::Content::counts && operation_.has_one_count(direction_);
  }

  const Operation operation_;
  const Direction direction_;
  Side side_;
  std::vector<std::uint64_t> type_sizes_;
  DistinctRows rows_;
  std::vector<Digest> digests_;  // digests of the distinct rows
  std::uint64_t columns_ = 0;
  std::vector<std::int64_t> dense_;
};

}  // namespace

SignatureFinder::SignatureFinder(std::span<const MemberCalls> members, Operation operation)
    : members_(members), operation_(operation) {
  calls_.reserve(members.size());
  for (const MemberCalls& member : members) calls_.emplace_back(*member.log, *member.calls);
}

std::optional<Signature> SignatureFinder::find(std::uint64_t index) {
  SideBuilder send(operation_, Direction::send);
  SideBuilder recv(operation_, Direction::recv);
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const MemberCalls& member = members_[k];
    const LogRun* run = calls_[k].find(index);
    if (run == nullptr) return std::nullopt;
    const LogRow& row = member.log->rows[run->item];
    send.add(member.comm_rank, *member.log, row, *member.communicator);
    recv.add(member.comm_rank, *member.log, row, *member.communicator);
  }
  return Signature{.operation = operation_,
                   .comm_size = static_cast<std::uint32_t>(members_.size()),
                   .send = send.take(),
                   .recv = recv.take()};
}

}  // namespace plimsoll::collectives
