#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include <plimsoll/lbdata/statistics_file.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/internal/threads.hpp>

#include "lbdata/repair/locked_repair.hpp"
#include "lbdata/repair/phase_rescue.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// Files of a data set in a directory.
struct SetFiles {
  std::vector<std::string> streams;  ///< partial output files
  std::set<std::int64_t> stream_ranks;
  std::vector<RankFile> files;
};

std::map<std::string, SetFiles> sets_in(const std::string& folder) {
  std::map<std::string, SetFiles> sets;
  for (const std::string& stream : streams_of_folder(folder)) {
    SetFiles& set = sets[set_name(stream)];
    set.stream_ranks.insert(rank_of_file(repaired_name(stream, false)).value_or(-1));
    set.streams.push_back(stream);
  }
  for (const std::string& set : sets_of_folder(folder)) sets[set].files = files_of_base(folder, set);
  return sets;
}

/// Returns whether a copy does not contain the partial output files of a set: a later run left them for only
/// some ranks of a data set whose files are all complete, and one copy cannot contain both runs.
bool is_left_over(const std::string& folder, const std::string& name, const SetFiles& set,
                  const support::SizeLimits& limits) {
  if (set.streams.empty() || set.stream_ranks.size() >= set.files.size()) return false;
  try {
    return std::ranges::all_of(
        find_rank_files({(fs::path(folder) / name).string()}),
        [&](const RankFile& file) { return file_state(file.path, limits) == FileState::whole; });
  } catch (const Error&) {
    return false;  // files are missing
  }
}

/// Returns the `.pending` files of a directory whose rank has no other file.
std::vector<std::string> lone_pending_files(const std::string& folder) {
  std::vector<std::string> lone;
  support::for_each_entry(folder, [&](const support::FolderEntry& entry) {
    const std::string path = entry.path().string();
    const std::string final_path = repaired_name(path, false);
    if (path.ends_with(".pending") && !support::identity(final_path + ".partial") &&
        !support::identity(final_path))
      lone.push_back(path);
  });
  std::ranges::sort(lone);
  return lone;
}

std::vector<std::string> without_whole_files(const std::vector<std::string>& files,
                                             const support::SizeLimits& limits, unsigned threads,
                                             support::Progress& progress) {
  std::vector<FileState> states(files.size());
  progress.begin("checking", files.size(), "files");
  support::parallel_for(files.size(), threads, [&](std::size_t k) {
    states[k] = file_state(files[k], limits);
    progress.advance(1);
  });
  progress.end();
  std::vector<std::string> others;
  for (std::size_t k = 0; k < files.size(); ++k)
    if (states[k] != FileState::whole) others.push_back(files[k]);
  return others;
}

/// Returns the files of a directory to repair: partial output files, and data files that are truncated or
/// damaged. If RepairOptions::output is set, also returns complete data files, and `.pending` files without
/// any other file of their rank. Data files that partial output files will replace are skipped.
std::vector<std::string> files_to_repair(const std::string& folder, const RepairOptions& options,
                                         unsigned threads, support::Progress& progress) {
  const bool copies = !options.output.empty();
  std::vector<std::string> files;
  std::vector<std::string> finished;
  for (const auto& [name, set] : sets_in(folder)) {
    const bool left_over = copies && is_left_over(folder, name, set, options.limits);
    const auto has_stream = [&](const RankFile& file) { return set.stream_ranks.contains(file.rank); };
    if (!left_over) std::ranges::copy(set.streams, std::back_inserter(files));
    if (left_over || std::ranges::none_of(set.files, has_stream))
      std::ranges::transform(set.files, std::back_inserter(finished), &RankFile::path);
  }
  std::ranges::sort(files);
  std::ranges::sort(finished);
  if (copies)
    std::ranges::move(lone_pending_files(folder), std::back_inserter(files));
  else
    finished = without_whole_files(finished, options.limits, threads, progress);
  std::ranges::move(finished, std::back_inserter(files));
  return files;
}

std::string canonical(const std::string& path) {
  std::error_code unknown;
  const fs::path one = fs::weakly_canonical(path, unknown);
  return unknown ? path : one.string();
}

/// Returns the files themselves, and the files of directories that need a repair, without duplicates. If the
/// output is another directory, also returns complete files, so that the output is a complete data set.
std::vector<std::string> files_of(const std::vector<std::string>& paths, const RepairOptions& options,
                                  unsigned threads, support::Progress& progress) {
  std::vector<std::string> files;
  std::set<std::string> known;
  const auto add = [&](std::string path) {
    if (known.insert(canonical(path)).second) files.push_back(std::move(path));
  };
  for (const std::string& path : paths) {
    if (!is_folder(path)) {
      add(path);
      continue;
    }
    for (std::string& file : files_to_repair(path, options, threads, progress)) add(std::move(file));
  }
  return files;
}

std::vector<std::string> outputs_in(const std::string& folder, const std::vector<std::string>& files,
                                    bool plain) {
  std::vector<std::string> outputs;
  for (const std::string& file : files) {
    const fs::path name = fs::path(repaired_name(file, plain)).filename();
    outputs.push_back((fs::path(folder) / name).string());
  }
  return outputs;
}

/// Checks, before any locking or writing, that repaired files have distinct names: two partial files may get
/// the same one. A data set cannot contain both NAME and NAME.br.
void expect_outputs_apart(const std::vector<std::string>& files, const std::vector<std::string>& outputs,
                          bool plain) {
  struct RepairedFile {
    std::string from;
    std::string to;
  };
  std::map<std::string, RepairedFile> taken;
  for (std::size_t k = 0; k < files.size(); ++k) {
    const std::string output = outputs[k].empty() ? repaired_name(files[k], plain) : outputs[k];
    const auto [first, is_new] =
        taken.emplace(repaired_name(canonical(output), true), RepairedFile{files[k], output});
    if (is_new) continue;
    const RepairedFile& other = first->second;
    const bool same_name = canonical(other.to) == canonical(output);
    throw support::usage_error(
        same_name ? fmt::format("{} and {} would both become {}", other.from, files[k], output)
                  : fmt::format("{} and {} would become {} and {}, two files of one rank", other.from,
                                files[k], other.to, output),
        "use another output directory (-o) for one of them");
  }
}

bool writes_into_folder(const std::vector<std::string>& paths, const RepairOptions& options) {
  if (options.output.empty()) return false;
  return paths.size() > 1 || is_folder(paths.front()) || options.output.ends_with('/') ||
         is_folder(options.output);
}

/// Returns the output that repair() gets for each file; empty for a repair in place.
std::vector<std::string> outputs_of(const std::vector<std::string>& paths,
                                    const std::vector<std::string>& files, const RepairOptions& options) {
  std::vector<std::string> outputs = writes_into_folder(paths, options)
                                         ? outputs_in(options.output, files, options.plain)
                                         : std::vector(files.size(), options.output);
  expect_outputs_apart(files, outputs, options.plain);
  return outputs;
}

/// Throws the same Error as readers if a directory contains no data set or several. A reader's advice to
/// specify one of them does not apply to a repair, which already considered them all.
void expect_one_set(const std::string& folder) {
  const std::vector<std::string> sets = sets_of_folder(folder);
  try {
    find_rank_files({folder});
  } catch (const Error& error) {
    if (sets.size() < 2) throw;
    Diagnostic diagnostic = error.diagnostic();
    diagnostic.suggestion =
        fmt::format("none of their files is truncated or damaged; use plimsoll validate {} to check one",
                    support::shell_quoted((fs::path(folder) / sets.front()).string()));
    throw Error(error.kind(), std::move(diagnostic));
  }
}

/// Returns the data sets, as DIR/BASE, that must be valid after a repair of directories: the written ones if
/// they are copies, otherwise all in the directories.
std::set<std::string> sets_to_check(const std::vector<std::string>& paths,
                                    const std::vector<RepairedFile>& repaired, const RepairOptions& options) {
  const bool copied = !options.output.empty() && !repaired.empty();
  std::set<std::string> written;
  for (const RepairedFile& file : repaired)
    if (file.result) written.insert(set_name(file.result->output));
  std::set<std::string> sets;
  for (const std::string& path : paths) {
    if (!is_folder(path)) continue;
    if (repaired.empty()) expect_one_set(path);
    const std::string& folder = copied ? options.output : path;
    for (const std::string& set : sets_of_folder(folder))
      if (!copied || written.contains(set)) sets.insert((fs::path(folder) / set).string());
  }
  return sets;
}

constexpr const char* elsewhere = "specify another output directory (-o)";

/// Data set to which the repair of many files writes. All its partial output files get their final names
/// together, and never mix with files of another run. If some ranks have both a partial output file and a
/// file, the interrupted run was replacing the files. In this case either all files are replaced or none.
class TargetSet {
 public:
  /// Adds a file. Must be called for all files before lock().
  void add(RepairedFile& file, const RepairOptions& options) {
    overwrite_ = options.overwrite;
    if (!replaces_stream(file.path, options)) return;
    ranks_.insert(rank_of_file(repaired_name(file.path, options.plain)).value_or(-1));
    streams_.push_back(&file);
  }
  /// Locks the set. A failed lock is reported as an error of its files.
  void lock(const RepairTarget& name) {
    try {
      set_.emplace(support::FolderLock(name.folder, {.name = name.set}), overwrite_);
      if (streams_.empty()) return;
      for (RankFile& file : files_of_base(name.folder, name.set))
        (ranks_.contains(file.rank) ? replaced_ : others_).push_back(std::move(file));
      expect_one_run((fs::path(name.folder) / name.set).string());
    } catch (const Error& error) {
      error_ = error;
    }
  }
  RepairResult repair(const std::string& path, const RepairOptions& options) {
    if (replaces_stream(path, options)) expect_absent(path, options);
    if (error_) throw Error(*error_);
    return lbdata::repair(path, options, *set_);
  }
  /// Renames the files made from partial output files to their final names. If that fails, their results
  /// contain the error.
  void publish() {
    if (error_ || streams_.empty()) return;
    try {
      const auto failed =
          std::ranges::find_if(streams_, [](const RepairedFile* file) { return !file->result; });
      if (failed == streams_.end())
        supersede_files();
      else if (!replaced_.empty())
        throw support::usage_error(
            "no files replaced: the files of an earlier run can only be replaced together",
            set_->lock().folder(), fmt::format("check {}, or {}", (*failed)->path, elsewhere));
      if (failed == streams_.end() || !set_->paths().empty()) set_->publish();
    } catch (const Error& error) {
      for (RepairedFile* file : streams_)
        if (std::exchange(file->result, std::nullopt)) file->error = error;
    }
    set_.reset();
  }

 private:
  void expect_one_run(const std::string& name) const {
    if (replaced_.empty()) return;
    if (!overwrite_)
      throw support::usage_error("contains partial files and files of an earlier run", name,
                                 fmt::format("{}, or use --force to replace all files", elsewhere));
    if (!others_.empty())
      throw support::usage_error(
          fmt::format("rank {} has no partial file, only a file of an earlier run", others_.front().rank),
          name, elsewhere);
  }
  // A replaced file has another name than the repaired file if only one of them is compressed.
  void supersede_files() {
    std::set<fs::path> written;
    for (const std::string& path : set_->paths()) written.insert(fs::path(path).filename());
    for (const RankFile& file : replaced_) {
      const auto identity = support::identity(file.path);
      if (identity && !written.contains(fs::path(file.path).filename()))
        set_->supersede(file.path, *identity);
    }
  }

  bool overwrite_ = false;
  std::set<std::int64_t> ranks_;        // ranks of partial output files that are repaired in place
  std::vector<RepairedFile*> streams_;  // these files
  std::vector<RankFile> replaced_;      // existing files of these ranks
  std::vector<RankFile> others_;        // existing files of other ranks
  std::optional<support::OutputSet> set_;
  std::optional<Error> error_;
};

}  // namespace

std::vector<std::string> streams_of_folder(const std::string& folder) {
  std::vector<std::string> streams;
  support::for_each_entry(folder, [&](const support::FolderEntry& entry) {
    if (entry.path().extension() == ".partial" && !entry.is_directory() &&
        !is_readable_statistics_file(entry.path().string()))
      streams.push_back(entry.path().string());
  });
  std::ranges::sort(streams);
  return streams;
}

std::vector<std::string> complete_publications(const std::vector<std::string>& paths) {
  std::vector<std::string> completed;
  for (const std::string& path : paths) {
    if (!is_folder(path)) continue;
    for (const std::string& set : support::sets_being_published(path)) {
      const support::FolderLock completes_it(path, {.name = set});
      completed.push_back((fs::path(path) / set).string());
    }
  }
  return completed;
}

std::vector<std::string> ignored_streams(const std::vector<std::string>& paths,
                                         const RepairOptions& options) {
  std::vector<std::string> ignored;
  if (options.output.empty()) return ignored;
  for (const std::string& path : paths) {
    if (!is_folder(path)) continue;
    const auto first = static_cast<std::ptrdiff_t>(ignored.size());
    for (const auto& [name, set] : sets_in(path))
      if (is_left_over(path, name, set, options.limits))
        std::ranges::copy(set.streams, std::back_inserter(ignored));
    std::sort(ignored.begin() + first, ignored.end());
  }
  return ignored;
}

std::vector<RepairedFile> repair_files(const std::vector<std::string>& paths, const RepairOptions& options,
                                       unsigned threads, support::Progress& progress) {
  if (paths.empty()) return {};
  const std::vector<std::string> files = files_of(paths, options, threads, progress);
  const std::vector<std::string> outputs = outputs_of(paths, files, options);
  if (!files.empty() && writes_into_folder(paths, options)) support::make_folder(options.output);
  std::vector<RepairedFile> repaired(files.size());
  const auto options_of = [&](std::size_t k) {
    RepairOptions own = options;
    own.output = outputs[k];
    return own;
  };
  std::map<RepairTarget, TargetSet> targets;
  std::vector<TargetSet*> target_of(files.size());
  for (std::size_t k = 0; k < files.size(); ++k) {
    repaired[k].path = files[k];
    target_of[k] = &targets[repair_target(files[k], options_of(k))];
    target_of[k]->add(repaired[k], options_of(k));
  }
  for (auto& [name, target] : targets) target.lock(name);
  progress.begin("repairing", files.size(), "files");
  support::parallel_for(files.size(), threads, [&](std::size_t k) {
    try {
      repaired[k].result = target_of[k]->repair(files[k], options_of(k));
    } catch (const Error& error) {
      repaired[k].error = error;
    }
    progress.advance(1);
  });
  for (auto& [name, target] : targets) target.publish();
  progress.end();
  return repaired;
}

void expect_valid(const std::vector<std::string>& paths, const std::vector<RepairedFile>& repaired,
                  const RepairOptions& options, unsigned threads) {
  for (const std::string& set : sets_to_check(paths, repaired, options)) {
    const ValidationReport report =
        validate(find_rank_files({set}), {.ranks = RankCheck::complete,
                                          .expected_ranks = options.expected_ranks,
                                          .threads = threads,
                                          .limits = options.limits});
    if (report.valid()) continue;
    const auto incomplete = std::ranges::find_if(report.findings, [](const Diagnostic& finding) {
      return finding.severity == Severity::error && finding.check == "complete-set";
    });
    if (incomplete != report.findings.end())
      throw support::bad_input(incomplete->what, set, incomplete->suggestion);
    throw support::bad_input(
        "contains errors that repair cannot correct", set,
        fmt::format("use plimsoll validate {} to list them", support::shell_quoted(set)));
  }
}

}  // namespace plimsoll::lbdata
