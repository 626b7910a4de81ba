#include "interpose/lifecycle/clock_comparison.hpp"

#include <array>

#include "interpose/lifecycle/binomial_tree.hpp"
#include "interpose/lifecycle/recording.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

constexpr int round_trips = 10;
constexpr int clock_tag = 1;

/// Answer of a parent: its estimate of rank 0's time.
struct Answer {
  std::int64_t time_ns;
  std::int64_t error_ns;
};

std::int64_t local_time_ns() {
  return static_cast<std::int64_t>(now_ns());
}

/// Returns the most accurate comparison of several round trips. The error in the age of the answer is at most
/// half the shortest round trip.
ClockComparison ask(MPI_Comm communicator, int parent) {
  ClockComparison best;
  std::int64_t shortest = INT64_MAX;
  for (int k = 0; k < round_trips; ++k) {
    Answer answer = {};
    const std::int64_t asked = local_time_ns();
    PMPI_Send(nullptr, 0, MPI_BYTE, parent, clock_tag, communicator);
    PMPI_Recv(&answer, sizeof answer, MPI_BYTE, parent, clock_tag, communicator, MPI_STATUS_IGNORE);
    const std::int64_t round_trip = local_time_ns() - asked;
    if (round_trip >= shortest) continue;
    shortest = round_trip;
    const std::int64_t local = asked + round_trip / 2;
    best = {local, answer.time_ns - local, (round_trip + 1) / 2 + answer.error_ns};
  }
  return best;
}

void answer_to(MPI_Comm communicator, int child, const ClockComparison& own) {
  for (int k = 0; k < round_trips; ++k) {
    PMPI_Recv(nullptr, 0, MPI_BYTE, child, clock_tag, communicator, MPI_STATUS_IGNORE);
    const Answer answer = {local_time_ns() + own.offset_ns, own.error_ns};
    PMPI_Send(&answer, sizeof answer, MPI_BYTE, child, clock_tag, communicator);
  }
}

/// Compares the clocks of the communicator's ranks. The parent's offset is known when it answers.
ClockComparison compare_each(MPI_Comm communicator) {
  BinomialTree tree;
  PMPI_Comm_rank(communicator, &tree.rank);
  PMPI_Comm_size(communicator, &tree.size);
  ClockComparison own = {.local_ns = local_time_ns()};
  if (!tree.is_root()) own = ask(communicator, tree.parent());
  tree.for_each_child([&](int child) { answer_to(communicator, child, own); });
  return own;
}

}  // namespace

// The processes of a host read the same clock, which round trips between them would only blur: on a busy host
// they take as long as a process waits for a core.
ClockComparison compare_clocks(MPI_Comm communicator) {
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm first_ranks = MPI_COMM_NULL;
  int rank_on_host = 0;
  PMPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
  PMPI_Comm_rank(host, &rank_on_host);
  PMPI_Comm_split(communicator, rank_on_host == 0 ? 0 : MPI_UNDEFINED, 0, &first_ranks);
  ClockComparison clock;
  if (first_ranks != MPI_COMM_NULL) {
    clock = compare_each(first_ranks);
    PMPI_Comm_free(&first_ranks);
  }
  PMPI_Bcast(&clock, sizeof clock, MPI_BYTE, 0, host);
  PMPI_Comm_free(&host);
  return clock;
}

std::int64_t clock_error_since(const ClockComparison& begin, MPI_Comm communicator) {
  const ClockComparison end = compare_clocks(communicator);
  const std::int64_t drift_ns = end.offset_ns - begin.offset_ns;
  const std::array own = {drift_ns, -drift_ns, begin.error_ns + end.error_ns};
  std::array largest = own;
  PMPI_Reduce(own.data(), largest.data(), static_cast<int>(own.size()), MPI_INT64_T, MPI_MAX, 0,
              communicator);
  const auto [forward_ns, backward_ns, error_ns] = largest;
  return forward_ns + backward_ns + 2 * error_ns;
}

}  // namespace plimsoll::interpose
