#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

inline constexpr std::string_view index_format = "plimsoll collectives";
inline constexpr std::uint64_t index_version = 1;

/// Returns the text of collectives.job<J>.json: the data of a job that no other file contains. Data of the
/// profile as a whole are included only if `with_profile` is true, so that they appear only once for several
/// jobs.
std::string index_text(const Profile& profile, std::uint64_t job, bool with_profile);

/// Reads text in this format. A part of the wrong type is skipped; its finding contains the JSON pointer.
void read_index(const std::string& path, std::string_view text, std::uint64_t job, Profile& profile,
                std::vector<Diagnostic>& findings, const ReadLimits& limits);

}  // namespace plimsoll::collectives
