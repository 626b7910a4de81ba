// Runs the same GoogleTest cases on every rank. Rank 0 prints the progress; other ranks print only their
// failures. After each case rank 0 collects all results: a case that fails on any rank also fails on rank 0.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>
#include <string>

namespace {

/// Prints failures immediately, because other ranks may wait for this one forever.
class FailurePrinter : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : rank_(rank) {}

 private:
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    fmt::print(stderr, "rank {}: {}:{}: {}\n", rank_,
               result.file_name() ? result.file_name() : "unknown file", result.line_number(),
               result.message());
  }

  int rank_;
};

class FailureCollector : public testing::EmptyTestEventListener {
 public:
  FailureCollector() { MPI_Comm_dup(MPI_COMM_WORLD, &communicator_); }
  ~FailureCollector() override { MPI_Comm_free(&communicator_); }
  FailureCollector(const FailureCollector&) = delete;
  FailureCollector& operator=(const FailureCollector&) = delete;

 private:
  void OnTestEnd(const testing::TestInfo& info) override {
    const int failed = info.result()->Failed() ? 1 : 0;
    int failed_ranks = 0;  // stays 0 on the other ranks
    MPI_Reduce(&failed, &failed_ranks, 1, MPI_INT, MPI_SUM, 0, communicator_);
    if (failed_ranks > failed) ADD_FAILURE() << "failed on " << failed_ranks - failed << " other rank(s)";
  }

  MPI_Comm communicator_ = MPI_COMM_NULL;  ///< separate, so that messages do not mix with those of tests
};

/// Returns whether the run has the requested number of ranks. A launcher of another MPI starts n separate
/// programs with one rank each, in which most tests pass.
bool has_requested_ranks(int count) {
  const char* requested = std::getenv("PLIMSOLL_TEST_RANKS");
  if (requested == nullptr || std::to_string(count) == requested) return true;
  fmt::print(stderr, "{} rank(s) started, but the test requires {}\n", count, requested);
  return false;
}

int run_tests(int rank) {
  if (RUN_ALL_TESTS() != 0) return EXIT_FAILURE;
  // Only rank 0 returns this code, because the launcher may return the status of any rank.
  const testing::UnitTest& tests = *testing::UnitTest::GetInstance();
  const bool all_skipped = tests.skipped_test_count() == tests.test_to_run_count();
  constexpr int skip_return_code = 77;  // same value as in cmake/PlimsollTest.cmake
  return rank == 0 && all_skipped ? skip_return_code : EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  testing::InitGoogleTest(&argc, argv);
  int rank = 0;
  int count = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &count);

  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailurePrinter(rank));
  }
  auto* collector = new FailureCollector;
  listeners.Append(collector);  // last, so that the printers receive the failures it adds
  const int status = has_requested_ranks(count) ? run_tests(rank) : EXIT_FAILURE;
  delete listeners.Release(collector);  // frees its communicator before MPI is finalised
  MPI_Finalize();
  return status;
}
