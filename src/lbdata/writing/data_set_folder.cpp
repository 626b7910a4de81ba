#include "lbdata/writing/data_set_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/support/internal/output_set.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/internal/threads.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

namespace fs = std::filesystem;

void check_base(const std::string& base) {
  if (!base.empty() && base.find('/') == std::string::npos) return;
  throw support::usage_error(
      fmt::format("invalid base {} for file names: expected a name without \"/\"", support::in_quotes(base)),
      "specify the directory separately, and use a base such as \"data\"");
}

/// Returns files that killed programs left for this base. They do not belong to the data set being written.
std::vector<std::string> remains_of(const std::string& folder, const std::string& base) {
  std::vector<std::string> remains;
  support::for_each_entry(folder, [&](const support::FolderEntry& entry) {
    const fs::path& path = entry.path();
    const bool is_remains =
        path.extension() == ".partial" || path.extension() == ".pending" || path.extension() == ".unfinished";
    if (is_remains && set_name(path.string()) == base) remains.push_back(path.string());
  });
  std::ranges::sort(remains);
  return remains;
}

}  // namespace

void write_data_set(const std::string& folder, const std::string& base, std::size_t ranks,
                    const WriteOptions& options, unsigned threads, support::Progress& progress,
                    const std::function<void(std::size_t, support::OutputFile)>& write_rank) {
  check_base(base);
  support::OutputSet files(folder, options.overwrite, base);
  const std::vector<RankFile> old_files = files_of_base(folder, base);
  if (!old_files.empty() && !options.overwrite) {
    throw support::usage_error(fmt::format("already contains a data set {}", support::in_quotes(base)),
                               folder, "use another directory or base, or allow overwriting");
  }

  const auto name_of = [&](std::size_t rank) {
    const fs::path path = rank_file_path(folder, base, static_cast<std::int64_t>(rank), options.compress);
    return path.filename().string();
  };
  for (std::size_t rank = 0; rank < ranks; ++rank) files.check(name_of(rank), output_options(options));
  const auto supersede = [&](const std::string& path) {
    if (const auto file = support::identity(path)) files.supersede(path, *file);
  };
  for (const std::string& path : remains_of(folder, base)) {
    supersede(path);
    const fs::path name = fs::path(path).filename();
    if (name.extension() == ".partial") files.check(name.stem().string(), output_options(options));
  }

  progress.begin("writing", ranks, "files");
  support::parallel_for(ranks, threads, [&](std::size_t rank) {
    write_rank(rank, files.create(name_of(rank), output_options(options)));
    progress.advance(1);
  });
  const std::set<std::string> written(files.paths().begin(), files.paths().end());
  for (const RankFile& file : old_files)
    if (!written.contains(file.path)) supersede(file.path);
  files.publish();
  progress.end();
}

}  // namespace plimsoll::lbdata
