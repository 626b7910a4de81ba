#include "collectives/files/profile_output.hpp"

#include <algorithm>
#include <filesystem>

#include <plimsoll/support/files.hpp>
#include <plimsoll/support/hash.hpp>

#include "collectives/model/jobs.hpp"

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

bool is_text(const FileName& name) {
  return name.kind != FileKind::profile && name.kind != FileKind::mpi_calls;
}

std::string name_in(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

/// Calls visit(path, name) for each file of a profile in a directory.
template <class Visit>
void for_each_profile_file(const std::string& folder, Visit&& visit) {
  support::for_each_entry(folder, [&](const support::FolderEntry& entry) {
    if (const auto name = FileName::parse(entry.path().filename().string()))
      visit(entry.path().string(), *name);
  });
}

}  // namespace

ProfileOutput::ProfileOutput(std::string folder, bool overwrite)
    : folder_(std::move(folder)), overwrite_(overwrite), files_(lock(folder_), overwrite) {}

void ProfileOutput::add(const std::string& name, const std::function<void(support::TextBuffer&)>& write) {
  support::OutputFile file = files_.create(name);
  support::RunningHash hash;
  support::TextBuffer output([&](std::string_view text) {
    hash.add(std::as_bytes(std::span(text)));
    file.write(text);
  });
  write(output);
  output.drain();
  file.finish();
  texts_.push_back(text_file(name, file.partial_path(), hash.value()));
}

void ProfileOutput::add(const std::string& name, std::string_view text) {
  add(name, [text](support::TextBuffer& output) { output.append(text); });
}

void ProfileOutput::add_profile_files(const Profile& profile) {
  jobs_ = jobs_of(profile);
  const std::vector<std::string> kept = kept_texts();
  if (!kept.empty() && texts_.empty()) throw support::already_exists(kept.front());
  if (!kept.empty()) return;
  for (const std::uint64_t job : jobs_) add_profile_file(profile, job, job == *jobs_.begin());
}

void ProfileOutput::add_profile_file(const Profile& profile, std::uint64_t job, bool with_profile) {
  ProfileFileHead head{.job = job, .text_files = {}};
  for (const TextFile& text : texts_) {
    const auto name = FileName::parse(text.name);
    if (!name->job || *name->job == job) head.text_files.push_back(text);
  }
  support::OutputFile file = files_.create(FileName{.kind = FileKind::profile, .job = job}.text());
  write_profile_file(profile, head, with_profile, [&](std::string_view bytes) { file.write(bytes); });
  file.finish();
}

std::set<std::string> ProfileOutput::names() const {
  std::set<std::string> names;
  for (const std::string& path : files_.paths()) names.insert(name_in(path));
  return names;
}

/// Returns the files in the directory that the written files replace under other names.
std::vector<std::string> ProfileOutput::stale_files() const {
  const std::set<std::string> written = names();
  std::set<FileKind> kinds = {FileKind::profile};
  for (const std::string& text : written)
    if (const auto name = FileName::parse(text)) kinds.insert(replaced_kind(*name));
  if (kinds.contains(FileKind::counts)) kinds.insert(FileKind::summary);
  std::vector<std::string> stale;
  for_each_profile_file(folder_, [&](const std::string& path, const FileName& name) {
    const bool is_replaced = kinds.contains(replaced_kind(name)) || (texts_.empty() && is_text(name));
    if (is_replaced && !written.contains(name_in(path)) && (!name.job || jobs_.contains(*name.job)))
      stale.push_back(path);
  });
  return stale;
}

/// Returns the text files of the same jobs in the directory that publish() neither replaces nor removes.
std::vector<std::string> ProfileOutput::kept_texts() const {
  const std::set<std::string> written = names();
  std::set<std::string> stale;
  if (overwrite_)
    for (std::string& path : stale_files()) stale.insert(std::move(path));
  std::vector<std::string> kept;
  for_each_profile_file(folder_, [&](const std::string& path, const FileName& name) {
    if (is_text(name) && !written.contains(name_in(path)) && !stale.contains(path) &&
        (!name.job || jobs_.contains(*name.job)))
      kept.push_back(path);
  });
  std::ranges::sort(kept);
  return kept;
}

std::vector<std::string> ProfileOutput::publish() {
  if (overwrite_)
    for (const std::string& path : stale_files())
      if (const auto file = support::identity(path)) files_.supersede(path, *file);
  files_.publish();
  return files_.paths();
}

}  // namespace plimsoll::collectives
