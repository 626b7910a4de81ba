#pragma once

#include <mpi.h>

#include <concepts>
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

/// Calls use(side, others...) with the side that the first arguments of a collective describe.
auto with_side(auto&& use, const void* buffer, const std::integral auto& count, const MPI_Datatype& type,
               const auto&... others) {
  return use(Side{.buffer = buffer,
                  .counts = collectives::IntegerSpan(&count),
                  .displacements = {},
                  .types = type,
                  .has_one_count = true},
             others...);
}
auto with_side(auto&& use, const void* buffer, const auto* counts, const auto* displacements,
               const auto& types, const auto&... others) {
  return use(Side{.buffer = buffer,
                  .counts = collectives::IntegerSpan(counts),
                  .displacements = collectives::IntegerSpan(displacements),
                  .types = types},
             others...);
}

/// Calls use(send, recv, others...) with both sides that the first arguments describe.
auto with_sides(auto&& use, const auto&... arguments) {
  return with_side(
      [&](const Side& send, const auto&... behind_send) {
        return with_side([&](const Side& recv, const auto&... others) { return use(send, recv, others...); },
                         behind_send...);
      },
      arguments...);
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
    const Side parts = {.counts = collectives::IntegerSpan(counts), .displacements = {}, .types = type};
    transfer.sent_bytes += parts.bytes_of(Peers{static_cast<std::size_t>(members->size)});
    transfer.received_bytes += parts.bytes_of(members->rank);
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

/// MPI_Gather and MPI_Gatherv.
struct Gather : DependsOn<Dependence::of_root> {
  static void add(Transfer& transfer, const auto&... arguments) {
    const auto add = [&](const Side& send, const Side& recv, int root, MPI_Comm comm, const auto&...) {
      const Members* const members = find_communicator(comm);
      if (!members) return;
      const Role here = role(*members, root);
      if (here.other)
        transfer.sent_bytes += (send.buffer == MPI_IN_PLACE ? recv : send).bytes_of(members->rank);
      if (here.root) transfer.received_bytes += recv.bytes_of(members->all_peers());
    };
    with_sides(add, arguments...);
  }
};

/// MPI_Scatter and MPI_Scatterv.
struct Scatter : DependsOn<Dependence::on_root> {
  static void add(Transfer& transfer, const auto&... arguments) {
    const auto add = [&](const Side& send, const Side& recv, int root, MPI_Comm comm, const auto&...) {
      const Members* const members = find_communicator(comm);
      if (!members) return;
      const Role here = role(*members, root);
      if (here.root) transfer.sent_bytes += send.bytes_of(members->all_peers());
      if (here.other)
        transfer.received_bytes += (recv.buffer == MPI_IN_PLACE ? send : recv).bytes_of(members->rank);
    };
    with_sides(add, arguments...);
  }
};

/// MPI_Allgather and MPI_Allgatherv.
template <bool neighborhood>
struct GathersOnAll {
  static void add(Transfer& transfer, const auto&... arguments) {
    const auto add = [&](const Side& send, const Side& recv, MPI_Comm comm, const auto&...) {
      const Members* const members = find_communicator(comm);
      if (!members) return;
      if (send.buffer == MPI_IN_PLACE)
        transfer.sent_bytes += recv.bytes_of(members->rank);
      else if (members->destinations_of(neighborhood).count > 0)
        transfer.sent_bytes += send.bytes_of(members->rank);
      transfer.received_bytes += recv.bytes_of(members->sources_of(neighborhood));
    };
    with_sides(add, arguments...);
  }
};

/// MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw.
template <bool neighborhood>
struct ExchangesAmongAll {
  static void add(Transfer& transfer, const auto&... arguments) {
    const auto add = [&](const Side& send, const Side& recv, MPI_Comm comm, const auto&...) {
      const Members* const members = find_communicator(comm);
      if (!members) return;
      const std::uint64_t received = recv.bytes_of(members->sources_of(neighborhood));
      transfer.received_bytes += received;
      transfer.sent_bytes +=
          send.buffer == MPI_IN_PLACE ? received : send.bytes_of(members->destinations_of(neighborhood));
    };
    with_sides(add, arguments...);
  }
};

template <bool neighborhood>
using DependsOnPeers = DependsOn<neighborhood ? Dependence::on_neighbors : Dependence::among_all>;

/// Base of the rules for collectives whose counts are recorded.
struct HasCounts {};
template <class Rule>
concept IsCounted = std::is_base_of_v<HasCounts, Rule>;

/// The number of arguments behind the communicator shows the form of the call: none, a request, or info and a
/// request.
template <collectives::Exchange exchange, bool neighborhood>
struct Counted : HasCounts, DependsOnPeers<neighborhood> {
  static Arguments counted(const auto&... arguments) {
    const auto all = [](const Side& send, const Side& recv, MPI_Comm comm, const auto&... behind_comm) {
      constexpr auto mode = static_cast<collectives::Mode>(sizeof...(behind_comm));
      return Arguments{.operation = {exchange, mode, neighborhood},
                       .comm = comm,
                       .in_place = send.buffer == MPI_IN_PLACE,
                       .send = send.buffer == MPI_IN_PLACE ? recv : send,
                       .recv = recv};
    };
    return with_sides(all, arguments...);
  }
};

struct Allgather : DependsOnPeers<false>, GathersOnAll<false> {};
struct Allgatherv : Counted<collectives::Exchange::allgatherv, false>, GathersOnAll<false> {};
struct Alltoall : Counted<collectives::Exchange::alltoall, false>, ExchangesAmongAll<false> {};
struct Alltoallv : Counted<collectives::Exchange::alltoallv, false>, ExchangesAmongAll<false> {};
struct Alltoallw : Counted<collectives::Exchange::alltoallw, false>, ExchangesAmongAll<false> {};
struct NeighborAllgather : DependsOnPeers<true>, GathersOnAll<true> {};
struct NeighborAllgatherv : Counted<collectives::Exchange::allgatherv, true>, GathersOnAll<true> {};
struct NeighborAlltoall : Counted<collectives::Exchange::alltoall, true>, ExchangesAmongAll<true> {};
struct NeighborAlltoallv : Counted<collectives::Exchange::alltoallv, true>, ExchangesAmongAll<true> {};
struct NeighborAlltoallw : Counted<collectives::Exchange::alltoallw, true>, ExchangesAmongAll<true> {};

}  // namespace plimsoll::interpose::rules
