// usage: recorded_calls test | send | nested | region, with libplimsoll-profiler preloaded
// Prints the CPU time in ns that recording adds per call: the time of calls by their MPI names minus that of
// the same calls by their PMPI names, which are not recorded. `test` calls MPI_Test without a request. `send`
// calls MPI_Send to this rank itself, and receives the message. `nested` is `test` below seven more
// functions. `region` begins and ends a region: the time of both.
#include <dlfcn.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <limits>
#include <string_view>

namespace {

double cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

constexpr int calls = 20'000;
constexpr int turns = 50;

template <class Call>
double time_of(Call&& call) {
  const double begin = cpu_ns();
  for (int k = 0; k < calls; ++k) call();
  return (cpu_ns() - begin) / calls;
}

/// Returns the difference of the minimum times per call, because other programs disturb some turns.
template <class Recorded, class Unrecorded>
double added_ns(Recorded&& recorded, Unrecorded&& unrecorded) {
  double with = std::numeric_limits<double>::infinity();
  double without = with;
  for (int turn = 0; turn < turns; ++turn) {
    with = std::min(with, time_of(recorded));
    without = std::min(without, time_of(unrecorded));
  }
  return with - without;
}

double time_of_region() {
  using Mark = void (*)(const char*);
  const auto find = [](const char* name) { return reinterpret_cast<Mark>(dlsym(RTLD_DEFAULT, name)); };
  const Mark begin = find("plimsoll_profiler_begin_region");
  const Mark end = find("plimsoll_profiler_end_region");
  return added_ns([&] { begin("solve"), end("solve"); }, [] {});
}

/// Makes a call through `depth` functions.
template <int depth, class Call>
[[gnu::noinline]] void nested(const Call& call) {
  if constexpr (depth == 0)
    call();
  else
    nested<depth - 1>(call);
  asm volatile("");  // keeps the compiler from replacing the call by a jump
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  MPI_Init(&argc, &argv);
  const std::string_view mode = argv[1];
  MPI_Request request = MPI_REQUEST_NULL;
  int flag = 0;
  char byte = 0;
  char received = 0;
  // MPICH blocks in a send to itself until the receive has been posted.
  const auto receive = [&](const auto& send) {
    PMPI_Irecv(&received, 1, MPI_BYTE, 0, 1, MPI_COMM_SELF, &request);
    send();
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
  };
  const auto send = [&] { MPI_Send(&byte, 1, MPI_BYTE, 0, 1, MPI_COMM_SELF); };
  const auto send_unrecorded = [&] { PMPI_Send(&byte, 1, MPI_BYTE, 0, 1, MPI_COMM_SELF); };
  const auto test = [&] { MPI_Test(&request, &flag, MPI_STATUS_IGNORE); };
  const auto test_unrecorded = [&] { PMPI_Test(&request, &flag, MPI_STATUS_IGNORE); };
  const double ns = mode == "region" ? time_of_region()
                    : mode == "send" ? added_ns([&] { receive(send); }, [&] { receive(send_unrecorded); })
                    : mode == "nested"
                        ? added_ns([&] { nested<7>(test); }, [&] { nested<7>(test_unrecorded); })
                        : added_ns(test, test_unrecorded);
  std::printf("%g\n", ns);
  MPI_Finalize();
}
