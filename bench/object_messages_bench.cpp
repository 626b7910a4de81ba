// Measures messages and elements of collections, with recording, for each MPI.
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
    plimsoll::bench::add_case(program, "exchange_small", 2);
    plimsoll::bench::add_case(program, "exchange_large", 2);
    for (const int ranks : {1, 2}) plimsoll::bench::add_case(program, "local_64_bytes", ranks);
    plimsoll::bench::add_case(program, "remote_64_bytes", 2);
    plimsoll::bench::add_case(program, "one_mib_messages", 2);
    plimsoll::bench::add_case(program, "one_mib_elements", 2);
    plimsoll::bench::add_case(program, "one_mib_elements_returned", 2);
    plimsoll::bench::add_case(program, "memory_per_element", 1);
    for (const int ranks : {1, 2}) plimsoll::bench::add_case(program, "million_elements", ranks);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
