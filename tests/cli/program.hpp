#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/temporary_folder.hpp"

namespace plimsoll::testing {

/// Result of running a program.
struct Outcome {
  int status = -1;  ///< exit status, or 128 + the signal number
  std::string out;
  std::string err;
};

/// Conditions under which a program runs.
struct Circumstances {
  std::string name = "plimsoll";                        ///< name by which the program is called
  std::map<std::string, std::string> environment = {};  ///< added to the test's environment
  std::optional<std::size_t> max_file_bytes = {};       ///< larger files fail, as on a full disk
  std::optional<std::size_t> max_memory_bytes = {};  ///< larger allocations fail; the program uses one thread
  std::optional<std::size_t> max_open_files = {};
  std::optional<unsigned> max_cpu_s = {};       ///< kills the program after this CPU time
  std::optional<std::string> stdout_path = {};  ///< redirects stdout instead of capturing it
  bool to_closed_pipe = false;                  ///< closes the read end of stdout
  bool on_terminal = false;                     ///< stdout and stderr are a terminal; `out` contains both
};

/// Runs the real `plimsoll`.
Outcome run_plimsoll(const std::vector<std::string>& arguments, const Circumstances& circumstances = {});

void write_file(const std::string& path, const std::string& content);

/// Writes `DIR/data.<rank>.json` for two ranks and two phases; creates the directory. Rank 0 has two
/// migratable objects of 3 s and 1 s and a non-migratable object of 0.5 s; rank 1 has none. An edge of 100
/// bytes connects the two migratable objects.
void write_small_dataset(const std::string& folder);

}  // namespace plimsoll::testing
