#pragma once

#include <string>
#include <vector>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::testing {

/// The numbers of a list such as "0-3, 7".
inline collectives::NumberList numbers(const std::string& text) {
  return *collectives::NumberList::parse(text);
}

/// Counts of each rank, one row each.
inline collectives::CountMatrix counts_of(const std::vector<std::vector<std::int64_t>>& rows) {
  collectives::CountMatrix matrix;
  matrix.columns = static_cast<std::uint32_t>(rows.front().size());
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    matrix.ranks.emplace_back().push_back(rank);
    matrix.counts.insert(matrix.counts.end(), rows[rank].begin(), rows[rank].end());
  }
  return matrix;
}

/// Alltoallv calls in which rank i sends rows[i][j] elements to rank j, and all are received.
inline collectives::Signature alltoallv(const std::vector<std::vector<std::int64_t>>& rows,
                                        std::uint64_t type_size, const std::string& calls) {
  std::vector<std::vector<std::int64_t>> received(rows.front().size(),
                                                  std::vector<std::int64_t>(rows.size()));
  for (std::size_t from = 0; from < rows.size(); ++from)
    for (std::size_t to = 0; to < rows[from].size(); ++to) received[to][from] = rows[from][to];
  collectives::Signature signature;
  signature.comm_size = static_cast<std::uint32_t>(rows.size());
  signature.send = {type_size, {}, counts_of(rows)};
  signature.recv = {type_size, {}, counts_of(received)};
  signature.calls = numbers(calls);
  return signature;
}

/// A communicator of these ranks, and its calls of Alltoallv.
inline collectives::Communicator communicator(std::uint32_t id, const std::string& members,
                                              const std::string& calls = {}) {
  collectives::Communicator result;
  result.id = id;
  result.members = numbers(members);
  if (!calls.empty()) result.calls.push_back({{}, numbers(calls)});
  return result;
}

}  // namespace plimsoll::testing
