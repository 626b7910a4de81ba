#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

inline constexpr Operation alltoall{Exchange::alltoall};
inline constexpr Operation alltoallv{Exchange::alltoallv};
inline constexpr Operation alltoallw{Exchange::alltoallw};
inline constexpr Operation allgatherv{Exchange::allgatherv};

using Counts = std::vector<std::vector<std::int64_t>>;

/// Returns the matrix of each rank's counts, with equal rows stored once.
inline CountMatrix matrix_of(const Counts& rows) {
  CountMatrix matrix{.columns = static_cast<std::uint32_t>(rows.front().size())};
  Counts different;
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    const auto row = std::ranges::find(different, rows[rank]);
    if (row == different.end()) {
      different.push_back(rows[rank]);
      matrix.ranks.emplace_back();
      matrix.counts.insert(matrix.counts.end(), rows[rank].begin(), rows[rank].end());
      matrix.ranks.back().push_back(rank);
    } else {
      matrix.ranks[static_cast<std::size_t>(row - different.begin())].push_back(rank);
    }
  }
  return matrix;
}

inline Counts transposed(const Counts& rows) {
  Counts columns(rows.front().size(), std::vector<std::int64_t>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows[i].size(); ++j) columns[j][i] = rows[i][j];
  return columns;
}

inline NumberList calls(const char* text) {
  return *NumberList::parse(text);
}

/// Returns a count set in which each rank sends these counts of elements of one size, and receives the
/// transposed counts.
inline Signature sending(const Counts& send, const char* ids, std::uint64_t type_size = 1,
                         Operation operation = {}) {
  return {.operation = operation,
          .comm_size = static_cast<std::uint32_t>(send.size()),
          .send = {.type_size = type_size, .type_sizes = {}, .matrix = matrix_of(send)},
          .recv = {.type_size = type_size, .type_sizes = {}, .matrix = matrix_of(transposed(send))},
          .calls = calls(ids)};
}

/// Returns a communicator of these ranks of MPI_COMM_WORLD, with its Alltoallv calls.
inline Communicator communicator(std::uint32_t id, const char* members, const char* ids = nullptr) {
  Communicator result{.id = id, .members = calls(members)};
  if (ids != nullptr) result.calls.push_back({{}, calls(ids)});
  return result;
}

/// Returns a profile of calls on MPI_COMM_WORLD, which has the size of the first count set.
inline Profile world_profile(std::vector<Signature> signatures) {
  Profile profile{.world_size = signatures.front().comm_size};
  Lead lead;
  for (const Signature& signature : signatures)
    lead.total_calls[signature.operation.index()] += signature.calls.size();
  lead.signatures = std::move(signatures);
  profile.leads.push_back(std::move(lead));
  return profile;
}

/// Returns a profile of two calls on an inter-communicator of ranks 0 and 3, which send 5 and 6 bytes to rank
/// 1 and receive 7 and 8 bytes. Both groups record each call.
inline Profile inter_communicator_profile() {
  Profile profile{.world_size = 4};
  Signature of_two{.comm_size = 2, .calls = calls("0-1")};
  of_two.send = {1, {}, matrix_of({{5}, {6}})};
  of_two.recv = {1, {}, matrix_of({{7}, {8}})};
  Signature of_one{.comm_size = 1, .calls = calls("4-5")};
  of_one.send = {1, {}, matrix_of({{7, 8}})};
  of_one.recv = {1, {}, matrix_of({{5, 6}})};
  profile.leads = {{.rank = 0, .signatures = {of_two}}, {.rank = 1, .signatures = {of_one}}};
  profile.leads[0].communicators = {communicator(0, "0, 3", "0-1")};
  profile.leads[0].communicators[0].remote_members = calls("1");
  profile.leads[1].communicators = {communicator(0, "1", "4-5")};
  profile.leads[1].communicators[0].remote_members = calls("0, 3");
  return profile;
}

/// Returns all-to-all counts: each of n ranks sends `count` to each rank.
inline Counts uniform(std::size_t n, std::int64_t count) {
  return Counts(n, std::vector<std::int64_t>(n, count));
}

}  // namespace plimsoll::collectives
