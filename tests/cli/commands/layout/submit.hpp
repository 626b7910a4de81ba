#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/program.hpp"
#include "common/shared_data.hpp"

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

/// Returns an entry of a PE file with this many tasks for each component.
inline std::string entry(const std::string& pesize, int tasks) {
  std::string ntasks;
  for (const std::string component : {"atm", "lnd", "ice", "ocn", "rof", "cpl"})
    ntasks += "<ntasks_" + component + ">" + std::to_string(tasks) + "</ntasks_" + component + ">";
  return "<pes compset=\"any\" pesize=\"" + pesize + "\"><ntasks>" + ntasks + "</ntasks></pes>\n";
}

inline std::string pes_file(const std::string& entries) {
  return "<?xml version=\"1.0\"?>\n<config_pes version=\"2.0\"><grid name=\"any\"><mach name=\"any\">\n" +
         entries + "</mach></grid></config_pes>\n";
}

/// Runs `plimsoll layout submit` with stand-ins for CIME's scripts.
class LayoutSubmit : public ::testing::Test {
 protected:
  LayoutSubmit() : cime(folder / "cime") { write_pes(entry("small", 64) + entry("big", 256)); }

  void write_pes(const std::string& entries) const { write_file(folder / "pes.xml", pes_file(entries)); }
  std::vector<std::string> words(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> list = {"layout",     "submit",    "--compset",   "B1850",
                                     "--res",      "f09_g17",   "--pesfile",   folder / "pes.xml",
                                     "--cime_dir", cime.root(), "--case_root", folder / "cases"};
    list.insert(list.end(), more.begin(), more.end());
    return list;
  }
  Outcome submit(const std::vector<std::string>& more = {}) const { return run_plimsoll(words(more)); }
  std::string case_file(const std::string& name) const { return file_content(folder / ("cases/" + name)); }
  bool has(const std::string& name) const { return std::filesystem::exists(folder / ("cases/" + name)); }
  /// Returns the scripts that ran for a case, without their arguments.
  std::vector<std::string> scripts_of(const std::string& case_name) const {
    std::vector<std::string> names;
    for (const std::string& line : cime.record())
      if (const std::string start = case_name + ": "; line.starts_with(start)) {
        const std::string rest = line.substr(start.size());
        names.push_back(rest.substr(0, rest.find(' ')));
      }
    return names;
  }

  TemporaryFolder folder;
  StandInCime cime;
};

}  // namespace plimsoll::testing
