#include "interpose/path/path_sink.hpp"

#include <array>

#include <plimsoll/support/internal/text.hpp>

#include "interpose/lifecycle/recording.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

CriticalPath* path = nullptr;
std::int64_t offset_ns = 0;
bool follows_regions = false;

}  // namespace

bool start_path(const Run& run, std::int64_t clock_offset_ns, collectives::SumsFile* file) {
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  PMPI_Allreduce(MPI_IN_PLACE, &level, 1, MPI_INT, MPI_MAX, run.comm);  // levels are ordered
  if (level == MPI_THREAD_MULTIPLE) {
    if (run.rank == 0)
      support::say(
          "the critical path is not recorded: threads may call MPI at the same time (MPI_THREAD_MULTIPLE)");
    return false;
  }
  offset_ns = clock_offset_ns;
  follows_regions = level < MPI_THREAD_SERIALIZED;
  path = new CriticalPath(run.comm, WaitTable({file, collectives::rank_sums::Kind::waits, 0}),
                          follows_regions);  // never destroyed, because callbacks of MPI_Finalize follow
  return true;
}

void begin_path() {
  path->begin(shared_time_ns(now_ns()), detail::shared_run_begin_ns);
}

CriticalPath* current_path() {
  return path;
}

std::int64_t shared_time_ns(std::uint64_t own_ns) {
  return static_cast<std::int64_t>(own_ns) + offset_ns;
}

PathResult finish_path(const Run& run) {
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
