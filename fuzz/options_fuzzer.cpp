// Feeds text to the parser of the interposer's environment variables. The first line is a value of
// PLIMSOLL_PROFILER; the other lines, one each, are values of the collective profiler's and batch systems'
// variables.

#include <cstdlib>
#include <string>
#include <string_view>

#include <plimsoll/support/error.hpp>

#include "interpose/lifecycle/options.hpp"

namespace interpose = plimsoll::interpose;

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  constexpr const char* names[] = {
      "PLIMSOLL_PROFILER",
      "PLIMSOLL_PROFILER_FOLDER",
      "A2A_PROFILING_OUTPUT_DIR",
      "A2A_NUM_CALL_START_PROFILING",
      "A2A_LIMIT_ALLTOALLV_CALLS_ENVVAR",
      "COLLECTIVE_PROFILER_INJECT_DELAY",
      "SLURM_JOB_ID",
  };
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  interpose::Variables variables;
  for (const char* name : names) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    variables[name] = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  try {
    const interpose::Options options = interpose::parse_options(variables);
    if (options.sample == 0 || options.operations.none() || options.folder.empty()) std::abort();
  } catch (const plimsoll::Error&) {
  }
  return 0;
}
