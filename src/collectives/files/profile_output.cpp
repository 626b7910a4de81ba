#include "collectives/files/profile_output.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/support/files.hpp>

#include "collectives/files/file_names.hpp"
#include "collectives/time_files/time_file_text.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// Locks the directory, so that jobs that end at the same time wait for each other.
support::FolderLock lock(const std::string& folder) {
  constexpr double patience_s = 60;
  support::make_folder(folder);
  return support::FolderLock(folder, {.patience_s = patience_s});
}

}  // namespace

ProfileOutput::ProfileOutput(std::string folder, bool overwrite)
    : folder_(std::move(folder)), overwrite_(overwrite), files_(lock(folder_), overwrite) {}

void ProfileOutput::add(const std::string& name, const std::function<void(support::TextBuffer&)>& write) {
  support::OutputFile file = files_.create(name);
  support::TextBuffer output([&file](std::string_view text) { file.write(text); });
  write(output);
  output.drain();
  file.finish();
}

std::vector<std::string> ProfileOutput::publish() {
  if (overwrite_) {
    std::vector<std::string> names;
    for (const std::string& path : files_.paths())
      names.push_back(std::filesystem::path(path).filename().string());
    for (const std::string& path : stale_files(folder_, names))
      if (const auto file = support::identity(path)) files_.supersede(path, *file);
  }
  files_.publish();
  return files_.paths();
}

namespace fs = std::filesystem;

namespace {

enum class Kind { counts, displacements, summary, first_time_file };

struct KindAndJob {
  Kind kind;
  std::optional<std::uint64_t> job;
};

std::optional<KindAndJob> of_name(const std::string& name) {
  if (const auto blocks = BlocksFileName::parse(name))
    return KindAndJob{blocks->content == Content::counts ? Kind::counts : Kind::displacements, blocks->job};
  if (CallFileName::parse(name)) return KindAndJob{Kind::counts, std::nullopt};
  if (const auto summary = ProfileFileName::parse(name)) return KindAndJob{Kind::summary, summary->job};
  if (const auto time_file = TimeFileName::parse(name))
    return KindAndJob{
        static_cast<Kind>(static_cast<int>(Kind::first_time_file) + static_cast<int>(time_file->kind)),
        time_file->job};
  return std::nullopt;
}

}  // namespace

bool is_profile_file(const std::string& name) {
  return name == mpi_calls_file_name || of_name(name);
}

std::vector<std::string> stale_files(const std::string& folder,
                                     const std::vector<std::string>& written_names) {
  const std::set<std::string> written(written_names.begin(), written_names.end());
  std::set<Kind> kinds;
  std::set<std::uint64_t> jobs;
  for (const std::string& name : written) {
    const auto of = of_name(name);
    if (!of) continue;
    kinds.insert(of->kind);
    if (of->job) jobs.insert(*of->job);
  }
  if (kinds.contains(Kind::counts)) kinds.insert(Kind::summary);

  std::vector<std::string> stale;
  support::for_each_entry(folder, [&](const fs::directory_entry& entry) {
    const std::string name = entry.path().filename().string();
    if (written.contains(name)) return;
    const auto of = of_name(name);
    if (of && kinds.contains(of->kind) && (!of->job || jobs.contains(*of->job)))
      stale.push_back(entry.path().string());
  });
  std::ranges::sort(stale);
  return stale;
}

}  // namespace plimsoll::collectives
