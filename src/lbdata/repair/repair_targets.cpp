#include "lbdata/repair/repair_targets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include <plimsoll/lbdata/reader.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

constexpr const char* elsewhere = "specify another output directory (-o)";

std::string name_of(const RepairTarget& target) {
  return (std::filesystem::path(target.folder) / target.set).string();
}

}  // namespace

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
