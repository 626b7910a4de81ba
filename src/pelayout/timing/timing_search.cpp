#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <set>
#include <system_error>
#include <tuple>
#include <utility>

#include <plimsoll/pelayout/timing_search.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/folder.hpp>

#include "pelayout/timing/gzip_text.hpp"

namespace plimsoll::inline v0_1::pelayout {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t start_bytes = 4096;

Diagnostic remark(Severity severity, std::string what, std::string file) {
  Diagnostic diagnostic;
  diagnostic.severity = severity;
  diagnostic.check = "timing-files";
  diagnostic.what = std::move(what);
  diagnostic.file = std::move(file);
  return diagnostic;
}

/// Returns the text after "_timing" or, with several drivers, "_timing_0001" in current file names. Empty for
/// other names.
std::string_view after_timing_word(std::string_view name) {
  constexpr std::string_view word = "_timing";
  constexpr std::size_t instance_bytes = 5;
  const std::size_t place = name.find(word);
  if (place == 0 || place == std::string_view::npos) return {};
  name.remove_prefix(place + word.size());
  if (name.size() > instance_bytes && name[0] == '_' &&
      name.find_first_not_of("0123456789", 1) == instance_bytes)
    name.remove_prefix(instance_bytes);
  return name;
}

/// Returns whether a name has the old form timing.<case>... or the current one
/// <model>_timing[_<instance>].<case>.<log id>.
bool names_timing_of(std::string_view name, const std::string& case_start) {
  return name.starts_with("timing." + case_start) || after_timing_word(name).starts_with("." + case_start);
}

/// Returns whether users would expect a timing profile from the file's name.
bool suggests_timing(std::string_view name) {
  return names_timing_of(name, "");
}

/// Returns the names in a directory, sorted. Throws Error (system).
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  support::for_each_entry(folder.string(), [&](const fs::directory_entry& entry) {
    names.push_back(entry.path().filename().string());
  });
  std::sort(names.begin(), names.end());
  return names;
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

class Finder {
 public:
  void take_named(const std::string& path) {
    std::error_code error;
    if (!fs::exists(path, error))
      throw support::system_error("cannot open", path, error ? error.value() : ENOENT, "check the name");
    if (is_folder(path))
      take_folder(path);
    else
      take_if_profile(path, true);
  }

  void take_folder(const std::string& folder) {
    bool any = false;
    for (const std::string& name : names_in(folder)) {
      const fs::path path = fs::path(folder) / name;
      if (is_file(path)) any = take_if_profile(path.string(), suggests_timing(name)) || any;
    }
    if (!any) warn("no timing profile in the directory", folder);
  }

  void take_prefix(const std::string& root, std::string prefix) {
    if (prefix.ends_with('_')) prefix.pop_back();
    const fs::path start = fs::path(root) / prefix;
    const std::string base = start.filename().string();
    if (base.empty())
      throw support::usage_error("the prefix of case names must not be empty",
                                 "specify the start of the case names");
    const fs::path parent = start.has_parent_path() ? start.parent_path() : fs::path(".");
    bool any = false;
    for (const std::string& name : names_in(parent)) {
      const bool whole = name == base;
      if (!whole && !name.starts_with(base + "_")) continue;
      if (!is_folder(parent / name)) continue;
      any = true;
      const fs::path timing = parent / name / "timing";
      if (has_run(timing) && !take_case(timing, whole ? base : base + "_"))
        warn("no timing profile in the directory", timing.string());
    }
    if (!any) warn(fmt::format("no case directory with the name {0} or {0}_*", base), parent.string());
  }

  void take_test(const std::string& root, const std::string& id) {
    if (id.empty())
      throw support::usage_error("the test ID must not be empty", "specify the end of the case names");
    bool any = false;
    for (const std::string& name : names_in(root)) {
      if (!name.ends_with(id) && !name.starts_with(id + "_")) continue;
      if (!is_folder(fs::path(root) / name)) continue;
      any = true;
      const fs::path timing = fs::path(root) / name / "timing";
      if (has_run(timing)) take_folder(timing.string());
    }
    if (!any) warn(fmt::format("no case directory with the name *{0} or {0}_*", id), root);
  }

  TimingFiles result() && {
    if (found_.empty())
      throw support::bad_input(warnings_.empty() ? "missing timing files"
                                                 : "no timing file found: " + to_string(warnings_.front()),
                               {},
                               "specify timing files, a directory of them, or the prefix of the case names");
    TimingFiles files;
    drop_repeated_runs();
    for (auto& [path, file] : found_) {
      warnings_.insert(warnings_.end(), file.warnings.begin(), file.warnings.end());
      files.files.push_back(std::move(file));
    }
    files.warnings = std::move(warnings_);
    return files;
  }

 private:
  bool has_run(const fs::path& timing) {
    if (is_folder(timing)) return true;
    warn("missing directory \"timing\": the run has not started or has not ended",
         timing.parent_path().string());
    return false;
  }

  bool take_case(const fs::path& timing, const std::string& case_start) {
    bool any = false;
    for (const std::string& name : names_in(timing))
      if (names_timing_of(name, case_start) && is_file(timing / name))
        any = take_if_profile((timing / name).string(), true) || any;
    return any;
  }

  /// Reads the file if it is a timing profile. Returns whether it is one, valid or not.
  bool take_if_profile(const std::string& path, bool expected) {
    try {
      if (!is_timing_profile(read_start_of_gzip_or_plain(path, start_bytes))) {
        if (expected) warn("not a timing profile; skipped", path);
        return false;
      }
      if (is_new(path)) keep(read_timing_file(path));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::system) throw;
      Diagnostic diagnostic = error.diagnostic();
      diagnostic.severity = Severity::warning;
      diagnostic.check = "timing-files";
      diagnostic.what += "; file skipped";
      warnings_.push_back(std::move(diagnostic));
    }
    return true;
  }

  /// Returns whether the file is new, i.e. was not found before, even under another path.
  bool is_new(const std::string& path) {
    std::error_code error;
    const fs::path canonical = fs::canonical(path, error);
    return met_.insert(error ? path : canonical.string()).second;
  }

  void keep(TimingFile file) {
    std::string path = file.path;
    found_.emplace(std::move(path), std::move(file));
  }

  void drop_repeated_runs() {
    std::map<std::tuple<std::string, std::string, std::int64_t>, std::vector<const TimingFile*>> runs;
    for (auto entry = found_.begin(); entry != found_.end();) {
      const TimingFile& file = entry->second;
      auto& same = runs[{file.case_name, file.log_id, file.driver_instance}];
      const auto twin = std::find_if(same.begin(), same.end(), [&](const TimingFile* other) {
        return other->components == file.components;
      });
      if (twin != same.end()) {
        warnings_.push_back(
            remark(Severity::note, fmt::format("same run as {}; counted once", (*twin)->path), file.path));
        entry = found_.erase(entry);
        continue;
      }
      // Allow equal log IDs: getTiming gives all runs the log ID 999999-999999 if users start it by hand.
      if (!same.empty())
        warn(fmt::format("same case and log ID as {}, but different numbers; both are used",
                         same.front()->path),
             file.path);
      same.push_back(&file);
      ++entry;
    }
  }

  void warn(std::string what, std::string file) {
    warnings_.push_back(remark(Severity::warning, std::move(what), std::move(file)));
  }

  std::set<std::string> met_;
  std::map<std::string, TimingFile> found_;  ///< files by path
  std::vector<Diagnostic> warnings_;
};

}  // namespace

TimingFiles find_timing_files(const TimingSearch& search) {
  Finder finder;
  for (const std::string& file : search.files) finder.take_named(file);
  for (const std::string& folder : search.folders) finder.take_folder(folder);
  for (const std::string& prefix : search.casename_prefixes) finder.take_prefix(search.root, prefix);
  for (const std::string& id : search.test_ids) finder.take_test(search.root, id);
  return std::move(finder).result();
}

}  // namespace plimsoll::pelayout
