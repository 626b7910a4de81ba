// Measures the messages of collections of objects between two ranks, for each MPI.
#include <benchmark/benchmark.h>

#include <vector>

#include "mpi_case.hpp"

namespace {

const std::vector<plimsoll::bench::MpiCases> programs = {
#include "object_messages_mpis.inc"
};

}  // namespace

int main(int argc, char** argv) {
  for (const auto& program : programs) {
    plimsoll::bench::add_case(program, "small", 2);
    plimsoll::bench::add_case(program, "large", 2);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
