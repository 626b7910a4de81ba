// Measures a program whose ranks wait for each other after each of two subphases, for each MPI. The cases
// balance the loads of whole phases ("free"), which are equal from the start, and those of the subphases
// ("synchronised").
#include <benchmark/benchmark.h>

#include <vector>

#include "mpi_case.hpp"

namespace {

const std::vector<plimsoll::bench::MpiCases> programs = {
#include "synchronised_mpis.inc"
};

}  // namespace

int main(int argc, char** argv) {
  for (const auto& program : programs)
    for (const char* subphases : {"free", "synchronised"}) plimsoll::bench::add_case(program, subphases, 2);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
