#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/collectives/profile.hpp>

#include "collectives/time_files/time_files.hpp"

namespace plimsoll::testing {

inline collectives::NumberList list(const char* text) {
  return collectives::NumberList::parse(text).value();
}

/// Returns the text of the first diagnostic in one line, or an empty text without diagnostics.
inline std::string first(const std::vector<support::Diagnostic>& findings) {
  return findings.empty() ? "" : to_string(findings.front());
}

inline bool is_time_file(const std::string& name) {
  using collectives::FileKind;
  const auto parsed = collectives::FileName::parse(name);
  return parsed && parsed->kind >= FileKind::execution_times && parsed->kind <= FileKind::index;
}

struct NamedText {
  std::string name;
  std::string text;
};

inline std::vector<NamedText> time_files_of(const collectives::Profile& profile) {
  std::vector<NamedText> files;
  collectives::write_time_files(profile, [&](const collectives::FileName& name, const std::string& text) {
    files.push_back({name.text(), text});
  });
  return files;
}

/// Returns the text of the file with this name, or empty if it is missing.
inline std::string text_of(const std::vector<NamedText>& files, const std::string& name) {
  const auto found = std::ranges::find(files, name, &NamedText::name);
  return found == files.end() ? std::string() : found->text;
}

inline std::vector<std::string> names_of(const std::vector<NamedText>& files) {
  std::vector<std::string> names;
  for (const NamedText& file : files) names.push_back(file.name);
  return names;
}

/// Adds files to a profile in the order that time_files.hpp requires: files with the job ID in their names
/// come first.
inline std::vector<Diagnostic> read_time_files(std::vector<NamedText> files, collectives::Profile& profile,
                                               const collectives::ReadLimits& limits = {}) {
  std::vector<Diagnostic> findings;
  std::stable_partition(files.begin(), files.end(),
                        [](const NamedText& file) { return collectives::FileName::parse(file.name)->job; });
  for (const NamedText& file : files)
    collectives::read_time_file("dir/" + file.name, collectives::FileName::parse(file.name).value(),
                                file.text, profile, findings, limits);
  return findings;
}

/// Reads one file into an empty profile.
struct ReadOne {
  collectives::Profile profile;
  std::vector<Diagnostic> findings;
  ReadOne(std::string name, std::string text) {
    findings = read_time_files({{std::move(name), std::move(text)}}, profile);
  }
  const collectives::Lead& lead() const { return profile.leads.at(0); }
};

}  // namespace plimsoll::testing
