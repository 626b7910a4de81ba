#include "lbdata/repair/files_to_repair.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/threads.hpp>

#include "lbdata/repair/file_state.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

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

}  // namespace

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

}  // namespace plimsoll::lbdata
