#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "interpose/rules/counted_rules.hpp"
#include "interpose/rules/transfer_rules.hpp"

/// Rules for collectives: the data in the send buffer and in the receive buffer of this rank, as far as they
/// are significant on this rank. An in-place call sends the part of its receive buffer that MPI reads.
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

/// Returns the size of a buffer with a part for each peer: counts and types of the parts may differ.
template <class Counts>
std::uint64_t sum(Counts counts, MPI_Datatype type, int peers) {
  MPI_Count total = 0;
  for (int k = 0; k < peers; ++k) total += counts[k];
  return message_bytes(total, type);
}
template <class Counts>
std::uint64_t sum(Counts counts, MPI_Datatype type, const std::vector<std::uint32_t>& peers) {
  MPI_Count total = 0;
  for (const std::uint32_t k : peers) total += counts[k];
  return message_bytes(total, type);
}
template <class Counts, class Types>
std::uint64_t sum_of_types(Counts counts, const Types& types, int peers) {
  std::uint64_t total = 0;
  for (int k = 0; k < peers; ++k) total += counts[k] == 0 ? 0 : message_bytes(counts[k], types[k]);
  return total;
}
template <class Counts, class Types>
std::uint64_t sum_of_types(Counts counts, const Types& types, const std::vector<std::uint32_t>& peers) {
  std::uint64_t total = 0;
  for (const std::uint32_t k : peers) total += counts[k] == 0 ? 0 : message_bytes(counts[k], types[k]);
  return total;
}

struct Broadcast {
  static void add(ThreadRecord& thread, Transfer& transfer, const void*, MPI_Count count, MPI_Datatype type,
                  int root, MPI_Comm comm, auto&&...) {
    const Members* const members = thread.communicators.find(comm);
    if (!members) return;
    const Role here = role(*members, root);
    if (here.root)
      transfer.sent_bytes += message_bytes(count, type);
    else if (here.other)
      transfer.received_bytes += message_bytes(count, type);
  }
};

struct Reduce {
  static void add(ThreadRecord& thread, Transfer& transfer, const void*, void*, MPI_Count count,
                  MPI_Datatype type, MPI_Op, int root, MPI_Comm comm, auto&&...) {
    const Members* const members = thread.communicators.find(comm);
    if (!members) return;
    const Role here = role(*members, root);
    if (here.other) transfer.sent_bytes += message_bytes(count, type);
    if (here.root) transfer.received_bytes += message_bytes(count, type);
  }
};

struct Allreduce {
  static void add(ThreadRecord&, Transfer& transfer, const void*, void*, MPI_Count count, MPI_Datatype type,
                  auto&&...) {
    transfer.sent_bytes += message_bytes(count, type);
    transfer.received_bytes += message_bytes(count, type);
  }
};

struct Exscan {
  static void add(ThreadRecord& thread, Transfer& transfer, const void*, void*, MPI_Count count,
                  MPI_Datatype type, MPI_Op, MPI_Comm comm, auto&&...) {
    const Members* const members = thread.communicators.find(comm);
    if (!members) return;
    transfer.sent_bytes += message_bytes(count, type);
    if (members->rank > 0) transfer.received_bytes += message_bytes(count, type);
  }
};

struct ReduceScatter {
  static void add(ThreadRecord& thread, Transfer& transfer, const void*, void*, auto counts,
                  MPI_Datatype type, MPI_Op, MPI_Comm comm, auto&&...) {
    const Members* const members = thread.communicators.find(comm);
    if (!members) return;
    transfer.sent_bytes += sum(counts, type, members->size);
    transfer.received_bytes += message_bytes(counts[members->rank], type);
  }
};

struct ReduceScatterBlock {
  static void add(ThreadRecord& thread, Transfer& transfer, const void*, void*, MPI_Count count,
                  MPI_Datatype type, MPI_Op, MPI_Comm comm, auto&&...) {
    const Members* const members = thread.communicators.find(comm);
    if (!members) return;
    transfer.sent_bytes += message_bytes(members->size * count, type);
    transfer.received_bytes += message_bytes(count, type);
  }
};

struct Gather {
  static void add(ThreadRecord& thread, Transfer& transfer, const void* from, MPI_Count send_count,
                  MPI_Datatype send_type, void*, MPI_Count recv_count, MPI_Datatype recv_type, int root,
                  MPI_Comm comm, auto&&...) {
    const Members* const members = thread.communicators.find(comm);
    if (!members) return;
    const Role here = role(*members, root);
    if (here.other)
      transfer.sent_bytes +=
          from == MPI_IN_PLACE ? message_bytes(recv_count, recv_type) : message_bytes(send_count, send_type);
    if (here.root) transfer.received_bytes += message_bytes(members->peers() * recv_count, recv_type);
  }
};

struct Gatherv {
  static void add(ThreadRecord& thread, Transfer& transfer, const void* from, MPI_Count send_count,
                  MPI_Datatype send_type, void*, auto recv_counts, auto, MPI_Datatype recv_type, int root,
                  MPI_Comm comm, auto&&...) {
    const Members* const members = thread.communicators.find(comm);
    if (!members) return;
    const Role here = role(*members, root);
    if (here.other)
      transfer.sent_bytes += from == MPI_IN_PLACE ? message_bytes(recv_counts[members->rank], recv_type)
                                                  : message_bytes(send_count, send_type);
    if (here.root) transfer.received_bytes += sum(recv_counts, recv_type, members->peers());
  }
};

struct Scatter {
  static void add(ThreadRecord& thread, Transfer& transfer, const void*, MPI_Count send_count,
                  MPI_Datatype send_type, const void* to, MPI_Count recv_count, MPI_Datatype recv_type,
                  int root, MPI_Comm comm, auto&&...) {
    const Members* const members = thread.communicators.find(comm);
    if (!members) return;
    const Role here = role(*members, root);
    if (here.root) transfer.sent_bytes += message_bytes(members->peers() * send_count, send_type);
    if (here.other)
      transfer.received_bytes +=
          to == MPI_IN_PLACE ? message_bytes(send_count, send_type) : message_bytes(recv_count, recv_type);
  }
};

struct Scatterv {
  static void add(ThreadRecord& thread, Transfer& transfer, const void*, auto send_counts, auto,
                  MPI_Datatype send_type, const void* to, MPI_Count recv_count, MPI_Datatype recv_type,
                  int root, MPI_Comm comm, auto&&...) {
    const Members* const members = thread.communicators.find(comm);
    if (!members) return;
    const Role here = role(*members, root);
    if (here.root) transfer.sent_bytes += sum(send_counts, send_type, members->peers());
    if (here.other)
      transfer.received_bytes += to == MPI_IN_PLACE ? message_bytes(send_counts[members->rank], send_type)
                                                    : message_bytes(recv_count, recv_type);
  }
};

struct Allgather {
  static void add(ThreadRecord& thread, Transfer& transfer, const void* from, MPI_Count send_count,
                  MPI_Datatype send_type, void*, MPI_Count recv_count, MPI_Datatype recv_type, MPI_Comm comm,
                  auto&&...) {
    const Members* const members = thread.communicators.find(comm);
    if (!members) return;
    transfer.sent_bytes +=
        from == MPI_IN_PLACE ? message_bytes(recv_count, recv_type) : message_bytes(send_count, send_type);
    transfer.received_bytes += message_bytes(members->peers() * recv_count, recv_type);
  }
};

struct Allgatherv : CountedAllgatherv<false> {
  static void add(ThreadRecord& thread, Transfer& transfer, const void* from, MPI_Count send_count,
                  MPI_Datatype send_type, void*, auto recv_counts, auto, MPI_Datatype recv_type,
                  MPI_Comm comm, auto&&...) {
    const Members* const members = thread.communicators.find(comm);
    if (!members) return;
    transfer.sent_bytes += from == MPI_IN_PLACE ? message_bytes(recv_counts[members->rank], recv_type)
                                                : message_bytes(send_count, send_type);
    transfer.received_bytes += sum(recv_counts, recv_type, members->peers());
  }
};

struct Alltoall : CountedAlltoall<false> {
  static void add(ThreadRecord& thread, Transfer& transfer, const void* from, MPI_Count send_count,
                  MPI_Datatype send_type, void*, MPI_Count recv_count, MPI_Datatype recv_type, MPI_Comm comm,
                  auto&&...) {
    const Members* const members = thread.communicators.find(comm);
    if (!members) return;
    const std::uint64_t received = message_bytes(members->peers() * recv_count, recv_type);
    transfer.sent_bytes +=
        from == MPI_IN_PLACE ? received : message_bytes(members->peers() * send_count, send_type);
    transfer.received_bytes += received;
  }
};

struct Alltoallv : CountedExchange<collectives::Exchange::alltoallv, false> {
  static void add(ThreadRecord& thread, Transfer& transfer, const void* from, auto send_counts, auto,
                  MPI_Datatype send_type, void*, auto recv_counts, auto, MPI_Datatype recv_type,
                  MPI_Comm comm, auto&&...) {
    const Members* const members = thread.communicators.find(comm);
    if (!members) return;
    const std::uint64_t received = sum(recv_counts, recv_type, members->peers());
    transfer.sent_bytes += from == MPI_IN_PLACE ? received : sum(send_counts, send_type, members->peers());
    transfer.received_bytes += received;
  }
};

struct Alltoallw : CountedExchange<collectives::Exchange::alltoallw, false> {
  static void add(ThreadRecord& thread, Transfer& transfer, const void* from, auto send_counts, auto,
                  const auto& send_types, void*, auto recv_counts, auto, const auto& recv_types,
                  MPI_Comm comm, auto&&...) {
    const Members* const members = thread.communicators.find(comm);
    if (!members) return;
    const std::uint64_t received = sum_of_types(recv_counts, recv_types, members->peers());
    transfer.sent_bytes +=
        from == MPI_IN_PLACE ? received : sum_of_types(send_counts, send_types, members->peers());
    transfer.received_bytes += received;
  }
};

// Neighbourhood collectives transfer no data beyond the edges of a grid.

struct NeighborAllgather {
  static void add(ThreadRecord& thread, Transfer& transfer, const void*, MPI_Count send_count,
                  MPI_Datatype send_type, void*, MPI_Count recv_count, MPI_Datatype recv_type, MPI_Comm comm,
                  auto&&...) {
    const Members* const members = thread.communicators.find(comm);
    if (!members) return;
    if (!members->destinations.empty()) transfer.sent_bytes += message_bytes(send_count, send_type);
    transfer.received_bytes += message_bytes(recv_count, recv_type) * members->sources.size();
  }
};

struct NeighborAllgatherv : CountedAllgatherv<true> {
  static void add(ThreadRecord& thread, Transfer& transfer, const void*, MPI_Count send_count,
                  MPI_Datatype send_type, void*, auto recv_counts, auto, MPI_Datatype recv_type,
                  MPI_Comm comm, auto&&...) {
    const Members* const members = thread.communicators.find(comm);
    if (!members) return;
    if (!members->destinations.empty()) transfer.sent_bytes += message_bytes(send_count, send_type);
    transfer.received_bytes += sum(recv_counts, recv_type, members->sources);
  }
};

struct NeighborAlltoall : CountedAlltoall<true> {
  static void add(ThreadRecord& thread, Transfer& transfer, const void*, MPI_Count send_count,
                  MPI_Datatype send_type, void*, MPI_Count recv_count, MPI_Datatype recv_type, MPI_Comm comm,
                  auto&&...) {
    const Members* const members = thread.communicators.find(comm);
    if (!members) return;
    transfer.sent_bytes += message_bytes(send_count, send_type) * members->destinations.size();
    transfer.received_bytes += message_bytes(recv_count, recv_type) * members->sources.size();
  }
};

struct NeighborAlltoallv : CountedExchange<collectives::Exchange::alltoallv, true> {
  static void add(ThreadRecord& thread, Transfer& transfer, const void*, auto send_counts, auto,
                  MPI_Datatype send_type, void*, auto recv_counts, auto, MPI_Datatype recv_type,
                  MPI_Comm comm, auto&&...) {
    const Members* const members = thread.communicators.find(comm);
    if (!members) return;
    transfer.sent_bytes += sum(send_counts, send_type, members->destinations);
    transfer.received_bytes += sum(recv_counts, recv_type, members->sources);
  }
};

struct NeighborAlltoallw : CountedExchange<collectives::Exchange::alltoallw, true> {
  static void add(ThreadRecord& thread, Transfer& transfer, const void*, auto send_counts, auto,
                  const auto& send_types, void*, auto recv_counts, auto, const auto& recv_types,
                  MPI_Comm comm, auto&&...) {
    const Members* const members = thread.communicators.find(comm);
    if (!members) return;
    transfer.sent_bytes += sum_of_types(send_counts, send_types, members->destinations);
    transfer.received_bytes += sum_of_types(recv_counts, recv_types, members->sources);
  }
};

}  // namespace plimsoll::interpose::rules
