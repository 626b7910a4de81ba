#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/json_text.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Content of a profile_<operation>_job<J>.rank<L>.md file about the calls of one operation.
struct ProfileSummary {
  Operation operation;
  std::uint64_t world_size = 0;   ///< 0 if unknown
  std::uint64_t total_calls = 0;  ///< including calls that are not recorded; 0 if unknown
  bool of_displacements = false;
  std::vector<const Signature*> signatures;
};

/// Writes a file named profile_<operation>_job<J>.rank<L>.md, with one data set per signature. With
/// `legacy_text`, also writes the collective profiler's placeholders for missing values: a limit of 0,
/// numbers of zeros that it did not count, and disabled sections.
void write_profile_summary(const ProfileSummary& summary, bool legacy_text, support::TextBuffer& output);

/// Reads the values that counts files do not contain: the size of MPI_COMM_WORLD and the number of calls.
/// Missing values are 0. Never fails, because no other data depend on these values.
ProfileSummary read_profile_summary(std::string_view text, Operation operation);

}  // namespace plimsoll::collectives
