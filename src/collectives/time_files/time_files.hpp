#pragma once

#include <plimsoll/collectives/files.hpp>
#include <plimsoll/collectives/profile.hpp>

/// Time files, which accompany the files of counts. They contain times, late arrivals, timestamps, hashes of
/// data, locations, communicator data and backtraces in the collective profiler's format version 9.
/// collectives.job<J>.json contains data that the other files cannot hold. docs/reference/collective-files.md
/// describes them.
namespace plimsoll::PLIMSOLL_ABI::collectives {

struct NamedText {
  std::string name;  ///< name of the file, without directory
  std::string text;
};

/// Appends all time files of a profile. Kinds without data have no file, except collectives.job<J>.json,
/// which always exists.
void append_time_files(const Profile& profile, std::vector<NamedText>& files);

/// Returns whether a file with this name (without directory) is a time file.
bool is_time_file(std::string_view file_name);

/// Returns whether the name of a time file contains its job. Some names of the collective profiler do not.
bool names_job(std::string_view file_name);

/// Adds the content of a time file to a profile. Malformed parts are skipped; findings about them name
/// `path`. First read the files of counts, because type sizes are added to their signatures. Then read time
/// files with a job in their name, then the others: these belong to the job of the existing leads.
void read_time_file(const std::string& path, std::string_view file_name, std::string_view text,
                    Profile& profile, std::vector<Diagnostic>& findings, const ReadLimits& limits);

}  // namespace plimsoll::collectives
