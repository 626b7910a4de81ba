#pragma once

#include <span>
#include <string>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

/// Verdict of an examination.
enum class Verdict {
  ok,
  no,
  unknown,  ///< could not be found out here; never a mild form of `ok`
};

/// Returns "ok", "no" or "unknown".
const char* to_string(Verdict verdict);

/// Result of examining one property of a machine, a file system or an MPI.
struct Examination {
  std::string subject;  ///< such as "file locks"
  Verdict verdict = Verdict::unknown;
  std::string found;        ///< facts in one line
  std::string remedy = {};  ///< what to do about `no`; empty for other verdicts
  bool is_needed = false;   ///< whether Plimsoll cannot work without it; else it has a fallback, or is slower
};

/// Returns whether all that is needed is ok.
bool is_fit(std::span<const Examination> examinations);

/// Examines a directory for output files: whether it can be written, locks, links, renaming without
/// replacing, free space. Creates a directory in it for that, and removes it. Locks are tested between
/// processes of this host only. Throws Error (usage) if it is not a directory.
std::vector<Examination> examine_folder(const std::string& folder);

/// Examines this machine, as this process may use it: clock, time-stamp counter, processors, memory, limits
/// of the shell (ulimit).
std::vector<Examination> examine_machine();

/// Returns whether the processor's time-stamp counter runs at a constant rate in all power states, as the
/// processor reports it (Intel SDM vol. 3, "Invariant TSC").
bool has_invariant_counter();

}  // namespace plimsoll::support
