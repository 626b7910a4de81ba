#pragma once

#include <functional>
#include <string>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Returns the word that names the appfile among the words that follow Open MPI's mpirun, or null: option
/// --app. Each line of an appfile contains options and a program. mpirun then ignores options in the command
/// that concern programs.
std::string* find_appfile(std::vector<std::string>& words);

/// Returns the text of an appfile in which `change` has changed the words of each line. Comments are omitted.
std::string with_changed_lines(const std::string& text,
                               const std::function<void(std::vector<std::string>&)>& change);

}  // namespace plimsoll::collectives
