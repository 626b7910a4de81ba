#include <benchmark/benchmark.h>

#include <cstring>
#include <filesystem>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <plimsoll/collectives/internal/recorder.hpp>

#include "child_process.hpp"
#include "common/temporary_folder.hpp"

// Measures the recording cost per call: time, memory and log bytes. A rank of N ranks passes 2 N numbers per
// Alltoallv call, N sent and N received. Values per number refer to each of these.

namespace {

using plimsoll::testing::TemporaryFolder;

using namespace plimsoll::collectives;

constexpr Operation alltoallv{Exchange::alltoallv};

/// Recorder with one communicator, in a directory that is removed together with it.
struct Recording {
  explicit Recording(std::uint32_t ranks) : recorder({.folder = folder.path()}, {.program = "/opt/app"}) {
    std::vector<std::uint32_t> members(ranks);
    std::iota(members.begin(), members.end(), 0U);
    recorder.add_communicator({.members = members});
  }
  TemporaryFolder folder;
  Recorder recorder;
};

/// Data that an application has for one call.
struct Counts {
  Counts(std::uint32_t ranks, std::int32_t seed) : send(ranks, 1000), recv(ranks, 1000) {
    send.back() = seed;
    recv.back() = seed;
  }
  Row row() const {
    return {.send_type_size = 8,
            .recv_type_size = 8,
            .send = IntegerSpan(send.data(), send.size()),
            .recv = IntegerSpan(recv.data(), recv.size())};
  }
  std::vector<std::int32_t> send;
  std::vector<std::int32_t> recv;
};

void record(Recorder& recorder, const Counts& counts) {
  const Recorder::Call call = recorder.begin_call(0, alltoallv);
  if (call.recorded) recorder.record_counts(call, counts.row());
}

std::vector<Counts> signatures(std::uint32_t ranks, std::int64_t count) {
  std::vector<Counts> result;
  for (std::int64_t k = 0; k < count; ++k) result.emplace_back(ranks, static_cast<std::int32_t>(k));
  return result;
}

/// Returns the numbers of `order` repeatedly.
struct Cycle {
  explicit Cycle(std::vector<std::uint32_t> numbers) : order(std::move(numbers)) {}
  std::uint32_t next() {
    if (at == order.size()) at = 0;
    return order[at++];
  }
  std::vector<std::uint32_t> order;
  std::size_t at = 0;
};

Cycle in_turn(std::int64_t count) {
  std::vector<std::uint32_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0U);
  return Cycle(order);
}

Cycle at_random(std::int64_t count) {
  std::mt19937 random(1);
  std::vector<std::uint32_t> order(1 << 16);
  for (std::uint32_t& number : order)
    number = static_cast<std::uint32_t>(random() % static_cast<unsigned>(count));
  return Cycle(order);
}

/// Measures the physical limit: comparing the given numbers with a copy of them.
void compare_only(benchmark::State& state) {
  const auto given = signatures(static_cast<std::uint32_t>(state.range(0)), state.range(1));
  const auto copies = signatures(static_cast<std::uint32_t>(state.range(0)), state.range(1));
  Cycle cycle = in_turn(state.range(1));
  for (auto _ : state) {
    const std::uint32_t k = cycle.next();
    const std::size_t bytes = given[k].send.size() * sizeof(std::int32_t);
    benchmark::DoNotOptimize(std::memcmp(given[k].send.data(), copies[k].send.data(), bytes));
    benchmark::DoNotOptimize(std::memcmp(given[k].recv.data(), copies[k].recv.data(), bytes));
  }
}

void repeated(benchmark::State& state, Cycle cycle) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  Recording recording(ranks);
  const auto given = signatures(ranks, state.range(1));
  for (int k = 0; k < 1000; ++k) record(recording.recorder, given[cycle.next()]);
  for (auto _ : state) record(recording.recorder, given[cycle.next()]);
  state.counters["bytes per call"] = static_cast<double>(recording.recorder.log_bytes()) /
                                     static_cast<double>(recording.recorder.recorded_calls());
}
void repeated_in_turn(benchmark::State& state) {
  repeated(state, in_turn(state.range(1)));
}
void repeated_at_random(benchmark::State& state) {
  repeated(state, at_random(state.range(1)));
}

void ranks_and_signatures(benchmark::internal::Benchmark* benchmark) {
  benchmark->ArgNames({"ranks", "signatures"})->ArgsProduct({{4, 16, 64, 256, 1024}, {1, 2, 10}});
}
BENCHMARK(compare_only)->Apply(ranks_and_signatures);
BENCHMARK(repeated_in_turn)->Apply(ranks_and_signatures);
BENCHMARK(repeated_at_random)->ArgNames({"ranks", "signatures"})->ArgsProduct({{4, 64, 1024}, {2, 10}});

/// Measures calls whose numbers are equal except for the last two, which is the worst case for comparisons.
void all_different(benchmark::State& state) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  Recording recording(ranks);
  Counts counts(ranks, 0);
  for (auto _ : state) {
    ++counts.send.back();
    --counts.recv.back();
    record(recording.recorder, counts);
  }
  const auto calls = static_cast<double>(recording.recorder.recorded_calls());
  const double numbers = 2.0 * ranks;
  state.counters["bytes per call"] = static_cast<double>(recording.recorder.log_bytes()) / calls;
  state.counters["of 1 us + 6 ns per number"] = benchmark::Counter(
      calls * (1e-6 + 6e-9 * numbers), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(all_different)->ArgName("ranks")->Arg(4)->Arg(16)->Arg(64)->Iterations(400'000);
BENCHMARK(all_different)->ArgName("ranks")->Arg(256)->Arg(1024)->Iterations(30'000);

void times(benchmark::State& state) {
  Recording recording(4);
  const Recorder::Call call = recording.recorder.begin_call(0, alltoallv);
  std::uint64_t now_ns = 0;
  for (auto _ : state) recording.recorder.record_time(call, ++now_ns, 1);
}
BENCHMARK(times)->Iterations(4'000'000);

void repeated_backtraces(benchmark::State& state) {
  Recording recording(4);
  std::vector<void*> frames(16);
  for (int k = 0; k < 16; ++k) frames[k] = reinterpret_cast<char*>(&record) + k;
  for (auto _ : state)
    recording.recorder.record_backtrace(recording.recorder.begin_call(0, alltoallv), frames);
}
BENCHMARK(repeated_backtraces);

/// Measures the peak resident memory of 10^5 different count vectors of 1,024 ranks, of which 64 MiB may be
/// cached.
void memory(benchmark::State& state) {
  Usage usage;
  Usage nothing;
  for (auto _ : state) {
    nothing = run_in_child([] {});
    usage = run_in_child([] {
      Recording recording(1024);
      Counts counts(1024, 0);
      for (int k = 0; k < 100'000; ++k) {
        ++counts.send.back();
        record(recording.recorder, counts);
      }
    });
    state.SetIterationTime(usage.cpu_s);
  }
  state.counters["MiB"] = static_cast<double>(usage.peak_bytes - nothing.peak_bytes) / (1 << 20);
}
BENCHMARK(memory)->Iterations(1)->UseManualTime()->Unit(benchmark::kSecond);

}  // namespace
