// Measures the recorder's overhead on one rank: begin/end pairs, messages, phase ends and memory.
#include <benchmark/benchmark.h>
#include <plimsoll.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/runtime.hpp>

#include "common/temporary_folder.hpp"

namespace {

using plimsoll::testing::TemporaryFolder;

using namespace plimsoll::runtime;
using plimsoll::LoadRecorder;

Settings quiet_settings() {
  Settings settings;
  settings.lb_statistics = false;
  settings.lb_quiet = true;
  return settings;
}

std::vector<ObjectHandle> register_objects(LoadRecorder& recorder, std::size_t count) {
  std::vector<ObjectHandle> objects;
  for (std::size_t k = 0; k < count; ++k) {
    objects.push_back(recorder.register_object({.index = {static_cast<std::int64_t>(k)}}));
  }
  return objects;
}

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double size = 0;
  double resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

// Measures the lower limit: the time of a pair's two clock reads.
void two_clock_reads(benchmark::State& state, Clock::Source source) {
  const Clock clock(source);
  for (auto _ : state) {
    benchmark::DoNotOptimize(clock.now());
    benchmark::DoNotOptimize(clock.now());
  }
}
BENCHMARK_CAPTURE(two_clock_reads, timestamp_counter, Clock::Source::timestamp_counter);
BENCHMARK_CAPTURE(two_clock_reads, clock_gettime, Clock::Source::system);

void begin_end(benchmark::State& state, bool system_clock) {
  Settings settings = quiet_settings();
  settings.lb_system_clock = system_clock;
  LoadRecorder recorder(MPI_COMM_WORLD, settings);
  const auto objects = register_objects(recorder, 1000);
  std::size_t next = 0;
  for (auto _ : state) {
    recorder.begin(objects[next]);
    benchmark::ClobberMemory();
    recorder.end(objects[next]);
    next = next + 1 == objects.size() ? 0 : next + 1;
  }
}
BENCHMARK_CAPTURE(begin_end, timestamp_counter, false);
BENCHMARK_CAPTURE(begin_end, clock_gettime, true);

// Measures a pair on a thread other than the recorder's own, which is the thread that constructs it.
void begin_end_on_other_thread(benchmark::State& state) {
  std::unique_ptr<LoadRecorder> recorder;
  std::vector<ObjectHandle> objects;
  std::thread([&] {
    recorder = std::make_unique<LoadRecorder>(MPI_COMM_WORLD, quiet_settings());
    objects = register_objects(*recorder, 1000);
  }).join();
  std::size_t next = 0;
  for (auto _ : state) {
    recorder->begin(objects[next]);
    benchmark::ClobberMemory();
    recorder->end(objects[next]);
    next = next + 1 == objects.size() ? 0 : next + 1;
  }
}
BENCHMARK(begin_end_on_other_thread);

void begin_end_off(benchmark::State& state) {
  LoadRecorder recorder(MPI_COMM_WORLD, quiet_settings());
  const ObjectHandle object = recorder.register_object();
  recorder.instrument(false);
  for (auto _ : state) {
    recorder.begin(object);
    benchmark::ClobberMemory();
    recorder.end(object);
    benchmark::ClobberMemory();
  }
}
BENCHMARK(begin_end_off);

void region_without_profiler(benchmark::State& state) {
  for (auto _ : state) {
    plimsoll_region_begin("solve");
    plimsoll_region_end("solve");
  }
}
BENCHMARK(region_without_profiler);

// Sends one message along each of the given number of edges between random objects, repeatedly. In the first
// round, the edges are new. Later they are known, as in most phases of most programs.
void record_message(benchmark::State& state, bool known) {
  LoadRecorder recorder(MPI_COMM_WORLD, quiet_settings());
  const auto count = static_cast<std::size_t>(state.range(0));
  const auto objects = register_objects(recorder, count / 3);
  std::mt19937_64 random(1);
  std::vector<std::pair<ObjectId, ObjectId>> edges;
  for (std::size_t k = 0; k < count; ++k) {
    edges.emplace_back(recorder.id(objects[random() % objects.size()]),
                       recorder.id(objects[random() % objects.size()]));
  }
  const auto record_all = [&] {
    for (const auto& [from, to] : edges) recorder.record_message(from, to, 64);
  };
  if (known) record_all();
  for (auto _ : state) record_all();
  state.counters["per_message"] =
      benchmark::Counter(static_cast<double>(count),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(record_message, known_edges, true)->Arg(1000)->Arg(100'000)->Arg(1'000'000);
BENCHMARK_CAPTURE(record_message, new_edges, false)->Arg(1000)->Arg(100'000)->Arg(1'000'000)->Iterations(1);

// Measures the program's wait at each phase end with the given number of objects, all of which worked.
// Compression continues in the background during the next phases of the program.
void next_phase(benchmark::State& state, bool write, bool compress) {
  const TemporaryFolder folder;
  Settings settings = quiet_settings();
  settings.lb_data = write;
  settings.lb_data_compress = compress;
  settings.lb_data_dir = folder.path();
  LoadRecorder recorder(MPI_COMM_WORLD, settings);
  const auto objects = register_objects(recorder, static_cast<std::size_t>(state.range(0)));
  const auto work = [&](std::chrono::milliseconds at_least) {
    const auto end = std::chrono::steady_clock::now() + at_least;
    do {
      for (const ObjectHandle object : objects) {
        recorder.begin(object);
        recorder.end(object);
      }
    } while (std::chrono::steady_clock::now() < end);
  };
  constexpr std::chrono::milliseconds compute_time{300};
  for (auto _ : state) {
    work(compress && write ? compute_time : std::chrono::milliseconds(0));
    const auto start = std::chrono::steady_clock::now();
    recorder.next_phase();
    state.SetIterationTime(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  recorder.close();
}
BENCHMARK_CAPTURE(next_phase, nothing_written, false, false)
    ->Arg(100'000)
    ->UseManualTime()
    ->Iterations(20)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(next_phase, plain, true, false)
    ->Arg(100'000)
    ->UseManualTime()
    ->Iterations(20)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(next_phase, compressed, true, true)
    ->Arg(100'000)
    ->UseManualTime()
    ->Iterations(20)
    ->Unit(benchmark::kMillisecond);

// Measures resident memory over 10^4 phases of 1,000 objects with 2,000 edges each. One tenth of the objects
// is replaced at each phase end. The result is the memory at the last phase divided by that at phase 1,000
// (1: constant).
void memory_over_phases(benchmark::State& state) {
  const TemporaryFolder folder;
  Settings settings = quiet_settings();
  settings.lb_data = true;
  settings.lb_data_dir = folder.path();
  for (auto _ : state) {
    LoadRecorder recorder(MPI_COMM_WORLD, settings);
    auto objects = register_objects(recorder, 1000);
    double early = 0;
    for (int phase = 0; phase < 10'000; ++phase) {
      for (std::size_t k = 0; k < objects.size(); ++k) {
        recorder.begin(objects[k]);
        recorder.end(objects[k]);
        const ObjectId id = recorder.id(objects[k]);
        recorder.record_message(id, recorder.id(objects[(k + 1) % objects.size()]), 8);
        recorder.record_message(id, recorder.id(objects[(k + 7) % objects.size()]), 8);
      }
      recorder.next_phase();
      if (phase == 1000) early = resident_bytes();
      for (std::size_t k = static_cast<std::size_t>(phase) % 10; k < objects.size(); k += 10) {
        recorder.remove_object(objects[k]);
        objects[k] = recorder.register_object();
      }
    }
    state.counters["growth"] = resident_bytes() / early;
    state.counters["resident_MB"] = resident_bytes() / 1e6;
    recorder.close();
  }
}
BENCHMARK(memory_over_phases)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace

int main(int argc, char** argv) {
  const plimsoll::mpi::Environment environment(&argc, &argv);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
