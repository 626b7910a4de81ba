#include <benchmark/benchmark.h>

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <utility>

#include <plimsoll/collectives/files.hpp>

#include "common/temporary_folder.hpp"

// Measures reading and writing the collective profiler's files, in bytes of text per second of CPU time.

namespace {

using plimsoll::testing::TemporaryFolder;

using namespace plimsoll::collectives;
namespace fs = std::filesystem;

/// Returns ten count sets of Alltoallv in which no two ranks have equal count vectors, with counts up to
/// `largest`.
Profile distinct_rows(std::uint32_t ranks, std::int64_t largest) {
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::int64_t> count(0, largest);
  const auto side = [&] {
    Side result{.type_size = 8};
    result.matrix.columns = ranks;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      NumberList alone;
      alone.push_back(rank);
      result.matrix.ranks.push_back(std::move(alone));
      for (std::uint32_t peer = 0; peer < ranks; ++peer) result.matrix.counts.push_back(count(random));
    }
    return result;
  };
  Profile profile;
  profile.world_size = ranks;
  Lead& lead = lead_of(profile, 0, 0);
  for (std::uint64_t call = 0; call < 10; ++call) {
    Signature signature{.operation = {Exchange::alltoallv}, .comm_size = ranks};
    signature.send = side();
    signature.recv = side();
    signature.calls.push_back(call);
    lead.signatures.push_back(std::move(signature));
  }
  return profile;
}

void write_counts_files(benchmark::State& state) {
  const Profile profile = distinct_rows(1024, state.range(0));
  const TemporaryFolder folder;
  for (auto _ : state) write(profile, folder.path(), {.overwrite = true});
  state.SetBytesProcessed(folder.bytes() * static_cast<std::int64_t>(state.iterations()));
}

void read_counts_files(benchmark::State& state) {
  const TemporaryFolder folder;
  write(distinct_rows(1024, state.range(0)), folder.path());
  for (auto _ : state) benchmark::DoNotOptimize(read({folder.path()}));
  state.SetBytesProcessed(folder.bytes() * static_cast<std::int64_t>(state.iterations()));
}

BENCHMARK(write_counts_files)->Arg(9)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(read_counts_files)->Arg(9)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
