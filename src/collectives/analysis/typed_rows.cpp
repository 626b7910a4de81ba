#include "collectives/analysis/typed_rows.hpp"

#include <map>

#include "collectives/analysis/saturate.hpp"

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
  for (const TypedRow& row : rows_of(signature, side, remote_size)) {
    std::uint64_t elements = 0;
    row.for_each_count(
        [&](std::uint64_t count, std::uint32_t peers) { elements = add(elements, multiply(count, peers)); });
    bytes.add(multiply(elements, row.type_size), row.ranks.size());
  }
  return bytes;
}

/// Adds the bytes that each peer exchanges with the ranks of a side.
void add_bytes_per_peer(const Signature& signature, const Side& side, std::uint32_t remote_size,
                        Spread& bytes) {
  std::vector<std::uint64_t> of_column(side.matrix.columns);
  for (const TypedRow& row : rows_of(signature, side, remote_size))
    for (std::uint32_t column = 0; column < of_column.size(); ++column)
      of_column[column] =
          add(of_column[column], multiply(multiply(row.count(column), row.type_size), row.ranks.size()));
  const std::uint64_t peers_per_column = of_column.size() == 1 ? peers(signature, remote_size) : 1;
  for (const std::uint64_t of_peer : of_column) bytes.add(of_peer, peers_per_column);
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

}  // namespace plimsoll::collectives
