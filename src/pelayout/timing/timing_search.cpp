#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <filesystem>
#include <set>
#include <system_error>
#include <tuple>

#include <plimsoll/pelayout/esmf_profile.hpp>
#include <plimsoll/pelayout/solution.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "pelayout/timing/esmf_run.hpp"
#include "pelayout/timing/timing_formats.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

namespace fs = std::filesystem;

Diagnostic remark(Severity severity, std::string what, std::string file) {
  return {.severity = severity, .check = "timing-files", .what = std::move(what), .file = std::move(file)};
}

/// Returns the names in a directory, sorted. Throws Error (system).
std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  support::for_each_entry(folder.string(), [&](const support::FolderEntry& entry) {
    names.push_back(entry.path().filename().string());
  });
  std::ranges::sort(names);
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

/// A run, and the place where it was found.
struct FoundRun {
  TimingFile file;
  std::string folder;  ///< directory of the file or archive

  /// Returns the time that identifies the run; see run_time_in().
  std::string_view time() const { return run_time_in(file.log_id.empty() ? file.path : file.log_id); }
};

/// Returns whether statistics have the times of a profile, which have three decimal digits.
bool have_equal_times(const TimingFile& statistics, const TimingFile& profile) {
  constexpr double rounding_s = 0.0011;
  return !statistics.components.empty() &&
         std::ranges::all_of(statistics.components, [&](const ComponentTiming& timing) {
           const ComponentTiming* const same = profile.find(timing.component);
           return same != nullptr && same->tasks == timing.tasks &&
                  std::abs(same->seconds - timing.seconds) <= rounding_s;
         });
}

/// Returns whether statistics and another file are of one run. The other file is a profile in the same
/// directory with the same time of the run, a profile with the same times of components, or has the same
/// statistics. Files with different times of the run never are, nor are those of different drivers.
bool are_of_one_run(const FoundRun& statistics, const FoundRun& other) {
  const std::int64_t driver = statistics.file.driver_instance;
  if (driver != 0 && driver != other.file.driver_instance) return false;
  const bool have_times = !statistics.time().empty() && !other.time().empty();
  if (have_times && statistics.time() != other.time()) return false;
  if (other.file.is_from_statistics)
    return !statistics.file.components.empty() && statistics.file.components == other.file.components;
  return (have_times && statistics.folder == other.folder) || have_equal_times(statistics.file, other.file);
}

/// Statistics or ESMF profile: a run only if the timing profile of the run is not found.
struct FoundStatistics {
  FoundRun run;
  bool is_esmf_profile = false;
  EsmfProfile esmf_profile = {};
  bool named = false;                 ///< whether the user specified the file
  std::optional<Diagnostic> problem;  ///< reason why they cannot be used
};

class Finder {
 public:
  explicit Finder(const RunFacts& facts) : facts_(facts) {}

  void take_named(const std::string& path) {
    std::error_code error;
    if (!fs::exists(path, error))
      throw support::system_error("cannot open", path, error ? error.value() : ENOENT, "check the name");
    if (is_folder(path))
      take_folder(path);
    else
      take_file(path, Origin::named);
  }

  void take_folder(const std::string& folder) {
    bool any = false;
    for (const std::string& name : names_in(folder)) {
      const fs::path path = fs::path(folder) / name;
      if (!is_file(path)) continue;
      any = take_file(path.string(), names_timing_of(name, "") ? Origin::suggested : Origin::found) || any;
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
    for_each_case(
        parent, fmt::format("{0} or {0}_*", base),
        [&](const std::string& name) { return name == base || name.starts_with(base + "_"); },
        [&](const fs::path& timing, const std::string& name) {
          if (!take_case(timing, name == base ? base : base + "_"))
            warn("no timing profile in the directory", timing.string());
        });
  }

  void take_test(const std::string& root, const std::string& id) {
    if (id.empty())
      throw support::usage_error("the test ID must not be empty", "specify the end of the case names");
    for_each_case(
        root, fmt::format("*{0} or {0}_*", id),
        [&](const std::string& name) { return name.ends_with(id) || name.starts_with(id + "_"); },
        [&](const fs::path& timing, const std::string&) { take_folder(timing.string()); });
  }

  TimingFiles result() && {
    add_statistics();
    if (found_.empty())
      throw support::bad_input(warnings_.empty() ? "missing timing files"
                                                 : "no timing file found: " + to_string(warnings_.front()),
                               {},
                               "specify timing files, a directory of them, or the prefix of the case names");
    TimingFiles files;
    drop_repeated_runs();
    divide_times();
    for (auto& [path, run] : found_) {
      add_warnings(run.file);
      files.files.push_back(std::move(run.file));
    }
    files.warnings = std::move(warnings_);
    return files;
  }

 private:
  enum class Origin {
    named,      ///< the user specified the file
    suggested,  ///< its name suggests timings
    found,      ///< it is in a directory
  };

  /// Calls `take` for the directory `timing` of each case below `root` that belongs to the search.
  template <class Belongs, class Take>
  void for_each_case(const fs::path& root, const std::string& names, Belongs belongs, Take take) {
    bool any = false;
    for (const std::string& name : names_in(root)) {
      const fs::path timing = root / name / "timing";
      if (!belongs(name) || !is_folder(root / name)) continue;
      any = true;
      if (is_folder(timing))
        take(timing, name);
      else
        warn("missing directory \"timing\": the run has not started or has not ended",
             timing.parent_path().string());
    }
    if (!any) warn("no case directory with the name " + names, root.string());
  }

  bool take_case(const fs::path& timing, const std::string& case_start) {
    bool any = false;
    for (const std::string& name : names_in(timing))
      if ((names_timing_of(name, case_start) || names_statistics(name) || names_esmf_profile(name)) &&
          is_file(timing / name))
        any = take_file((timing / name).string(), Origin::suggested) || any;
    return any;
  }

  /// Reads the runs in a file. Returns whether it contains any, valid or not.
  bool take_file(const std::string& path, Origin origin) {
    try {
      TimingFormat format = format_of(path);
      if (format.run_format == nullptr && !format.is_archive && origin == Origin::named)
        format = format_of_whole(path);
      const bool foreign_archive = format.is_archive && origin == Origin::found &&
                                   !names_statistics(fs::path(path).filename().string());
      const bool is_known = format.run_format != nullptr || format.is_archive;
      if (!is_known || foreign_archive) {
        if (origin != Origin::found) warn("not a timing profile; skipped", path);
        return false;
      }
      if (is_new(path))
        for_each_run_text(path, format, [&](const RunText& text) { take_run(text, path, origin); });
    } catch (const Error& error) {
      warnings_.push_back(reason_to_skip(error));
    }
    return true;
  }

  void take_run(const RunText& text, const std::string& path, Origin origin) {
    FoundStatistics found{.run = {.folder = (fs::path(path).parent_path() / "").lexically_normal().string()},
                          .is_esmf_profile = is_esmf_profile(text.text),
                          .named = origin == Origin::named};
    try {
      if (found.is_esmf_profile) {
        found.esmf_profile = parse_esmf_profile(text.text, text.path);
        found.run.file = run_of(found.esmf_profile, facts_);
      } else {
        found.run.file = text.parse(facts_);
      }
    } catch (const Error& error) {
      found.problem = reason_to_skip(error);
      found.run.file.path = text.path;
      found.run.file.driver_instance = driver_in(text.path);
    }
    const std::string run_time(found.run.time());
    const std::string folder = found.run.folder;
    const bool yields = text.format.yields_to_profile;
    if (yields)
      statistics_.push_back(std::move(found));
    else
      found.problem ? warnings_.push_back(std::move(*found.problem)) : keep(std::move(found.run));
    if (origin == Origin::named && !run_time.empty())
      take_other_files_of(run_time, folder, yields ? names_profile : names_esmf_profile);
  }

  static bool names_profile(std::string_view name) { return names_timing_of(name, ""); }

  /// Reads the files of a run in a directory that have such names. Users may read single files in directories
  /// that they cannot list.
  void take_other_files_of(const std::string& run_time, const std::string& folder,
                           bool (*has_name)(std::string_view)) {
    support::for_each_readable_entry(folder.empty() ? "." : folder, [&](const support::FolderEntry& entry) {
      const std::string name = entry.path().filename().string();
      if (!has_name(name) || run_time_in(name) != run_time || !is_file(entry.path())) return;
      const std::string path = (fs::path(folder) / name).string();
      if (format_of(path).run_format != nullptr) take_file(path, Origin::suggested);
    });
  }

  /// Adds the statistics and ESMF profiles of runs without a timing profile.
  void add_statistics() {
    for (FoundStatistics& statistics : statistics_) {
      const auto same = std::ranges::find_if(
          found_, [&](const auto& entry) { return are_of_one_run(statistics.run, entry.second); });
      if (same == found_.end()) {
        statistics.problem ? warnings_.push_back(std::move(*statistics.problem))
                           : keep(std::move(statistics.run));
      } else if (same->second.file.is_from_statistics) {
        note_repeat(statistics.run.file, same->second.file);
      } else {
        if (statistics.is_esmf_profile && statistics.problem) warnings_.push_back(*statistics.problem);
        if (statistics.named)
          warnings_.push_back(remark(Severity::note,
                                     fmt::format("the timing profile {} of this run is used", same->first),
                                     statistics.run.file.path));
      }
    }
  }

  /// Divides the times of runs with an ESMF profile into work and waiting.
  void divide_times() {
    for (const FoundStatistics& statistics : statistics_) {
      if (!statistics.is_esmf_profile || statistics.problem) continue;
      for (auto& [path, run] : found_)
        if (!run.file.is_from_statistics && are_of_one_run(statistics.run, run))
          add_work(statistics.esmf_profile, run.file);
    }
  }

  void note_repeat(const TimingFile& run, const TimingFile& same) {
    warnings_.push_back(
        remark(Severity::note, fmt::format("same run as {}; counted once", same.path), run.path));
  }

  /// Returns the warning about a file that is skipped because of an error. Throws errors for which the file
  /// is not responsible.
  static Diagnostic reason_to_skip(const Error& error) {
    if (error.kind() != ErrorKind::bad_input) throw error;
    Diagnostic diagnostic = error.diagnostic();
    diagnostic.severity = Severity::warning;
    diagnostic.check = "timing-files";
    diagnostic.what += "; file skipped";
    return diagnostic;
  }

  /// Returns whether the file is new, i.e. was not found before, even under another path.
  bool is_new(const std::string& path) {
    std::error_code error;
    const fs::path canonical = fs::canonical(path, error);
    return met_.insert(error ? path : canonical.string()).second;
  }

  void keep(FoundRun run) {
    std::string path = run.file.path;
    found_.emplace(std::move(path), std::move(run));
  }

  void drop_repeated_runs() {
    std::map<std::tuple<std::string, std::string, std::int64_t>, std::vector<const TimingFile*>> runs;
    std::erase_if(found_, [&](const auto& entry) {
      const TimingFile& file = entry.second.file;
      auto& same = runs[{file.case_name, file.log_id, file.driver_instance}];
      const auto twin = std::ranges::find_if(
          same, [&](const TimingFile* other) { return other->components == file.components; });
      if (twin != same.end()) {
        note_repeat(file, **twin);
        return true;
      }
      // Allow equal log IDs: getTiming gives all runs the log ID 999999-999999 if users start it by hand.
      if (!same.empty() && !file.case_name.empty())
        warn(fmt::format("same case and log ID as {}, but different numbers; both are used",
                         same.front()->path),
             file.path);
      same.push_back(&file);
      return false;
    });
  }

  /// Adds the warnings of a file. All statistics have the warning about unknown days: one is enough.
  void add_warnings(const TimingFile& file) {
    for (const Diagnostic& warning : file.warnings) {
      const bool is_repeated =
          warning.check == unknown_days_check &&
          std::ranges::find(warnings_, warning.check, &Diagnostic::check) != warnings_.end();
      if (!is_repeated) warnings_.push_back(warning);
    }
  }

  void warn(std::string what, std::string file) {
    warnings_.push_back(remark(Severity::warning, std::move(what), std::move(file)));
  }

  const RunFacts& facts_;
  std::set<std::string> met_;
  std::map<std::string, FoundRun> found_;  ///< runs by path
  std::vector<FoundStatistics> statistics_;
  std::vector<Diagnostic> warnings_;
};

}  // namespace

TimingFiles find_timing_files(const TimingSearch& search) {
  check_run_facts(search.facts);
  Finder finder(search.facts);
  for (const std::string& file : search.files) finder.take_named(file);
  for (const std::string& folder : search.folders) finder.take_folder(folder);
  for (const std::string& prefix : search.casename_prefixes) finder.take_prefix(search.root, prefix);
  for (const std::string& id : search.test_ids) finder.take_test(search.root, id);
  return std::move(finder).result();
}

}  // namespace plimsoll::pelayout
