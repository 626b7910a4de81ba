// usage: checkpoints_for_ever DIRECTORY MILLISECONDS
// Expects that the directory contains a complete checkpoint, or none. Then replaces it again and again, until
// rank 0 kills itself after this time. With 0 milliseconds, only checks the directory, which must contain a
// checkpoint.
#include <mpi.h>
#include <signal.h>
#include <sys/time.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/support/files.hpp>

#include "objects/checkpoint/checkpoint.hpp"
#include "objects/checkpoint/checkpoint_contents.hpp"

namespace plimsoll::testing {
namespace {

constexpr std::uint64_t elements_per_rank = 5;
constexpr std::size_t bytes_per_element = 300'000;

/// Kills this process after some time, during anything that it does then.
void kill_later(int milliseconds) {
  ::signal(SIGALRM, [](int) { ::raise(SIGKILL); });
  const itimerval timer{{}, {milliseconds / 1000, milliseconds % 1000 * 1000}};
  ::setitimer(ITIMER_REAL, &timer, nullptr);
}

CheckpointContents contents_of(const mpi::Communicator& communicator, int version) {
  CheckpointContents contents;
  const std::uint64_t first = static_cast<std::uint64_t>(communicator.rank()) * elements_per_rank;
  for (std::uint64_t k = first; k < first + elements_per_rank; ++k)
    contents[{0, k}] = state_of(bytes_per_element, k + static_cast<std::uint64_t>(version));
  return contents;
}

void write(const mpi::Communicator& communicator, const std::string& folder, int version) {
  objects::CheckpointWriter writer(communicator, folder, to_bytes(std::to_string(version)));
  add_all(writer, contents_of(communicator, version));
  writer.finish();
}

/// Returns the version of the checkpoint, or -1 if its elements do not have this version.
int version_of(const mpi::Communicator& communicator, const std::string& folder) {
  objects::CheckpointReader reader(communicator, folder);
  CheckpointContents mine;
  collect_all(reader, mine);
  const std::span<const std::byte> text = reader.description();
  const int version = std::stoi(std::string(reinterpret_cast<const char*>(text.data()), text.size()));
  return mine == contents_of(communicator, version) ? version : -1;
}

int run(const std::string& folder, int milliseconds) {
  const mpi::Communicator communicator(MPI_COMM_WORLD);
  const bool is_first = communicator.rank() == 0;
  int version = 0;
  if (milliseconds == 0 || communicator.max(support::identity(folder + "/checkpoint.manifest") ? 1 : 0) == 1)
    version = version_of(communicator, folder);
  if (is_first) std::printf("found version %d\n", version);
  std::fflush(stdout);
  if (version < 0) return 2;
  if (milliseconds == 0) return 0;
  if (is_first) kill_later(milliseconds);
  while (true) write(communicator, folder, ++version);
}

}  // namespace
}  // namespace plimsoll::testing

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int status = 1;
  try {
    if (argc == 3) status = plimsoll::testing::run(argv[1], std::atoi(argv[2]));
  } catch (const std::exception& error) {
    std::printf("failed: %s\n", error.what());
    std::fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
  return status;
}
