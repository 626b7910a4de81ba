#pragma once

#include <string>
#include <vector>

#include "cli/program.hpp"

namespace plimsoll::testing {

/// Scripts named like CIME's, in a separate directory. They append their name and arguments to a record and
/// change a case directory as the real scripts do. case.submit immediately writes the timing file of ten
/// days, in which each component takes a / tasks + d seconds per day (`stand_in_seconds_per_day`).
class StandInCime {
 public:
  explicit StandInCime(const std::string& folder);

  const std::string& root() const { return root_; }
  /// Adds create_clone, with which cases can share a build.
  void allow_clones() const;
  /// Returns the lines "<case>: <script> <arguments>" recorded so far.
  std::vector<std::string> record() const;
  /// Sets the command that a script runs first for a case, such as "exit 1".
  void interfere(const std::string& script, const std::string& case_name, const std::string& commands) const;
  void interfere_no_more(const std::string& script, const std::string& case_name) const;

 private:
  void write_script(const std::string& name, const std::string& content) const;

  std::string root_;
};

double stand_in_seconds_per_day(const std::string& component, double tasks);

}  // namespace plimsoll::testing
