#pragma once

#include <sys/types.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace plimsoll::testing {

using Environment = std::map<std::string, std::string>;

/// A program that runs beside the test. Its output goes to the file OUTPUT.
pid_t start(const std::vector<std::string>& arguments, const std::string& output,
            const Environment& environment = {});

/// Waits for its end: the exit status, or 128 + the number of the signal.
int status_of(pid_t process);

/// The names in a folder, none if it is missing.
std::set<std::string> names_in(const std::string& folder);

}  // namespace plimsoll::testing
