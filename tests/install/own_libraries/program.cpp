// usage: program DIRECTORY SETTING...
// Records and balances with Plimsoll in a program that contains other versions of its libraries. Uses the
// settings in YAML, compressed files, the JSON parser, the partitioners, and messages of errors.
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

#include <plimsoll/balance.hpp>
#include <plimsoll/lbdata.hpp>
#include <plimsoll/mpi.hpp>
#include <plimsoll/runtime.hpp>

using namespace plimsoll;

namespace {

void record(int argc, char** argv) {
  runtime::LoadRecorder recorder(argc, argv);
  for (int object = 0; object < 8; ++object) recorder.add_time(recorder.register_object(), 1.0 + object);
  recorder.next_phase();
  recorder.close();
}

void balance_recorded(const std::string& folder) {
  const lbdata::Dataset dataset = lbdata::read(lbdata::find_rank_files({folder})).dataset;
  for (const char* const strategy : {"MetisLB", "ScotchLB", "GreedyLB"}) {
    const auto decision = decide(dataset, balance::StrategySpec::parse(strategy), {});
    std::printf("%s: %d ranks\n", strategy, static_cast<int>(dataset.ranks.size()));
    if (!decision.result.failure.empty()) throw std::runtime_error(decision.result.failure);
  }
}

void expect_error() {
  try {
    balance::StrategySpec::parse("RefineLB(");
  } catch (const Error& error) {
    std::printf("%s\n", error.what());
    return;
  }
  throw std::runtime_error("an invalid strategy was accepted");
}

}  // namespace

int main(int argc, char** argv) {
  const mpi::Environment environment(&argc, &argv);
  if (argc < 2) return 2;
  try {
    record(argc, argv);
    const mpi::Communicator communicator(MPI_COMM_WORLD);
    communicator.barrier();
    if (communicator.rank() == 0) balance_recorded(argv[1]);
    expect_error();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
