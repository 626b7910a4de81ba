#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "interpose/handles/communicators.hpp"
#include "interpose/rules/arguments.hpp"
#include "interpose/rules/dependence.hpp"
#include "interpose/rules/transfer_rules.hpp"

/// Rules for collectives: the data in the send buffer and in the receive buffer of this rank, as far as they
/// are significant on this rank. An in-place call sends the part of its receive buffer that MPI reads.
/// `counted` of a rule returns the arguments of a collective whose counts are recorded.
namespace plimsoll::PLIMSOLL_ABI::interpose::rules {

/// Part of this rank in a collective with a root.
struct Role {
  bool root = false;
  bool other = false;  ///< whether it exchanges data with the root; within one group, so does the root
};

inline Role role(const Members& members, int root) {
  if (members.inter) return {root == MPI_ROOT, root != MPI_ROOT && root != MPI_PROC_NULL};
  return {members.rank == root, true};
}

/// Positions of all peers, as a range; signed, so that loops over it are vectorised.
struct AllPeers {
  struct Position {
    int k;
    int operator*() const { return k; }
    Position& operator++() {
      ++k;
      return *this;
    }
    bool operator==(const Position&) const = default;
  };
  std::size_t count;

  Position begin() const { return {0}; }
  Position end() const { return {static_cast<int>(count)}; }
  std::size_t size() const { return count; }
  bool empty() const { return count == 0; }
};

/// Positions of the peers to which this rank sends data, or from which it receives data. Neighbourhood
/// collectives transfer no data beyond the edges of a grid.
template <bool neighborhood>
decltype(auto) destinations(const Members& members) {
  if constexpr (neighborhood)
    return (members.destinations);
  else
    return AllPeers{members.peers()};
}
template <bool neighborhood>
decltype(auto) sources(const Members& members) {
  if constexpr (neighborhood)
    return (members.sources);
  else
    return AllPeers{members.peers()};
}

/// Returns the size of a buffer with a part for each peer: counts, and perhaps types, of the parts differ.
std::uint64_t sum(const auto& counts, const auto& types, const auto& peers) {
  if constexpr (std::is_same_v<decltype(types), const MPI_Datatype&>) {
    MPI_Count total = 0;
    for (const auto k : peers) total += counts[k];
    return message_bytes(total, types);
  } else {
    std::uint64_t total = 0;
    for (const auto k : peers) total += counts[k] == 0 ? 0 : message_bytes(counts[k], types[k]);
    return total;
  }
}

struct Barrier : Nothing, DependsOn<Dependence::among_all> {};

struct Broadcast : DependsOn<Dependence::on_root> {
  static void add(Transfer& transfer, const void*, MPI_Count count, MPI_Datatype type, int root,
                  MPI_Comm comm, auto&&...) {
    const Members* const members = find_communicator(comm);
    if (!members) return;
    const Role here = role(*members, root);
    if (here.root)
      transfer.sent_bytes += message_bytes(count, type);
    else if (here.other)
      transfer.received_bytes += message_bytes(count, type);
  }
};

struct Reduce : DependsOn<Dependence::of_root> {
  static void add(Transfer& transfer, const void*, void*, MPI_Count count, MPI_Datatype type, MPI_Op,
                  int root, MPI_Comm comm, auto&&...) {
    const Members* const members = find_communicator(comm);
    if (!members) return;
    const Role here = role(*members, root);
    if (here.other) transfer.sent_bytes += message_bytes(count, type);
    if (here.root) transfer.received_bytes += message_bytes(count, type);
  }
};

struct Allreduce : DependsOn<Dependence::among_all> {
  static void add(Transfer& transfer, const void*, void*, MPI_Count count, MPI_Datatype type, auto&&...) {
    transfer.sent_bytes += message_bytes(count, type);
    transfer.received_bytes += message_bytes(count, type);
  }
};

struct Scan : DependsOn<Dependence::on_lower> {
  static void add(Transfer& transfer, const auto&... arguments) { Allreduce::add(transfer, arguments...); }
};

struct Exscan : DependsOn<Dependence::on_lower> {
  static void add(Transfer& transfer, const void*, void*, MPI_Count count, MPI_Datatype type, MPI_Op,
                  MPI_Comm comm, auto&&...) {
    const Members* const members = find_communicator(comm);
    if (!members) return;
    transfer.sent_bytes += message_bytes(count, type);
    if (members->rank > 0) transfer.received_bytes += message_bytes(count, type);
  }
};

struct ReduceScatter : DependsOn<Dependence::among_all> {
  static void add(Transfer& transfer, const void*, void*, auto counts, MPI_Datatype type, MPI_Op,
                  MPI_Comm comm, auto&&...) {
    const Members* const members = find_communicator(comm);
    if (!members) return;
    transfer.sent_bytes += sum(counts, type, AllPeers{static_cast<std::size_t>(members->size)});
    transfer.received_bytes += message_bytes(counts[members->rank], type);
  }
};

struct ReduceScatterBlock : DependsOn<Dependence::among_all> {
  static void add(Transfer& transfer, const void*, void*, MPI_Count count, MPI_Datatype type, MPI_Op,
                  MPI_Comm comm, auto&&...) {
    const Members* const members = find_communicator(comm);
    if (!members) return;
    transfer.sent_bytes += message_bytes(members->size * count, type);
    transfer.received_bytes += message_bytes(count, type);
  }
};

struct Gather : DependsOn<Dependence::of_root> {
  static void add(Transfer& transfer, const void* from, MPI_Count send_count, MPI_Datatype send_type, void*,
                  MPI_Count recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm, auto&&...) {
    const Members* const members = find_communicator(comm);
    if (!members) return;
    const Role here = role(*members, root);
    if (here.other)
      transfer.sent_bytes +=
          from == MPI_IN_PLACE ? message_bytes(recv_count, recv_type) : message_bytes(send_count, send_type);
    if (here.root) transfer.received_bytes += message_bytes(members->peers() * recv_count, recv_type);
  }
};

struct Gatherv : DependsOn<Dependence::of_root> {
  static void add(Transfer& transfer, const void* from, MPI_Count send_count, MPI_Datatype send_type, void*,
                  auto recv_counts, auto, MPI_Datatype recv_type, int root, MPI_Comm comm, auto&&...) {
    const Members* const members = find_communicator(comm);
    if (!members) return;
    const Role here = role(*members, root);
    if (here.other)
      transfer.sent_bytes += from == MPI_IN_PLACE ? message_bytes(recv_counts[members->rank], recv_type)
                                                  : message_bytes(send_count, send_type);
    if (here.root) transfer.received_bytes += sum(recv_counts, recv_type, AllPeers{members->peers()});
  }
};

struct Scatter : DependsOn<Dependence::on_root> {
  static void add(Transfer& transfer, const void*, MPI_Count send_count, MPI_Datatype send_type,
                  const void* to, MPI_Count recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm,
                  auto&&...) {
    const Members* const members = find_communicator(comm);
    if (!members) return;
    const Role here = role(*members, root);
    if (here.root) transfer.sent_bytes += message_bytes(members->peers() * send_count, send_type);
    if (here.other)
      transfer.received_bytes +=
          to == MPI_IN_PLACE ? message_bytes(send_count, send_type) : message_bytes(recv_count, recv_type);
  }
};

struct Scatterv : DependsOn<Dependence::on_root> {
  static void add(Transfer& transfer, const void*, auto send_counts, auto, MPI_Datatype send_type,
                  const void* to, MPI_Count recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm,
                  auto&&...) {
    const Members* const members = find_communicator(comm);
    if (!members) return;
    const Role here = role(*members, root);
    if (here.root) transfer.sent_bytes += sum(send_counts, send_type, AllPeers{members->peers()});
    if (here.other)
      transfer.received_bytes += to == MPI_IN_PLACE ? message_bytes(send_counts[members->rank], send_type)
                                                    : message_bytes(recv_count, recv_type);
  }
};

template <bool neighborhood>
using DependsOnPeers = DependsOn<neighborhood ? Dependence::on_neighbors : Dependence::among_all>;

/// Base of the rules for collectives whose counts are recorded. The number of arguments behind the
/// communicator shows the form of the call: none, a request, or info and a request.
template <collectives::Exchange exchange, bool neighborhood>
struct Counted : DependsOnPeers<neighborhood> {
  static Arguments arguments(std::size_t behind_comm, MPI_Comm comm, const Side& send, const Side& recv) {
    return {.operation = {exchange, static_cast<collectives::Mode>(behind_comm), neighborhood},
            .comm = comm,
            .in_place = send.buffer == MPI_IN_PLACE,
            .send = send,
            .recv = recv};
  }
  static collectives::IntegerSpan one(const auto& count) { return collectives::IntegerSpan(&count); }
  static collectives::IntegerSpan all(const auto* counts) { return collectives::IntegerSpan(counts); }
};

/// Rules that have such a base.
template <class Rule>
concept IsCounted = requires {
  &Rule::arguments;
};

template <bool neighborhood>
struct AllgatherOf : DependsOnPeers<neighborhood> {
  static void add(Transfer& transfer, const void* from, MPI_Count send_count, MPI_Datatype send_type, void*,
                  MPI_Count recv_count, MPI_Datatype recv_type, MPI_Comm comm, auto&&...) {
    const Members* const members = find_communicator(comm);
    if (!members) return;
    if (from == MPI_IN_PLACE)
      transfer.sent_bytes += message_bytes(recv_count, recv_type);
    else if (!destinations<neighborhood>(*members).empty())
      transfer.sent_bytes += message_bytes(send_count, send_type);
    transfer.received_bytes += message_bytes(recv_count, recv_type) * sources<neighborhood>(*members).size();
  }
};
using Allgather = AllgatherOf<false>;
using NeighborAllgather = AllgatherOf<true>;

template <bool neighborhood>
struct AllgathervOf : Counted<collectives::Exchange::allgatherv, neighborhood> {
  static Arguments counted(const void* from, const auto& send_count, const MPI_Datatype& send_type,
                           const void* to, const auto* recv_counts, const auto* displacements,
                           const MPI_Datatype& recv_type, MPI_Comm comm, const auto&... more) {
    using Base = Counted<collectives::Exchange::allgatherv, neighborhood>;
    return Base::arguments(sizeof...(more), comm, {from, Base::one(send_count), {}, &send_type},
                           {to, Base::all(recv_counts), Base::all(displacements), &recv_type});
  }
  static void add(Transfer& transfer, const void* from, MPI_Count send_count, MPI_Datatype send_type, void*,
                  auto recv_counts, auto, MPI_Datatype recv_type, MPI_Comm comm, auto&&...) {
    const Members* const members = find_communicator(comm);
    if (!members) return;
    if (from == MPI_IN_PLACE)
      transfer.sent_bytes += message_bytes(recv_counts[members->rank], recv_type);
    else if (!destinations<neighborhood>(*members).empty())
      transfer.sent_bytes += message_bytes(send_count, send_type);
    transfer.received_bytes += sum(recv_counts, recv_type, sources<neighborhood>(*members));
  }
};
using Allgatherv = AllgathervOf<false>;
using NeighborAllgatherv = AllgathervOf<true>;

template <bool neighborhood>
struct AlltoallOf : Counted<collectives::Exchange::alltoall, neighborhood> {
  static Arguments counted(const void* from, const auto& send_count, const MPI_Datatype& send_type,
                           const void* to, const auto& recv_count, const MPI_Datatype& recv_type,
                           MPI_Comm comm, const auto&... more) {
    using Base = Counted<collectives::Exchange::alltoall, neighborhood>;
    return Base::arguments(sizeof...(more), comm, {from, Base::one(send_count), {}, &send_type},
                           {to, Base::one(recv_count), {}, &recv_type});
  }
  static void add(Transfer& transfer, const void* from, MPI_Count send_count, MPI_Datatype send_type, void*,
                  MPI_Count recv_count, MPI_Datatype recv_type, MPI_Comm comm, auto&&...) {
    const Members* const members = find_communicator(comm);
    if (!members) return;
    const std::uint64_t received =
        message_bytes(recv_count, recv_type) * sources<neighborhood>(*members).size();
    transfer.sent_bytes += from == MPI_IN_PLACE ? received
                                                : message_bytes(send_count, send_type) *
                                                      destinations<neighborhood>(*members).size();
    transfer.received_bytes += received;
  }
};
using Alltoall = AlltoallOf<false>;
using NeighborAlltoall = AlltoallOf<true>;

inline Types types_in(const MPI_Datatype& type) {
  return &type;
}
inline Types types_in(const auto& types) {
  return types;
}

/// Covers MPI_Alltoallv, with one type, and MPI_Alltoallw, with one type per peer.
template <collectives::Exchange exchange, bool neighborhood>
struct ExchangeOf : Counted<exchange, neighborhood> {
  static Arguments counted(const void* from, const auto* send_counts, const auto* send_displacements,
                           const auto& send_types, const void* to, const auto* recv_counts,
                           const auto* recv_displacements, const auto& recv_types, MPI_Comm comm,
                           const auto&... more) {
    using Base = Counted<exchange, neighborhood>;
    return Base::arguments(
        sizeof...(more), comm,
        {from, Base::all(send_counts), Base::all(send_displacements), types_in(send_types)},
        {to, Base::all(recv_counts), Base::all(recv_displacements), types_in(recv_types)});
  }
  static void add(Transfer& transfer, const void* from, auto send_counts, auto, const auto& send_types, void*,
                  auto recv_counts, auto, const auto& recv_types, MPI_Comm comm, auto&&...) {
    const Members* const members = find_communicator(comm);
    if (!members) return;
    const std::uint64_t received = sum(recv_counts, recv_types, sources<neighborhood>(*members));
    transfer.sent_bytes +=
        from == MPI_IN_PLACE ? received : sum(send_counts, send_types, destinations<neighborhood>(*members));
    transfer.received_bytes += received;
  }
};
using Alltoallv = ExchangeOf<collectives::Exchange::alltoallv, false>;
using Alltoallw = ExchangeOf<collectives::Exchange::alltoallw, false>;
using NeighborAlltoallv = ExchangeOf<collectives::Exchange::alltoallv, true>;
using NeighborAlltoallw = ExchangeOf<collectives::Exchange::alltoallw, true>;

}  // namespace plimsoll::interpose::rules
