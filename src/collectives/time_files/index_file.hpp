#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/diagnostic.hpp>

namespace plimsoll::inline v0_1::collectives {

inline constexpr std::string_view index_format = "plimsoll collectives";
inline constexpr std::uint64_t index_version = 1;

/// The text of collectives.job<J>.json: what is known of a job that no other file says. What is known of a
/// profile as a whole is there `with_profile` only, so that it is said once if there are several jobs.
std::string index_text(const Profile& profile, std::uint64_t job, bool with_profile);

/// Reads such a text. Parts of a wrong type are left out, with their JSON pointer in the finding.
void read_index(const std::string& path, std::string_view text, std::uint64_t job, Profile& profile,
                std::vector<Diagnostic>& findings, const ReadLimits& limits);

}  // namespace plimsoll::collectives
