// Completes nonblocking and persistent collectives in every way. completions_test.cpp contains the expected
// record of each case, which the first argument selects.
#include <algorithm>
#include <vector>

#include "completing_functions.hpp"
#include "test_program.hpp"

namespace {

/// The same count of numbers from each rank to each rank.
class Exchange {
 public:
  explicit Exchange(int count = 1, MPI_Comm comm = MPI_COMM_WORLD)
      : comm_(comm), sent_counts_(ranks(), count), received_counts_(ranks(), count), at_(ranks()) {
    for (std::size_t peer = 0; peer < ranks(); ++peer) at_[peer] = static_cast<int>(peer) * count;
    sent_.resize(ranks() * static_cast<std::size_t>(count));
    received_.resize(sent_.size());
  }

  void fill(int step) {
    for (std::size_t k = 0; k < sent_.size(); ++k)
      sent_[k] = 100 * step + 10 * world_rank + static_cast<int>(k);
  }
  /// Overwrites the received numbers.
  void forget() { std::ranges::fill(received_, -1); }
  /// Lets rank 1 receive less from rank 0 than rank 0 sends: the call fails.
  void truncate() {
    if (world_rank == 1) --received_counts_[0];
  }

  void run() {
    MPI_Alltoallv(sent_.data(), sent_counts_.data(), at_.data(), MPI_INT, received_.data(),
                  received_counts_.data(), at_.data(), MPI_INT, comm_);
  }
  MPI_Request start() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ialltoallv(sent_.data(), sent_counts_.data(), at_.data(), MPI_INT, received_.data(),
                   received_counts_.data(), at_.data(), MPI_INT, comm_, &request);
    return request;
  }
  MPI_Request make_persistent() {
    MPI_Request request = MPI_REQUEST_NULL;
    PERSISTENT(Alltoallv_init)
    (sent_.data(), sent_counts_.data(), at_.data(), MPI_INT, received_.data(), received_counts_.data(),
     at_.data(), MPI_INT, comm_, MPI_INFO_NULL, &request);
    return request;
  }

 private:
  static std::size_t ranks() { return static_cast<std::size_t>(world_size); }

  MPI_Comm comm_;
  std::vector<int> sent_counts_, received_counts_, at_, sent_, received_;
};

/// Exchanges the same numbers in a blocking, a nonblocking and a persistent collective. A different function
/// completes the latter two in each step, next to a message. The last step completes them by PMPI_Wait.
void in_every_function() {
  Exchange blocking, nonblocking, persistent;
  MPI_Request started = persistent.make_persistent();
  std::vector<CompletingFunction> functions = completing_functions();
  functions.push_back([](int count, MPI_Request* requests) {
    for (int k = 0; k < count; ++k) PMPI_Wait(&requests[k], MPI_STATUS_IGNORE);
  });
  for (int step = 0; step < static_cast<int>(functions.size()); ++step) {
    for (Exchange* exchange : {&blocking, &nonblocking, &persistent}) exchange->fill(step);
    blocking.run();
    MPI_Start(&started);
    MPI_Request requests[] = {started, MPI_REQUEST_NULL, nonblocking.start()};
    MPI_Irecv(nullptr, 0, MPI_BYTE, (world_rank + 1) % world_size, 0, MPI_COMM_WORLD, &requests[1]);
    MPI_Send(nullptr, 0, MPI_BYTE, (world_rank + world_size - 1) % world_size, 0, MPI_COMM_WORLD);
    const CompletingFunction complete = functions[static_cast<std::size_t>(step)];
#if defined(MPICH_VERSION)
    // MPICH 4.0 returns inactive persistent collectives again, and its MPI_Testall fails with active ones.
    constexpr int testall = 5;
    (step == testall ? functions[0] : complete)(1, requests);
    complete(2, requests + 1);
#else
    complete(3, requests);
#endif
    for (Exchange* exchange : {&nonblocking, &persistent}) exchange->forget();
  }
  MPI_Request_free(&started);
}

/// Returns a communicator. MPI returns its errors, and those that concern several communicators.
MPI_Comm comm_with_errors_returned() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  for (MPI_Comm concerned : {comm, MPI_COMM_WORLD, MPI_COMM_SELF})
    MPI_Comm_set_errhandler(concerned, MPI_ERRORS_RETURN);
  return comm;
}

/// The first of two calls fails.
void failed_in_wait() {
  MPI_Comm comm = comm_with_errors_returned();
  Exchange truncated(2, comm);
  truncated.truncate();
  MPI_Request request = truncated.start();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  Exchange other(3, comm);
  request = other.start();
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&comm);
}

/// One of two calls that complete together fails.
void fail_in_waitall(MPI_Status* statuses) {
  MPI_Comm comms[] = {comm_with_errors_returned(), comm_with_errors_returned()};
  Exchange truncated(2, comms[0]);
  Exchange other(3, comms[1]);
  truncated.truncate();
  MPI_Request requests[] = {other.start(), truncated.start()};
  MPI_Waitall(2, requests, statuses);
  MPI_Barrier(MPI_COMM_WORLD);
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

void failed_in_waitall() {
  MPI_Status statuses[2];
  fail_in_waitall(statuses);
}

void failed_in_waitall_without_statuses() {
  fail_in_waitall(MPI_STATUSES_IGNORE);
}

/// A started persistent collective fails.
void failed_after_start() {
  MPI_Comm comm = comm_with_errors_returned();
  Exchange truncated(2, comm);
  truncated.truncate();
  MPI_Request request = truncated.make_persistent();
  MPI_Start(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Request_free(&request);
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  run_case(argc, argv,
           {{"in_every_function", in_every_function},
            {"failed_in_wait", failed_in_wait},
            {"failed_in_waitall", failed_in_waitall},
            {"failed_in_waitall_without_statuses", failed_in_waitall_without_statuses},
            {"failed_after_start", failed_after_start}});
}
