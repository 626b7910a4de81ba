#include "lbdata/repair/repair_targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/threads.hpp>

#include "lbdata/json/json_position.hpp"
#include "lbdata/reading/document_parser.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

/// Reader that notices the same damage as PhaseRescue, and the same evidence of an LB data file.
class DamageFinder : public RecordSink, public FindingSink {
 public:
  void metadata_so_far(const RankMetadata& metadata) override {
    recognised_ = recognised_ || metadata.type == "LBDatafile" || metadata.top_level_type == "LBDatafile";
  }
  void end_phase(PhaseHeader&& header, bool complete) override {
    has_phase_ = has_phase_ || complete;
    damaged_ = damaged_ || !complete || !ids_.insert(header.id).second;
  }
  void add(Diagnostic&&, bool readable) override { damaged_ = damaged_ || !readable; }

  FileState state_of_complete_text() const {
    if (!damaged_) return FileState::whole;
    return has_phase_ ? FileState::repairable : FileState::unusable;
  }
  FileState state_of_damaged_text() const {
    return recognised_ || has_phase_ ? FileState::repairable : FileState::unusable;
  }

 private:
  std::set<std::int64_t> ids_;
  bool damaged_ = false;
  bool recognised_ = false;
  bool has_phase_ = false;
};

using RanksBySet = std::map<std::string, std::set<std::int64_t>>;

RanksBySet ranks_of(const std::vector<std::string>& streams) {
  RanksBySet ranks;
  for (const std::string& stream : streams)
    ranks[set_name(stream)].insert(rank_of_file(repaired_name(stream, false)).value_or(-1));
  return ranks;
}

/// Returns whether a data set has complete files of all ranks.
bool is_whole_set(const std::string& folder, const std::string& set, const support::SizeLimits& limits) {
  try {
    const std::string path = (std::filesystem::path(folder) / set).string();
    return std::ranges::all_of(find_rank_files({path}), [&](const RankFile& file) {
      return file_state(file.path, limits) == FileState::whole;
    });
  } catch (const Error&) {
    return false;  // files are missing
  }
}

/// Returns the data files of a directory, except those of an earlier run: in a set in which a rank also has
/// one of the partial output files `of_later_run`, these will replace all data files.
std::vector<std::string> finished_files(const std::string& folder,
                                        const std::vector<std::string>& of_later_run) {
  RanksBySet streams = ranks_of(of_later_run);
  std::vector<std::string> finished;
  for (const std::string& set : sets_of_folder(folder)) {
    const std::vector<RankFile> files = files_of_base(folder, set);
    const auto has_stream = [&](const RankFile& file) { return streams[set].contains(file.rank); };
    if (std::ranges::any_of(files, has_stream)) continue;
    for (const RankFile& file : files) finished.push_back(file.path);
  }
  std::ranges::sort(finished);
  return finished;
}

/// Returns the `.pending` files of a directory whose rank has no other file.
std::vector<std::string> lone_pending_files(const std::string& folder) {
  std::vector<std::string> lone;
  support::for_each_entry(folder, [&](const std::filesystem::directory_entry& entry) {
    const std::string path = entry.path().string();
    const std::string final_path = repaired_name(path, false);
    const auto exists = [](const std::string& name) {
      std::error_code unknown;
      return std::filesystem::exists(std::filesystem::symlink_status(name, unknown));
    };
    if (path.ends_with(".pending") && !exists(final_path + ".partial") && !exists(final_path))
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

constexpr const char* elsewhere = "specify another output directory (-o)";

std::string name_of(const RepairTarget& target) {
  return (std::filesystem::path(target.folder) / target.set).string();
}

}  // namespace

FileState file_state(const std::string& path, const support::SizeLimits& limits) {
  DamageFinder finder;
  try {
    support::TextSource source(path, data_file_format, limits);
    DocumentParser(source, SchemaVersion::current, finder, finder).parse_data_file();
    return finder.state_of_complete_text();
  } catch (const IsStatisticsFile&) {
    return FileState::unusable;
  } catch (const support::SizeLimitError&) {
    return FileState::unusable;
  } catch (const Error& error) {
    return error.kind() == ErrorKind::bad_input ? finder.state_of_damaged_text() : FileState::unusable;
  }
}

std::vector<std::string> leftover_streams(const std::string& folder, const support::SizeLimits& limits) {
  std::vector<std::string> streams = streams_of_folder(folder);
  std::set<std::string> sets;
  for (const auto& [set, ranks] : ranks_of(streams)) {
    const bool some_ranks = ranks.size() < files_of_base(folder, set).size();
    if (some_ranks && is_whole_set(folder, set, limits)) sets.insert(set);
  }
  std::erase_if(streams, [&](const std::string& stream) { return !sets.contains(set_name(stream)); });
  return streams;
}

std::vector<std::string> files_to_repair(const std::string& folder, const RepairOptions& options,
                                         unsigned threads, support::Progress& progress) {
  std::vector<std::string> files = streams_of_folder(folder);
  if (options.output.empty()) {
    std::ranges::move(without_whole_files(finished_files(folder, files), options.limits, threads, progress),
                      std::back_inserter(files));
    return files;
  }
  const std::vector<std::string> leftover = leftover_streams(folder, options.limits);
  std::erase_if(files,
                [&](const std::string& stream) { return std::ranges::binary_search(leftover, stream); });
  std::vector<std::string> finished = finished_files(folder, files);
  std::ranges::move(lone_pending_files(folder), std::back_inserter(files));
  std::ranges::move(finished, std::back_inserter(files));
  return files;
}

void RepairTargets::add(const std::string& path, const RepairOptions& options) {
  Target& target = targets_[repair_target(path, options)];
  target.overwrite = options.overwrite;
  if (replaces_stream(path, options))
    target.streams.insert(rank_of_file(repaired_name(path, options.plain)).value_or(-1));
}

void RepairTargets::lock() {
  for (auto& [name, target] : targets_) {
    try {
      target.lock = lbdata::lock(name);
      if (target.streams.empty()) continue;
      target.files = files_of_base(name.folder, name.set);
      expect_one_run(name, target);
      target.set.emplace(std::move(*target.lock), target.overwrite);
      target.lock.reset();
    } catch (const Error& error) {
      target.error = error;
    }
  }
}

bool RepairTargets::replaces(const Target& target, const RankFile& file) {
  return target.streams.contains(file.rank);
}

bool RepairTargets::replaces_files(const Target& target) {
  return std::ranges::any_of(target.files, [&](const RankFile& file) { return replaces(target, file); });
}

// A replaced file has another name than the repaired file if only one of them is compressed.
void RepairTargets::supersede_files(Target& target) {
  std::set<std::filesystem::path> written;
  for (const std::string& path : target.set->paths()) written.insert(std::filesystem::path(path).filename());
  for (const RankFile& file : target.files) {
    if (!replaces(target, file) || written.contains(std::filesystem::path(file.path).filename())) continue;
    if (const auto identity = support::identity(file.path)) target.set->supersede(file.path, *identity);
  }
}

void RepairTargets::expect_one_run(const RepairTarget& name, const Target& target) {
  if (!replaces_files(target)) return;
  if (!target.overwrite) {
    throw Error(ErrorKind::usage,
                {.what = "contains partial files and files of an earlier run",
                 .file = name_of(name),
                 .suggestion = fmt::format("{}, or use --force to replace all files", elsewhere)});
  }
  for (const RankFile& file : target.files) {
    if (replaces(target, file)) continue;
    throw Error(ErrorKind::usage,
                {.what = fmt::format("rank {} has no partial file, only a file of an earlier run", file.rank),
                 .file = name_of(name),
                 .suggestion = elsewhere});
  }
}

RepairResult RepairTargets::repair(const std::string& path, const RepairOptions& options) {
  Target& target = targets_.at(repair_target(path, options));
  const bool in_place = replaces_stream(path, options);
  if (in_place) expect_absent(path, options);
  if (target.error) throw Error(*target.error);
  return in_place ? repair_stream(path, options, *target.set) : repair_file(path, options);
}

void RepairTargets::publish(std::vector<RepairedFile>& repaired) {
  for (RepairedFile& file : repaired) {
    if (!file.path.ends_with(".partial")) continue;
    const auto target = targets_.find(repair_target(file.path, {}));
    if (target != targets_.end() && target->second.set) target->second.repaired.push_back(&file);
  }
  for (auto& [name, target] : targets_)
    if (target.set) publish(target);
}

void RepairTargets::publish(Target& target) {
  const auto failed =
      std::ranges::find_if(target.repaired, [](const RepairedFile* file) { return !file->result; });
  try {
    if (failed != target.repaired.end() && replaces_files(target)) {
      throw Error(ErrorKind::usage,
                  {.what = "no files replaced: the files of an earlier run can only be replaced together",
                   .file = target.set->lock().folder(),
                   .suggestion = fmt::format("check {}, or {}", (*failed)->path, elsewhere)});
    }
    if (failed == target.repaired.end()) supersede_files(target);
    if (failed == target.repaired.end() || !target.set->paths().empty()) target.set->publish();
  } catch (const Error& error) {
    for (RepairedFile* file : target.repaired) {
      if (!file->result) continue;
      file->result.reset();
      file->error = error;
    }
  }
  target.set.reset();
}

}  // namespace plimsoll::lbdata
