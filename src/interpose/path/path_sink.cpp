#include "interpose/path/path_sink.hpp"

#include <array>

#include <plimsoll/support/internal/text.hpp>

#include "interpose/lifecycle/recording.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

bool follows_regions = false;

}  // namespace

bool start_path(const Run& run, collectives::SumsFile* file) {
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  PMPI_Allreduce(MPI_IN_PLACE, &level, 1, MPI_INT, MPI_MAX, run.comm);  // levels are ordered
  if (level == MPI_THREAD_MULTIPLE) {
    if (run.rank == 0)
      support::say(
          "the critical path is not recorded: threads may call MPI at the same time (MPI_THREAD_MULTIPLE)");
    return false;
  }
  follows_regions = level < MPI_THREAD_SERIALIZED;
  detail::path =
      new CriticalPath(run.comm, WaitTable({file, collectives::rank_sums::Kind::waits, 0}), follows_regions);
  return true;
}

PathResult finish_path(const Run& run) {
  CriticalPath* const path = current_path();
  path->finish();
  std::array<std::int64_t, 2> values = {static_cast<std::int64_t>(path->unknown()), path->clock().time_ns()};
  PMPI_Allreduce(MPI_IN_PLACE, values.data(), 2, MPI_INT64_T, MPI_MAX, run.comm);
  return {.waits = path->waits(),
          .unknown = static_cast<CriticalPath::Unknown>(values[0]),
          .ideal_ns = values[1],
          .ideal_times = path->clock().parts(),
          .follows_regions = follows_regions};
}

}  // namespace plimsoll::interpose
