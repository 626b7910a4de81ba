#pragma once

#include <string>
#include <vector>

#include "cli/program.hpp"

namespace plimsoll::testing {

/// Scripts with the names of CIME's, in a folder of their own. They append their name and arguments to a
/// record and do what the real ones do to a case folder; case.submit writes the timing file of ten days at
/// once, in which each component takes a / tasks + d seconds a day (`stand_in_seconds_per_day`).
class StandInCime {
 public:
  explicit StandInCime(const std::string& folder);

  const std::string& root() const { return root_; }
  /// Lines "<case>: <script> <arguments>" so far.
  std::vector<std::string> record() const;
  /// A script does this first for a case: "exit 1", ...
  void interfere(const std::string& script, const std::string& case_name, const std::string& commands) const;
  void interfere_no_more(const std::string& script, const std::string& case_name) const;

 private:
  void write_script(const std::string& name, const std::string& content) const;

  std::string root_;
};

double stand_in_seconds_per_day(const std::string& component, double tasks);

}  // namespace plimsoll::testing
