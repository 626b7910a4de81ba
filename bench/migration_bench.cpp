// Measures planning, the directory and the migration of objects between ranks, for each MPI.
#include <benchmark/benchmark.h>

#include <vector>

#include "mpi_case.hpp"

namespace {

const std::vector<plimsoll::bench::MpiCases> programs = {
#include "migration_mpis.inc"
};

}  // namespace

int main(int argc, char** argv) {
  for (const auto& program : programs) {
    for (const int ranks : {2, 4}) plimsoll::bench::add_case(program, "lookups", ranks);
    plimsoll::bench::add_case(program, "large", 2);
    plimsoll::bench::add_case(program, "small", 2);
    plimsoll::bench::add_case(program, "plan", 4);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
