#include "interpose/lifecycle/options.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <utility>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

using collectives::Exchange;
using collectives::Operation;

namespace {

// Variables of the collective profiler, each with a note for users who set it.
constexpr std::pair<const char*, const char*> variables_without_effect[] = {
    {"A2A_COMMIT_PROFILER_DATA_AT", "every call is logged immediately"},
    {"A2A_RELEASE_RESOURCES_AFTER_DATA_COMMIT", "memory use is always bounded"},
    {"COLLECTIVE_PROFILER_CHECK_SEND_BUFF",
     "content-hash in PLIMSOLL_PROFILER records hashes of both the sent and the received data"},
    {"COLLECTIVE_PROFILER_MAX_CALL_CHECK_BUFF_CONTENT",
     "content-hash in PLIMSOLL_PROFILER records all calls, or N calls with limit=N"},
    {"DUMP_CALL_DATA", "content-hash in PLIMSOLL_PROFILER records hashes of the data, not the data"},
};

constexpr std::pair<const char*, Exchange> limit_variables[] = {
    {"A2A_LIMIT_ALLTOALLV_CALLS_ENVVAR", Exchange::alltoallv},
    {"A2A_LIMIT_ALLTOALL_CALLS_ENVVAR", Exchange::alltoall},
    {"ALLGATHERV_LIMIT_CALLS_ENVVAR", Exchange::allgatherv},
};

std::uint64_t number_of(const char* variable, const std::string& text) {
  if (const auto number = support::parse_number<std::uint64_t>(text)) return *number;
  throw support::usage_error(fmt::format("invalid value {} for {}", support::in_quotes(text), variable),
                             "expected an integer >= 0");
}

/// Lookup of environment variables that are set.
class Lookup {
 public:
  explicit Lookup(const Variables& variables) : variables_(variables) {}
  /// Returns the value of a variable; nothing if it is unset or empty.
  const std::string* operator[](const char* name) const {
    const auto found = variables_.find(name);
    return found == variables_.end() || found->second.empty() ? nullptr : &found->second;
  }

 private:
  const Variables& variables_;
};

std::optional<Options::Window> window_of(const Lookup& variables) {
  Options::Window window;
  window.limits.fill(UINT64_MAX);
  const auto* const first = variables["A2A_NUM_CALL_START_PROFILING"];
  if (first) window.first = number_of("A2A_NUM_CALL_START_PROFILING", *first);
  bool limited = false;
  for (const auto& [name, exchange] : limit_variables)
    if (const auto* limit = variables[name]; limit && *limit != "-1") {
      limited = true;
      for (std::size_t k = 0; k < Operation::count; ++k)
        if (Operation::at(k).exchange == exchange) window.limits[k] = number_of(name, *limit);
    }
  return first || limited ? std::optional(window) : std::nullopt;
}

/// Sets limits for the window, which selects calls by their number on the lead. This number is never smaller
/// than the number on the communicator, so all calls are recorded until the window ends.
void set_limits(Options& options) {
  options.limits.fill(options.limit.value_or(UINT64_MAX));
  if (!options.window) return;
  for (std::size_t k = 0; k < Operation::count; ++k)
    if (__builtin_add_overflow(options.window->first, options.window->limits[k], &options.limits[k]))
      options.limits[k] = UINT64_MAX;
}

void read_collective_profilers_variables(const Lookup& variables, Options& options) {
  for (const char* name : {"MPI_COLLECTIVE_PROFILER_OUTPUT_DIR", "A2A_PROFILING_OUTPUT_DIR"})
    if (const auto* folder = variables[name]) options.folder = *folder;
  options.window = window_of(variables);
  if (const auto* delay = variables["COLLECTIVE_PROFILER_INJECT_DELAY"]) options.inject_delay = *delay == "1";
  for (const auto& [name, reason] : variables_without_effect)
    if (variables[name]) options.notes.push_back(fmt::format("{} has no effect: {}", name, reason));
}

}  // namespace

Variables known_variables() {
  std::vector<const char*> names = {collectives::profiling_options_variable,
                                    collectives::profiling_folder_variable,
                                    "MPI_COLLECTIVE_PROFILER_OUTPUT_DIR",
                                    "A2A_PROFILING_OUTPUT_DIR",
                                    "A2A_NUM_CALL_START_PROFILING",
                                    "COLLECTIVE_PROFILER_INJECT_DELAY",
                                    "SLURM_JOB_ID",
                                    "LSB_JOBID"};
  for (const auto& [name, exchange] : limit_variables) names.push_back(name);
  for (const auto& [name, reason] : variables_without_effect) names.push_back(name);
  Variables variables;
  for (const char* name : names)
    if (const char* value = std::getenv(name)) variables[name] = value;
  return variables;
}

Options parse_options(const Variables& all_variables) {
  const Lookup variables(all_variables);
  Options options;
  read_collective_profilers_variables(variables, options);
  if (const auto* text = variables[collectives::profiling_options_variable]) {
    collectives::ProfilingOptions& chosen = options;
    chosen = collectives::parse_profiling_options(*text, chosen);
  }
  if (options.first || options.limit) options.window.reset();  // overridden
  set_limits(options);
  options.write.first_call = options.window ? options.window->first : options.first_call();
  if (const auto* folder = variables[collectives::profiling_folder_variable]) options.folder = *folder;
  options.inject_delay = options.inject_delay && options.late_arrival;
  // A job ID that is not a number does not come from these batch systems.
  for (const char* name : {"LSB_JOBID", "SLURM_JOB_ID"})
    if (const auto* job = variables[name])
      options.job = support::parse_number<std::uint64_t>(*job).value_or(options.job);
  return options;
}

}  // namespace plimsoll::interpose
