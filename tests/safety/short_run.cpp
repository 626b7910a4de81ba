// A program that records as many phases as it has ranks, and whose ranks check their partial files. Each file
// has a rank attribute "run", which is unique to the run, and "ranks".
//
//     short_run DIR MILLISECONDS [overwrite]
#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include <plimsoll/runtime/load_recorder.hpp>
#include <plimsoll/runtime/node_lb_data.hpp>
#include <plimsoll/support/files.hpp>

namespace {

using namespace plimsoll;

constexpr int stream_has_gone = 99;

/// Returns the same number on all ranks, and a different one in each run.
std::int64_t unique_number() {
  std::int64_t number = std::chrono::system_clock::now().time_since_epoch().count();
  MPI_Bcast(&number, 1, MPI_INT64_T, 0, MPI_COMM_WORLD);
  return number;
}

void run(const std::string& folder, std::chrono::milliseconds pause, bool overwrite) {
  runtime::Settings settings;
  settings.lb_data = true;
  settings.lb_statistics = false;
  settings.lb_quiet = true;
  settings.lb_data_dir = folder;
  settings.lb_data_overwrite = overwrite;
  runtime::LoadRecorder recorder(MPI_COMM_WORLD, settings);
  const std::string stream = recorder.node_lb_data().path() + ".partial";
  const auto mine = support::identity(stream);
  const auto watch = [&] {
    if (mine && support::identity(stream) == mine) return;
    fmt::print("the stream of a running program has gone\n");
    std::fflush(stdout);
    ::_exit(stream_has_gone);
  };
  const int phases = recorder.rank_count();
  recorder.set_rank_value("run", unique_number());
  recorder.set_rank_value("ranks", std::int64_t{phases});
  const runtime::ObjectHandle object = recorder.register_object();
  for (int phase = 0; phase < phases; ++phase) {
    recorder.add_time(object, 1.0);
    watch();
    std::this_thread::sleep_for(pause / (phases + 1));
    recorder.next_phase();
  }
  watch();
  std::this_thread::sleep_for(pause / (phases + 1));
  watch();
  recorder.close();
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(nullptr, nullptr);
  int status = 0;
  try {
    run(argv[1], std::chrono::milliseconds(std::atoi(argv[2])), argc > 3);
  } catch (const Error& error) {
    fmt::print("{}\n", error.what());
    status = static_cast<int>(error.kind());
  }
  MPI_Finalize();
  return status;
}
