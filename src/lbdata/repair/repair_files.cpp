#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/lbdata/validator.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/output_set.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/internal/threads.hpp>

#include "lbdata/repair/repair_targets.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

namespace fs = std::filesystem;

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

/// Returns a path that is the same for all names of a file.
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

/// Returns the output path of each file: the name of the repaired file, in the directory.
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

}  // namespace

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
  for (const std::string& path : paths)
    if (is_folder(path))
      std::ranges::move(leftover_streams(path, options.limits), std::back_inserter(ignored));
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
  RepairTargets targets;
  for (std::size_t k = 0; k < files.size(); ++k) targets.add(files[k], options_of(k));
  targets.lock();
  progress.begin("repairing", files.size(), "files");
  support::parallel_for(files.size(), threads, [&](std::size_t k) {
    repaired[k].path = files[k];
    try {
      repaired[k].result = targets.repair(files[k], options_of(k));
    } catch (const Error& error) {
      repaired[k].error = error;
    }
    progress.advance(1);
  });
  targets.publish(repaired);
  progress.end();
  return repaired;
}

void expect_valid(const std::vector<std::string>& paths, const std::vector<RepairedFile>& repaired,
                  const RepairOptions& options, unsigned threads) {
  for (const std::string& set : sets_to_check(paths, repaired, options)) {
    const ValidationReport report =
        validate(find_rank_files({set}), {.threads = threads, .limits = options.limits});
    if (report.valid()) continue;
    throw support::bad_input(
        "contains errors that repair cannot correct", set,
        fmt::format("use plimsoll validate {} to list them", support::shell_quoted(set)));
  }
}

}  // namespace plimsoll::lbdata
