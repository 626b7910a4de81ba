#pragma once

#include <sys/types.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace plimsoll::testing {

using Environment = std::map<std::string, std::string>;

/// The command that generates a data set, replacing what is there.
std::vector<std::string> generate_command(const std::string& to, unsigned ranks, unsigned phases,
                                          unsigned objects_per_rank);

/// A program that runs beside the test. What it prints goes to the file OUTPUT, its errors to ERRORS; to
/// OUTPUT, too, if that is empty.
pid_t start(const std::vector<std::string>& arguments, const std::string& output,
            const Environment& environment = {}, const std::string& errors = "");

/// Waits for its end: the exit status, or 128 + the number of the signal.
int status_of(pid_t process);

/// The names in a folder, none if it is missing.
std::set<std::string> names_in(const std::string& folder);

}  // namespace plimsoll::testing
