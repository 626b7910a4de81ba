#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/text_buffer.hpp>

namespace plimsoll::inline v0_1::collectives {

/// What a profile_<operation>_job<J>.rank<L>.md file says of the calls of one operation.
struct ProfileSummary {
  Operation operation;
  std::uint64_t world_size = 0;   ///< 0 if not known
  std::uint64_t total_calls = 0;  ///< recorded or not; 0 if not known
  bool of_displacements = false;
  std::vector<const Signature*> signatures;
};

/// Writes such a file: one data set for each signature. With `legacy_text` also what the original says of
/// things that it has no values for: a limit of 0, zeros that it did not count and sections that are
/// disabled.
void write_profile_summary(const ProfileSummary& summary, bool legacy_text, support::TextBuffer& output);

/// Reads what counts files do not say: the world's size and the number of calls; 0 where there is none. It
/// never fails, as nothing depends on it.
ProfileSummary read_profile_summary(std::string_view text, Operation operation);

}  // namespace plimsoll::collectives
