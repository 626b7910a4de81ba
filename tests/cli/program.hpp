#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/temporary_folder.hpp"

namespace plimsoll::testing {

/// What a program did.
struct Outcome {
  int status = -1;  ///< exit status; 128 + its number for a signal
  std::string out;
  std::string err;
};

/// Circumstances in which it runs.
struct Circumstances {
  std::map<std::string, std::string> environment = {};  ///< added to the test's own
  std::optional<std::size_t> max_file_bytes = {};       ///< as if the disk were full then
  std::optional<std::string> stdout_path = {};          ///< instead of capturing it
  bool to_closed_pipe = false;                          ///< nobody reads stdout any more
  bool on_terminal = false;                             ///< stdout and stderr are one; both are in `out`
};

/// Runs the real `plimsoll`.
Outcome run_plimsoll(const std::vector<std::string>& arguments, const Circumstances& circumstances = {});

void write_file(const std::string& path, const std::string& content);

/// Two ranks, two phases, two migratable objects of 3 s and 1 s and a sentinel of 0.5 s on rank 0, none on
/// rank 1, and an edge of 100 bytes between the objects: `FOLDER/data.<rank>.json`. The folder is made.
void write_small_dataset(const std::string& folder);

}  // namespace plimsoll::testing
