#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <plimsoll/pelayout/timing_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::pelayout {

/// A number of tasks per node, and the file that contains it.
struct TasksPerNode {
  std::int64_t tasks = 1;
  std::string source;  ///< path of the file
};

/// Finds the number of tasks per node of the machine on which cases ran: MAX_MPITASKS_PER_NODE in the file
/// env_mach_pes.xml of a case directory, which contains the directory `timing`; otherwise the maximum in the
/// timing files of runs with one thread per task, because runs that do not fill a node contain fewer. With
/// several threads, CIME writes either this number or the tasks that fit on a node with these threads. Empty
/// if no file contains it. Throws Error (bad_input) if cases have different values or a file env_mach_pes.xml
/// is invalid, and Error (system) if it cannot be read.
std::optional<TasksPerNode> find_tasks_per_node(std::span<const TimingFile> runs);

}  // namespace plimsoll::pelayout
