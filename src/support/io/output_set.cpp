#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/output_set.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/internal/threads.hpp>

#include "support/io/publication.hpp"
#include "support/io/unfinished_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {

namespace fs = std::filesystem;

namespace {

constexpr const char* growing = ".unfinished";
constexpr const char* replaced = ".replaced";

/// Writes a finished file to the disk. Throws if it is not the file that was finished.
void sync_file(const std::string& partial, const FileIdentity& file) {
  const Descriptor descriptor(::open(partial.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!descriptor.is_open() && errno != ENOENT && errno != ELOOP)
    throw system_error("cannot write it to the disk", partial, errno);
  if (!descriptor.is_open() || identity(descriptor) != file) {
    throw Error(ErrorKind::system, {.what = "another program has removed or replaced it",
                                    .file = partial,
                                    .suggestion = "check that only one program writes there at a time"});
  }
  if (::fsync(descriptor.number()) != 0) throw system_error("cannot write it to the disk", partial, errno);
}

std::string listed(const std::vector<std::string>& paths, std::string_view suffix) {
  constexpr std::size_t shown = 3;
  std::string list;
  for (std::size_t k = 0; k < std::min(paths.size(), shown); ++k)
    list += fmt::format("{}{}{}", k == 0 ? "" : ", ", paths[k], suffix);
  return paths.size() > shown ? fmt::format("{} and {} more", list, paths.size() - shown) : list;
}

/// Adds the current names of the set's files to the error that prevented publication.
Error unpublished(const Error& cause, const std::vector<std::string>& paths,
                  const std::vector<std::string>& stuck) {
  Diagnostic diagnostic = cause.diagnostic();
  std::vector<std::string> partial;
  std::ranges::copy_if(paths, std::back_inserter(partial), [&](const std::string& path) {
    return std::ranges::find(stuck, path) == stuck.end();
  });
  if (!diagnostic.suggestion.empty()) diagnostic.suggestion += "; ";
  diagnostic.suggestion += "the finished files are kept as " + listed(partial, growing);
  if (!stuck.empty())
    diagnostic.suggestion +=
        "; these already have their final names and cannot be renamed back: " + listed(stuck, "");
  return {cause.kind(), std::move(diagnostic)};
}

/// Renames finished files to their final names, and back again if one of them cannot be renamed. Until the
/// publication is complete, a replaced file still exists as a hard link `NAME.replaced`.
class Renaming {
 public:
  explicit Renaming(bool overwrite) : overwrite_(overwrite) {}

  void rename(const std::string& path) {
    const Before before = overwrite_ ? save(path) : Before::nothing;
    try {
      check_target(path, overwrite_);
      rename_file(path + growing, path, overwrite_);
    } catch (...) {
      if (before == Before::linked) ::unlink((path + replaced).c_str());
      throw;
    }
    renames_.push_back({path, before});
  }
  /// Undoes all renames in reverse order. Returns the paths that still contain the new file. This happens if
  /// the system refuses to rename it back, or if the file system has no hard links to save the old file.
  std::vector<std::string> undo() {
    std::vector<std::string> stuck;
    for (; !renames_.empty(); renames_.pop_back())
      if (!undo(renames_.back())) stuck.push_back(renames_.back().path);
    return stuck;
  }

 private:
  /// State of the replaced file: none existed, kept as a hard link, or not kept.
  enum class Before { nothing, linked, lost };
  struct Rename {
    std::string path;
    Before before;
  };
  static Before save(const std::string& path) {
    const std::string link = path + replaced;
    int failed = ::link(path.c_str(), link.c_str());
    if (failed != 0 && errno == EEXIST) {  // a killed program that was also overwriting left this link
      ::unlink(link.c_str());
      failed = ::link(path.c_str(), link.c_str());
    }
    if (failed == 0) return Before::linked;
    return errno == ENOENT ? Before::nothing : Before::lost;
  }
  static bool undo(const Rename& rename) {
    const std::string& path = rename.path;
    if (rename.before == Before::lost || ::rename(path.c_str(), (path + growing).c_str()) != 0) return false;
    return rename.before == Before::nothing || ::rename((path + replaced).c_str(), path.c_str()) == 0;
  }

  bool overwrite_;
  std::vector<Rename> renames_;
};

}  // namespace

OutputSet::OutputSet(const std::string& folder, bool overwrite, const std::string& name)
    : OutputSet((make_folder(folder), FolderLock(folder, {.name = name})), overwrite) {}

OutputSet::OutputSet(FolderLock lock, bool overwrite)
    : lock_(std::move(lock)), folder_(lock_->folder()), overwrite_(overwrite) {}

OutputSet::~OutputSet() {
  const UnfinishedFiles::Work work;
  for (std::size_t k = 0; k < paths_.size(); ++k) {
    const std::string partial = paths_[k] + growing;
    if (!kept_ && identity(partial) == files_[k]) ::unlink(partial.c_str());
    UnfinishedFiles::remove(partial);
  }
}

void OutputSet::check(const std::string& name, OutputOptions options) const {
  options.overwrite = overwrite_;
  OutputFile::check(path_in(folder_, name), options);
}

OutputFile OutputSet::create(const std::string& name, OutputOptions options) {
  PLIMSOLL_EXPECT(!kept_);
  if (name.empty() || name.find_first_of("/\n") != std::string::npos)
    throw usage_error(fmt::format("invalid file name {}", in_quotes(name)), "use a name without \"/\"");
  check(name, options);
  options.overwrite = overwrite_;
  options.keep_unfinished = false;
  OutputFile file(path_in(folder_, name), options);
  add(file.path(), file.identity());
  return file;
}

void OutputSet::add(const std::string& path, const FileIdentity& file) {
  const std::lock_guard lock(mutex_);
  paths_.push_back(path);
  files_.push_back(file);
}

void OutputSet::supersede(const std::string& path, const FileIdentity& file) {
  const std::lock_guard lock(mutex_);
  superseded_.insert_or_assign(path, file);
}

// Syncs many files at a time, because each sync waits for the disk.
void OutputSet::sync_files() const {
  constexpr unsigned threads = 8;
  parallel_for(paths_.size(), threads, [&](std::size_t k) { sync_file(paths_[k] + growing, files_[k]); });
}

void OutputSet::save_journal() const {
  Journal journal{.overwrite = overwrite_};
  const auto name = [](const std::string& path) { return fs::path(path).filename().string(); };
  for (std::size_t k = 0; k < paths_.size(); ++k) journal.renames.push_back({name(paths_[k]), files_[k]});
  for (const auto& [path, file] : superseded_) journal.removals.push_back({name(path), file});
  journal.save(folder_, lock_->name());
}

void OutputSet::publish() {
  PLIMSOLL_EXPECT(!kept_ && lock_);
  kept_ = true;
  std::vector<std::string> paths = paths_;
  std::ranges::sort(paths, [](const std::string& left, const std::string& right) {
    return left.size() != right.size() ? left.size() < right.size() : left < right;
  });
  Renaming renaming(overwrite_);
  std::optional<UnfinishedFiles::Work> work;
  bool has_journal = false;
  try {
    sync_files();
    sync_folder(folder_);
    lock_->check();
    work.emplace();
    save_journal();
    has_journal = true;
    for (const std::string& path : paths) renaming.rename(path);
  } catch (const Error& error) {
    const std::vector<std::string> stuck = renaming.undo();
    // Without has_journal, an existing journal may belong to another program.
    if (has_journal) remove_journal(folder_, lock_->name());
    throw unpublished(error, paths, stuck);
  }
  for (std::size_t k = 0; k < paths.size(); ++k) UnfinishedFiles::note_published();
  complete_publication(folder_, lock_->name());
  lock_.reset();
}

}  // namespace plimsoll::support
