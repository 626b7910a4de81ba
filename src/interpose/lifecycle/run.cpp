#include "interpose/lifecycle/run.hpp"

#include <unistd.h>

#include <climits>
#include <string>

#include <plimsoll/support/internal/process.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

std::string executable() {
  char path[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  return size > 0 ? std::string(path, static_cast<std::size_t>(size)) : "";
}

}  // namespace

collectives::RankIdentity Run::identity() const {
  int size = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  return {.run_id = id,
          .job = options.job,
          .world_rank = static_cast<std::uint32_t>(rank),
          .world_size = static_cast<std::uint32_t>(size),
          .pid = static_cast<std::uint64_t>(getpid()),
          .host = support::host_name(),
          .program = executable()};
}

}  // namespace plimsoll::interpose
