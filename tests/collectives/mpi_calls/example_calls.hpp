#pragma once

#include <plimsoll/collectives/mpi_calls.hpp>

namespace plimsoll::collectives {

/// Returns the MPI calls of a run of 10 s on 4 ranks of two nodes. Each rank spends 1 s in MPI_Send at one
/// line; rank 3, which arrives last, spends 1 s in MPI_Allreduce and the others 5 s; rank 0 spends 1 s in
/// MPI_Waitall. Messages go from each rank to the next. Only the waits in MPI_Allreduce were measured.
inline MpiCalls example_calls() {
  MpiCalls calls;
  calls.ranks = {
      {"node0", 10, 7, 4, 1}, {"node0", 10, 6, 4, 1}, {"node1", 10, 6, 4, 1}, {"node1", 10, 2, 0, 1}};
  calls.functions = {{"MPI_Allreduce", {2, 2, 2, 2}, {5, 5, 5, 1}},
                     {"MPI_Send", {3, 3, 3, 0}, {1, 1, 1, 0}},
                     {"MPI_Waitall", {1, 0, 0, 1}, {1, 0, 0, 1}}};
  calls.sites = {{.function = 0,
                  .location = "app(solve+0x10) [0x1010] solve.c:20",
                  .ranks = 4,
                  .calls = 8,
                  .sent_bytes = 64,
                  .received_bytes = 64,
                  .time_s = 16,
                  .max_time_s = 5,
                  .min_time_s = 1,
                  .slowest_rank = 0,
                  .fastest_rank = 3,
                  .longest_call_s = 3,
                  .waited_s = 12},
                 {.function = 1,
                  .location = "app(exchange+0x20) [0x2020] exchange.c:7",
                  .ranks = 3,
                  .calls = 9,
                  .failed_calls = 1,
                  .sent_bytes = 800,
                  .time_s = 3,
                  .max_time_s = 1,
                  .min_time_s = 1,
                  .slowest_rank = 0,
                  .fastest_rank = 0,
                  .longest_call_s = 0.5},
                 {.function = 2,
                  .location = "app(exchange+0x30) [0x2030] exchange.c:9",
                  .ranks = 2,
                  .calls = 2,
                  .received_bytes = 800,
                  .time_s = 2,
                  .max_time_s = 1,
                  .min_time_s = 1,
                  .slowest_rank = 0,
                  .fastest_rank = 0,
                  .longest_call_s = 1}};
  calls.traffic = {{0, 1, 3, 300}, {1, 2, 3, 400}, {2, 3, 2, 100}};
  return calls;
}

}  // namespace plimsoll::collectives
