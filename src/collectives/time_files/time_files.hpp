#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/profile.hpp>
#include <plimsoll/support/diagnostic.hpp>

/// Time files, which stand beside those of counts: times, late arrivals, time stamps, locations, communicator
/// data and back traces as the collective profiler's format version 9 has them, and collectives.job<J>.json,
/// which holds what has no place in the others. docs/collectives-files.md describes them.
namespace plimsoll::inline v0_1::collectives {

struct NamedText {
  std::string name;  ///< of the file, without folder
  std::string text;
};

/// Appends all time files of a profile. A kind that nothing is known of gives no file, but for
/// collectives.job<J>.json, which is always there.
void append_time_files(const Profile& profile, std::vector<NamedText>& files);

/// Whether a file of this name (without folder) is a time file.
bool is_time_file(std::string_view file_name);

/// Whether the name of a time file says of which job it is. Not all do, as the collective profiler's.
bool names_job(std::string_view file_name);

/// Adds what a time file says to a profile. Findings about malformed parts, which are left out, name
/// `path`. Read the files of counts first (type sizes are added to their signatures), then time files that
/// name their job, then the others: these belong to the job of the leads that are there already.
void read_time_file(const std::string& path, std::string_view file_name, std::string_view text,
                    Profile& profile, std::vector<Diagnostic>& findings, const ReadLimits& limits);

}  // namespace plimsoll::collectives
