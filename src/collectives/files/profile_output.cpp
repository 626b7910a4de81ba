#include "collectives/files/profile_output.hpp"

#include <filesystem>
#include <set>

#include <plimsoll/support/files.hpp>

#include "collectives/files/file_names.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// Locks the directory, so that jobs that end at the same time wait for each other.
support::FolderLock lock(const std::string& folder) {
  constexpr double patience_s = 60;
  support::make_folder(folder);
  return support::FolderLock(folder, {.patience_s = patience_s});
}

/// Returns the kind of the files that a file replaces: files of calls replace compact ones.
FileKind replaced_kind(const FileName& name) {
  return name.kind == FileKind::call ? FileKind::counts : name.kind;
}

/// Returns the files in a directory that do not belong to the written ones.
std::vector<std::string> stale_files(const std::string& folder, const std::set<std::string>& written) {
  std::set<FileKind> kinds;
  std::set<std::uint64_t> jobs;
  for (const std::string& text : written) {
    const auto name = FileName::parse(text);
    if (!name) continue;
    kinds.insert(replaced_kind(*name));
    if (name->job) jobs.insert(*name->job);
  }
  if (kinds.contains(FileKind::counts)) kinds.insert(FileKind::summary);

  std::vector<std::string> stale;
  support::for_each_entry(folder, [&](const std::filesystem::directory_entry& entry) {
    const std::string text = entry.path().filename().string();
    const auto name = FileName::parse(text);
    if (name && !written.contains(text) && kinds.contains(replaced_kind(*name)) &&
        (!name->job || jobs.contains(*name->job)))
      stale.push_back(entry.path().string());
  });
  return stale;
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

void ProfileOutput::add(const std::string& name, std::string_view text) {
  add(name, [text](support::TextBuffer& output) { output.append(text); });
}

std::vector<std::string> ProfileOutput::publish() {
  if (overwrite_) {
    std::set<std::string> names;
    for (const std::string& path : files_.paths())
      names.insert(std::filesystem::path(path).filename().string());
    for (const std::string& path : stale_files(folder_, names))
      if (const auto file = support::identity(path)) files_.supersede(path, *file);
  }
  files_.publish();
  return files_.paths();
}

}  // namespace plimsoll::collectives
