// Measures a particle kernel with two species on two ranks, for each MPI, with timers per block ("timers"),
// and with loads inferred from the time of the rank ("inferred").
#include <benchmark/benchmark.h>

#include <vector>

#include "mpi_case.hpp"

namespace {

const std::vector<plimsoll::bench::MpiCases> programs = {
#include "species_mpis.inc"
};

}  // namespace

int main(int argc, char** argv) {
  for (const auto& program : programs)
    for (const char* loads : {"timers", "inferred"}) plimsoll::bench::add_case(program, loads, 2);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
