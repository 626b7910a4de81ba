// Completes nonblocking and persistent collectives in every way. completions_test.cpp contains the expected
// record of each case, which the first argument selects.
#include <algorithm>
#include <vector>

#include "completing_functions.hpp"
#include "test_program.hpp"

namespace {

/// Numbers to and from all ranks, one for each.
class Exchange {
 public:
  Exchange() : counts_(ranks(), 1), at_(ranks()), sent_(ranks()), received_(ranks()) {
    for (std::size_t peer = 0; peer < ranks(); ++peer) at_[peer] = static_cast<int>(peer);
  }

  void fill(int step) {
    for (std::size_t peer = 0; peer < ranks(); ++peer)
      sent_[peer] = 100 * step + 10 * world_rank + static_cast<int>(peer);
  }
  /// Overwrites the received numbers.
  void forget() { std::ranges::fill(received_, -1); }

  void run() {
    MPI_Alltoallv(sent_.data(), counts_.data(), at_.data(), MPI_INT, received_.data(), counts_.data(),
                  at_.data(), MPI_INT, MPI_COMM_WORLD);
  }
  MPI_Request start() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ialltoallv(sent_.data(), counts_.data(), at_.data(), MPI_INT, received_.data(), counts_.data(),
                   at_.data(), MPI_INT, MPI_COMM_WORLD, &request);
    return request;
  }
  MPI_Request make_persistent() {
    MPI_Request request = MPI_REQUEST_NULL;
    PERSISTENT(Alltoallv_init)
    (sent_.data(), counts_.data(), at_.data(), MPI_INT, received_.data(), counts_.data(), at_.data(), MPI_INT,
     MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    return request;
  }

 private:
  static std::size_t ranks() { return static_cast<std::size_t>(world_size); }

  std::vector<int> counts_, at_, sent_, received_;
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

}  // namespace

int main(int argc, char** argv) {
  run_case(argc, argv, {{"in_every_function", in_every_function}});
}
