#include "collectives/analysis/typed_rows.hpp"

#include <algorithm>
#include <limits>

namespace plimsoll::PLIMSOLL_ABI::collectives {

std::vector<TypedRow> rows_of(const Signature& signature, const Side& side, std::uint32_t remote_size) {
  std::vector<TypedRow> rows;
  const std::uint32_t n_peers = peers(signature, remote_size);
  for (std::size_t k = 0; k < side.matrix.rows(); ++k) {
    const TypedRow row{side.matrix.row(k), n_peers, side.type_size, side.matrix.ranks[k]};
    if (row.counts.empty()) continue;
    if (side.type_sizes.empty()) {
      rows.push_back(row);
      continue;
    }
    std::map<std::uint64_t, NumberList> ranks_of_size;
    row.ranks.for_each([&](std::uint64_t rank) { ranks_of_size[side.type_sizes[rank]].push_back(rank); });
    for (auto& [size, ranks] : ranks_of_size) rows.push_back({row.counts, n_peers, size, std::move(ranks)});
  }
  return rows;
}

namespace {

Spread bytes_per_rank(const Signature& signature, const Side& side, std::uint32_t remote_size) {
  Spread bytes;
  for (const TypedRow& row : rows_of(signature, side, remote_size)) bytes.add(row.bytes(), row.ranks.size());
  return bytes;
}

/// Adds the bytes that each peer exchanges with the ranks of a side.
void add_bytes_per_peer(const Signature& signature, const Side& side, std::uint32_t remote_size,
                        Spread& bytes) {
  std::vector<std::uint64_t> of_column(side.matrix.columns);
  for (const TypedRow& row : rows_of(signature, side, remote_size))
    for (std::uint32_t column = 0; column < of_column.size(); ++column)
      of_column[column] = add(of_column[column], multiply(row.bytes_of(row.count(column)), row.ranks.size()));
  const std::uint64_t peers_per_column = of_column.size() == 1 ? peers(signature, remote_size) : 1;
  for (const std::uint64_t of_peer : of_column) bytes.add(of_peer, peers_per_column);
}

constexpr std::size_t no_row = std::numeric_limits<std::size_t>::max();

std::vector<std::size_t> row_of_each_rank(const std::vector<TypedRow>& rows, std::uint32_t comm_size) {
  std::vector<std::size_t> row_of(comm_size, no_row);
  for (std::size_t k = 0; k < rows.size(); ++k)
    rows[k].ranks.for_each([&](std::uint64_t rank) {
      if (rank < comm_size) row_of[rank] = k;
    });
  return row_of;
}

std::uint64_t bytes(const TypedRow& row, std::uint32_t peer) {
  return row.bytes_of(row.count(peer));
}

/// Tracks whether all added numbers are equal, and stores the first one.
struct Same {
  bool any = false;
  bool same = true;
  std::uint64_t number = 0;
  void add(std::uint64_t next) {
    same = same && (!any || next == number);
    if (!any) number = next;
    any = true;
  }
};

/// Returns the first rank of `senders` from which the ranks with row `receiving` expect a different number
/// than it sends to any of them.
std::optional<std::uint32_t> first_wrong_sender(const TypedRow& senders, const TypedRow& receiving,
                                                const Same& sent_to_them) {
  if (!sent_to_them.any) return std::nullopt;
  std::optional<std::uint32_t> first;
  senders.ranks.for_each([&](std::uint64_t rank) {
    if (rank >= receiving.peers) return;
    const auto sender = static_cast<std::uint32_t>(rank);
    const bool wrong = !sent_to_them.same || bytes(receiving, sender) != sent_to_them.number;
    if (wrong && (!first || sender < *first)) first = sender;
  });
  return first;
}

bool has_one_number(const std::vector<TypedRow>& rows) {
  return rows.size() == 1 && rows[0].counts.size() == 1;
}

}  // namespace

Spread bytes_per_rank(const Signature& signature, Direction direction, std::uint32_t remote_size) {
  Spread bytes = bytes_per_rank(signature, side_of(signature, direction), remote_size);
  if (remote_size > 0)
    add_bytes_per_peer(signature,
                       side_of(signature, direction == Direction::send ? Direction::recv : Direction::send),
                       remote_size, bytes);
  return bytes;
}

std::uint64_t bytes_of(const Signature& signature, const Side& side, std::uint32_t remote_size) {
  return bytes_per_rank(signature, side, remote_size).sum;
}

std::optional<Mismatch> first_mismatch(const Signature& signature) {
  if (peers(signature) != signature.comm_size) return std::nullopt;
  const std::vector<TypedRow> send = rows_of(signature, signature.send);
  const std::vector<TypedRow> recv = rows_of(signature, signature.recv);
  if (has_one_number(send) && has_one_number(recv)) {
    if (bytes(send[0], 0) == bytes(recv[0], 0)) return std::nullopt;
    return Mismatch{0, 0, bytes(send[0], 0), bytes(recv[0], 0)};
  }
  const std::vector<std::size_t> recv_row = row_of_each_rank(recv, signature.comm_size);

  // All ranks that share a row send the same to rank j. Therefore two checks suffice. First, a send row must
  // contain one number for all ranks that share a receive row. Second, these ranks must receive that number
  // from each rank of the send row.
  std::optional<std::pair<std::uint32_t, std::size_t>> first;  // sender, its row
  std::vector<Same> sent(recv.size());
  for (std::size_t k = 0; k < send.size(); ++k) {
    std::ranges::fill(sent, Same{});
    for (std::uint32_t receiver = 0; receiver < signature.comm_size; ++receiver)
      if (recv_row[receiver] != no_row) sent[recv_row[receiver]].add(bytes(send[k], receiver));
    for (std::size_t r = 0; r < recv.size(); ++r) {
      const auto sender = first_wrong_sender(send[k], recv[r], sent[r]);
      if (sender && (!first || *sender < first->first)) first = {*sender, k};
    }
  }
  if (!first) return std::nullopt;
  const auto [sender, row] = *first;
  for (std::uint32_t receiver = 0; receiver < signature.comm_size; ++receiver) {
    if (recv_row[receiver] == no_row) continue;
    const Mismatch pair{sender, receiver, bytes(send[row], receiver),
                        bytes(recv[recv_row[receiver]], sender)};
    if (pair.sent_bytes != pair.received_bytes) return pair;
  }
  return std::nullopt;
}

}  // namespace plimsoll::collectives
