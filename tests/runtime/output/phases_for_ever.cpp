// Runs PHASES phases at full speed, until it is killed or the disk is full. After each next_phase(), every
// rank writes the number of finished phases to a separate file.
//
//     phases_for_ever DIR KIND stop|go_on PHASES [MAX_FILE_BYTES]
//
// KIND is plain, br, br_single or statistics. With "statistics", it also writes statistics, which need more
// space than the LB data. KIND may contain "identical", to elide phases with the same placement, which
// changes in every 7th phase, and "spec", to write only the phases that DIR/spec selects: br_identical,
// plain_spec_identical.
#include <fcntl.h>
#include <fmt/format.h>
#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

#include <plimsoll/runtime/load_recorder.hpp>
#include <plimsoll/support/files.hpp>

namespace {

using namespace plimsoll::runtime;

void limit_files(const char* max_bytes) {
  const rlimit limit{std::strtoull(max_bytes, nullptr, 10), RLIM_INFINITY};
  ::setrlimit(RLIMIT_FSIZE, &limit);
}

void run(const std::string& folder, Settings settings, std::int64_t phases) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  settings.lb_data_dir = folder;
  settings.lb_statistics_dir = folder;
  settings.sink = [](std::string_view line) { fmt::print(stderr, "said: {}\n", line); };
  const std::string done = folder + "/done." + std::to_string(rank);
  const plimsoll::support::Descriptor done_file(::open(done.c_str(), O_CREAT | O_WRONLY, 0600));
  LoadRecorder recorder(MPI_COMM_WORLD, settings);
  for (int k = 0; k < 40; ++k) recorder.register_object({.index = {k, rank}});
  ObjectHandle guest;
  while (recorder.phase() < phases) {
    if (settings.lb_data_elide_identical && recorder.phase() % 7 == 0) {
      if (guest) recorder.remove_object(guest);
      guest = guest ? ObjectHandle() : recorder.register_object({.number = 1000});
    }
    recorder.next_phase();
    const std::array<std::int64_t, 2> words = {::getpid(), recorder.phase()};
    if (::pwrite(done_file.number(), words.data(), sizeof words, 0) != sizeof words) std::abort();
  }
  recorder.close();
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  const std::string kind = argv[2];  // single: compressed by the thread that calls MPI
  const auto has = [&kind](const char* word) { return kind.find(word) != std::string::npos; };
  const int level = has("single") ? MPI_THREAD_SINGLE : MPI_THREAD_FUNNELED;
  MPI_Init_thread(nullptr, nullptr, level, &provided);
  int status = 0;
  try {
    Settings settings;
    settings.lb_data = true;
    settings.lb_statistics = has("statistics");
    settings.lb_statistics_compress = false;
    settings.lb_statistics_freq = 1;
    settings.lb_data_elide_identical = has("identical") || has("statistics");
    settings.lb_spec = has("spec");
    if (settings.lb_spec) settings.lb_spec_file = std::string(argv[1]) + "/spec";
    settings.lb_quiet = true;
    settings.lb_data_compress = !has("plain");
    if (std::string(argv[3]) == "go_on") settings.lb_data_on_write_error = OnWriteError::go_on;
    if (argc > 5) limit_files(argv[5]);
    run(argv[1], settings, std::atoll(argv[4]));
  } catch (const plimsoll::Error& error) {
    fmt::print(stderr, "thrown: {}\n", error.what());
    status = static_cast<int>(error.kind());
  }
  MPI_Finalize();
  return status;
}
