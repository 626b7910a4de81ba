#include <benchmark/benchmark.h>

#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <utility>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/summary.hpp>

#include "child_process.hpp"
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

/// Removes the profile file, or all other files.
void keep_only(bool text, const TemporaryFolder& folder) {
  for (const auto& file : fs::directory_iterator(folder.path()))
    if ((file.path().extension() == ".profile") == text) fs::remove(file.path());
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
  keep_only(true, folder);
  for (auto _ : state) benchmark::DoNotOptimize(read({folder.path()}));
  state.SetBytesProcessed(folder.bytes() * static_cast<std::int64_t>(state.iterations()));
}

/// Orders of the calls of a lead.
enum class Order { cyclic, random };

/// Returns 10^6 calls of 32 ranks: a cycle of 10 count sets, or 10^4 count sets in random order. All ranks
/// receive the bytes that the others send.
Profile many_calls(Order order) {
  constexpr std::uint32_t ranks = 32;
  constexpr std::uint64_t calls = 1'000'000;
  const std::uint64_t sets = order == Order::cyclic ? 10 : 10'000;
  std::mt19937_64 random(1);
  std::vector<NumberList> calls_of_sets(sets);
  if (order == Order::cyclic) {  // as the merge of logs describes it
    for (std::uint64_t set = 0; set < sets; ++set) {
      NumberList first;
      first.push_back(set);
      calls_of_sets[set].append(first, calls / sets, sets);
    }
  } else {
    for (std::uint64_t call = 0; call < calls; ++call)
      calls_of_sets[call < sets ? call : random() % sets].push_back(call);
  }
  Profile profile;
  profile.world_size = ranks;
  Lead& lead = lead_of(profile, 0, 0);
  for (NumberList& ids : calls_of_sets) {
    Signature signature{.operation = {Exchange::alltoallv}, .comm_size = ranks};
    signature.send.matrix.columns = signature.recv.matrix.columns = ranks;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      NumberList alone;
      alone.push_back(rank);
      signature.send.matrix.ranks.push_back(alone);
      signature.recv.matrix.ranks.push_back(alone);
      for (std::uint32_t peer = 0; peer < ranks; ++peer)
        signature.send.matrix.counts.push_back(static_cast<std::int64_t>(random() % 100'000));
    }
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      for (std::uint32_t peer = 0; peer < ranks; ++peer)
        signature.recv.matrix.counts.push_back(signature.send.matrix.counts[peer * ranks + rank]);
    signature.send.type_size = signature.recv.type_size = 8;
    signature.calls = std::move(ids);
    lead.signatures.push_back(std::move(signature));
  }
  Communicator world{.id = 0, .members = NumberList::up_to(ranks)};
  world.calls.push_back({{Exchange::alltoallv}, NumberList::up_to(calls)});
  lead.communicators.push_back(std::move(world));
  return profile;
}

/// Measures a command that summarises these calls, from text files alone and from the profile file alone,
/// each in a separate process.
void read_and_summarize_calls(benchmark::State& state) {
  const TemporaryFolder texts;
  const TemporaryFolder profile_file;
  {
    const Profile profile = many_calls(static_cast<Order>(state.range(0)));
    write(profile, texts.path());
    write(profile, profile_file.path(), {.text = false});
  }
  keep_only(true, texts);
  const auto summarize_files = [](const TemporaryFolder& folder) {
    return run_in_child([&] {
      const ReadResult result = read({folder.path()});
      if (!result.findings.empty() || summarize(result.profile).calls != 1'000'000) _exit(1);
    });
  };
  const auto read_files = [](const TemporaryFolder& folder) {
    return run_in_child([&] { benchmark::DoNotOptimize(read({folder.path()})); });
  };
  Usage from_text;
  Usage from_profile;
  Usage reading_text;
  Usage reading_profile;
  for (auto _ : state) {
    from_text = summarize_files(texts);
    from_profile = summarize_files(profile_file);
    reading_text = read_files(texts);
    reading_profile = read_files(profile_file);
    state.SetIterationTime(from_profile.cpu_s);
  }
  state.counters["text_MB"] = 1e-6 * static_cast<double>(texts.bytes());
  state.counters["profile_MB"] = 1e-6 * static_cast<double>(profile_file.bytes());
  state.counters["text_s"] = from_text.cpu_s;
  state.counters["text_read_s"] = reading_text.cpu_s;
  state.counters["profile_read_s"] = reading_profile.cpu_s;
  state.counters["times_faster"] = from_text.cpu_s / from_profile.cpu_s;
  state.counters["times_faster_read"] = reading_text.cpu_s / reading_profile.cpu_s;
  state.counters["times_smaller"] =
      static_cast<double>(texts.bytes()) / static_cast<double>(profile_file.bytes());
  state.counters["text_MiB"] = static_cast<double>(from_text.peak_bytes >> 20);
  state.counters["peak_MiB"] = static_cast<double>(from_profile.peak_bytes >> 20);
}
BENCHMARK(read_and_summarize_calls)
    ->ArgName("random_order")
    ->Arg(static_cast<int>(Order::cyclic))
    ->Arg(static_cast<int>(Order::random))
    ->UseManualTime()
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);

BENCHMARK(write_counts_files)->Arg(9)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(read_counts_files)->Arg(9)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
