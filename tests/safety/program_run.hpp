#pragma once

#include <sys/types.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace plimsoll::testing {

using Environment = std::map<std::string, std::string>;

/// Returns the command that generates a data set and overwrites an existing one.
std::vector<std::string> generate_command(const std::string& to, unsigned ranks, unsigned phases,
                                          unsigned objects_per_rank);

/// Starts a program concurrently with the test. Writes its stdout to the file OUTPUT and its stderr to
/// ERRORS. If ERRORS is empty, both go to OUTPUT.
pid_t start(const std::vector<std::string>& arguments, const std::string& output,
            const Environment& environment = {}, const std::string& errors = "");

/// Waits for the program to end. Returns its exit status, or 128 + the signal number.
int status_of(pid_t process);

/// Returns the names in a directory, or none if it is missing.
std::set<std::string> names_in(const std::string& folder);

}  // namespace plimsoll::testing
