#pragma once

#include <mpi.h>

#include <plimsoll/collectives/internal/recorder.hpp>

#include "interpose/rules/arguments.hpp"

/// Bases of the rules for collectives whose counts are recorded. `counted` returns their arguments. The
/// arguments behind the communicator show the form of the call: none, a request, or info and a request.
namespace plimsoll::PLIMSOLL_ABI::interpose::rules {

struct Counted {};

template <bool neighborhood>
struct CountedAlltoall : Counted {
  template <class Count>
  static Arguments counted(const void* from, const Count& send_count, const MPI_Datatype& send_type,
                           const void* to, const Count& recv_count, const MPI_Datatype& recv_type,
                           MPI_Comm comm, const auto&... more) {
    constexpr auto mode = static_cast<collectives::Mode>(sizeof...(more));
    return {.operation = {collectives::Exchange::alltoall, mode, neighborhood},
            .comm = comm,
            .in_place = from == MPI_IN_PLACE,
            .send_buffer = from,
            .send_counts = collectives::IntegerSpan(&send_count),
            .send_types = &send_type,
            .recv_buffer = to,
            .recv_counts = collectives::IntegerSpan(&recv_count),
            .recv_types = &recv_type};
  }
};

template <bool neighborhood>
struct CountedAllgatherv : Counted {
  template <class Count>
  static Arguments counted(const void* from, const Count& send_count, const MPI_Datatype& send_type,
                           const void* to, const Count* recv_counts, const auto* displacements,
                           const MPI_Datatype& recv_type, MPI_Comm comm, const auto&... more) {
    constexpr auto mode = static_cast<collectives::Mode>(sizeof...(more));
    return {.operation = {collectives::Exchange::allgatherv, mode, neighborhood},
            .comm = comm,
            .in_place = from == MPI_IN_PLACE,
            .send_buffer = from,
            .send_counts = collectives::IntegerSpan(&send_count),
            .send_types = &send_type,
            .recv_buffer = to,
            .recv_counts = collectives::IntegerSpan(recv_counts),
            .recv_displacements = collectives::IntegerSpan(displacements),
            .recv_types = &recv_type};
  }
};

inline Types types_in(const MPI_Datatype& type) {
  return &type;
}
inline Types types_in(const auto& types) {
  return types;
}

/// Covers MPI_Alltoallv, with one type, and MPI_Alltoallw, with one type per peer.
template <collectives::Exchange exchange, bool neighborhood>
struct CountedExchange : Counted {
  template <class Count, class Displacement>
  static Arguments counted(const void* from, const Count* send_counts, const Displacement* send_displacements,
                           const auto& send_types, const void* to, const Count* recv_counts,
                           const Displacement* recv_displacements, const auto& recv_types, MPI_Comm comm,
                           const auto&... more) {
    constexpr auto mode = static_cast<collectives::Mode>(sizeof...(more));
    return {.operation = {exchange, mode, neighborhood},
            .comm = comm,
            .in_place = from == MPI_IN_PLACE,
            .send_buffer = from,
            .send_counts = collectives::IntegerSpan(send_counts),
            .send_displacements = collectives::IntegerSpan(send_displacements),
            .send_types = types_in(send_types),
            .recv_buffer = to,
            .recv_counts = collectives::IntegerSpan(recv_counts),
            .recv_displacements = collectives::IntegerSpan(recv_displacements),
            .recv_types = types_in(recv_types)};
  }
};

}  // namespace plimsoll::interpose::rules
