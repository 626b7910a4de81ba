#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include <plimsoll/support/internal/output_set.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/internal/threads.hpp>
#include <plimsoll/support/parse.hpp>

#include "support/io/publication.hpp"
#include "support/io/sync.hpp"
#include "support/io/unfinished_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {

namespace fs = std::filesystem;

namespace {

constexpr const char* growing = ".unfinished";
constexpr std::size_t most_listed = 3;  // in messages
constexpr const char* replaced = ".replaced";

/// Writes a finished file to the disk. Throws if it is not the file that was finished.
void sync_file(const std::string& partial, const FileIdentity& file) {
  const Descriptor descriptor = open_file(partial, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (!descriptor.is_open() && errno != ENOENT && errno != ELOOP)
    throw system_error("cannot write it to the disk", partial, errno);
  if (!descriptor.is_open() || identity(descriptor) != file) {
    throw Error(ErrorKind::system, {.what = "another program has removed or replaced it",
                                    .file = partial,
                                    .suggestion = "check that only one program writes there at a time"});
  }
  if (const int error = error_of_sync(descriptor); error != 0)
    throw system_error("cannot write it to the disk", partial, error);
}

/// Adds the current names of the set's files to the error that prevented publication.
Error unpublished(const Error& cause, const std::vector<std::string>& paths,
                  const std::vector<std::string>& stuck) {
  Diagnostic diagnostic = cause.diagnostic();
  std::vector<std::string> partial;
  for (const std::string& path : paths)
    if (std::ranges::find(stuck, path) == stuck.end()) partial.push_back(path + growing);
  if (!diagnostic.suggestion.empty()) diagnostic.suggestion += "; ";
  diagnostic.suggestion += "the finished files are kept as " + listed(partial, most_listed);
  if (!stuck.empty())
    diagnostic.suggestion +=
        "; these already have their final names and cannot be renamed back: " + listed(stuck, most_listed);
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
  /// Removes the replaced files: the renames can no longer be undone.
  void settle() const {
    for (const Rename& rename : renames_) {
      const std::string link = rename.path + replaced;
      if (rename.before == Before::linked && ::unlink(link.c_str()) != 0)
        throw system_error("cannot remove a file that has been replaced", link, errno);
    }
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

constexpr std::uint64_t max_bytes = std::uint64_t{1} << 30;
constexpr std::string_view journal_suffix = ".publishing";
constexpr std::string_view set_prefix = ".plimsoll";

std::string journal_path(const std::string& folder, const std::string& set) {
  return set_file(folder, set, journal_suffix);
}

void remove_if_there(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw system_error("cannot remove", path, errno);
}

/// Throws Error (usage) if a journal cannot store the name of a file.
void expect_storable(const std::string& name) {
  if (name.empty() || name.find_first_of("/\n") != std::string::npos)
    throw usage_error(fmt::format("invalid file name {}", in_quotes(name)), "use a name without \"/\"");
}

/// Steps of publishing a set of files, stored in a file `.plimsoll.NAME.publishing` in the directory of the
/// set. POSIX has no way to rename several files at once, but any process that finds a journal can complete
/// its steps. Once the journal is on the disk, the set is considered published.
struct Journal {
  struct Step {
    std::string name;
    FileIdentity file;  ///< identity of the file: a later file of that name is not part of this set
  };
  std::string folder;
  std::string set;
  bool overwrite = false;           ///< whether files may be replaced
  std::vector<Step> renames = {};   ///< files renamed to `name` from `name`.partial or `name`.unfinished
  std::vector<Step> removals = {};  ///< files that the set replaces

  /// Writes the journal and makes it durable.
  void save() const {
    OutputFile file(journal_path(folder, set), {.overwrite = true, .keep_unfinished = false});
    if (overwrite) file.write("overwrite\n");
    for (const Step& rename : renames)
      file.write(fmt::format("rename {} {}\n", rename.file.inode, rename.name));
    for (const Step& removal : removals)
      file.write(fmt::format("remove {} {}\n", removal.file.inode, removal.name));
    file.close();
  }
  /// Removes the journal after all its steps have been completed or undone.
  void remove() const {
    remove_if_there(journal_path(folder, set));
    sync_folder(folder);
  }
  /// Removes the files that the set replaces, and the journal, after all renames.
  void finish() const {
    for (const Step& removal : removals) remove_file(path_in(folder, removal.name), removal.file);
    sync_folder(folder);
    remove();
  }
  /// Completes the remaining steps of another process. Removes no file that the set replaces if a part of the
  /// set is missing.
  void complete() const {
    const UnfinishedFiles::Work work;
    for (const Step& rename : renames) expect_present(rename);
    for (const Step& rename : renames) complete(rename);
    finish();
  }

 private:
  static bool is_named(const std::string& path, const Step& rename) {
    const auto file = identity(path);
    return file && file->inode == rename.file.inode;
  }
  void expect_present(const Step& rename) const {
    for (const char* suffix : {"", ".partial", ".unfinished"})
      if (is_named(path_in(folder, rename.name) + suffix, rename)) return;
    throw Error(ErrorKind::system,
                {.what = fmt::format("missing {}, which a killed program was about to rename", rename.name),
                 .file = journal_path(folder, set),
                 .suggestion = "check the files in this directory, then remove this journal"});
  }
  void complete(const Step& rename) const {
    const std::string target = path_in(folder, rename.name);
    for (const char* suffix : {".partial", ".unfinished"}) {
      if (!is_named(target + suffix, rename)) continue;
      if (!overwrite && identity(target))  // created since the program was killed
        throw usage_error(
            fmt::format(
                "{} already exists, but a killed program was about to rename another file to this name",
                target),
            "rename it");
      rename_file(target + suffix, target, overwrite);
      UnfinishedFiles::note_published();
    }
    if (overwrite) remove_if_there(target + replaced);
  }
};

Error malformed(const std::string& path) {
  return bad_input("is not a Plimsoll journal", path, "remove it if you know where it comes from");
}

/// Accepts only names in the journal's own directory.
std::string checked(std::string_view name, const std::string& path) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string_view::npos)
    throw malformed(path);
  return std::string(name);
}

std::optional<Journal> load(const std::string& folder, const std::string& set) {
  const std::string path = journal_path(folder, set);
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return std::nullopt;
  if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid())
    throw usage_error(fmt::format("{} is not a regular file that you own", path), "remove it");
  const std::string text = read_text_file(path, max_bytes);
  const auto step = [&](std::string_view line) {
    ino_t inode = 0;
    if (!take_number(line, inode) || !take(line, " ")) throw malformed(path);
    return Journal::Step{checked(line, path), {status.st_dev, inode}};
  };
  Journal journal{.folder = folder, .set = set};
  for (LineReader lines(text); !lines.at_end(); lines.advance()) {
    std::string_view line = lines.line();
    if (take(line, "rename ")) {
      journal.renames.push_back(step(line));
    } else if (line == "overwrite") {
      journal.overwrite = true;
    } else if (take(line, "remove ")) {
      journal.removals.push_back(step(line));
    } else {
      throw malformed(path);
    }
  }
  return journal;
}

}  // namespace

OutputSet::OutputSet(const std::string& folder, bool overwrite, const std::string& name)
    : OutputSet((make_folder(folder), FolderLock(folder, {.name = name})), overwrite) {}

OutputSet::OutputSet(FolderLock lock, bool overwrite)
    : lock_(std::move(lock)), folder_(lock_->folder()), overwrite_(overwrite) {}

OutputSet::~OutputSet() {
  const UnfinishedFiles::Work work;
  for (std::size_t k = 0; k < paths_.size(); ++k) try {
      const std::string partial = paths_[k] + growing;
      if (!kept_ && identity(partial) == files_[k]) ::unlink(partial.c_str());
      UnfinishedFiles::remove(partial);
    } catch (const std::bad_alloc&) {
      // The next set replaces the file.
    }
}

void OutputSet::check(const std::string& name, OutputOptions options) const {
  options.overwrite = overwrite_;
  OutputFile::check(path_in(folder_, name), options);
}

OutputFile OutputSet::create(const std::string& name, OutputOptions options) {
  PLIMSOLL_EXPECT(!kept_);
  expect_storable(name);
  check(name, options);
  options.overwrite = overwrite_;
  options.keep_unfinished = false;
  OutputFile file(path_in(folder_, name), options);
  add(file.path(), file.identity());
  return file;
}

void OutputSet::add(const std::string& path, const FileIdentity& file) {
  const std::lock_guard lock(mutex_);
  files_.push_back(file);
  try {
    paths_.push_back(path);
  } catch (...) {
    files_.pop_back();
    throw;
  }
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

void OutputSet::publish() {
  PLIMSOLL_EXPECT(!kept_ && lock_);
  kept_ = true;
  std::vector<std::string> paths = paths_;
  std::ranges::sort(paths, [](const std::string& left, const std::string& right) {
    return left.size() != right.size() ? left.size() < right.size() : left < right;
  });
  Journal journal{.folder = folder_, .set = lock_->name(), .overwrite = overwrite_};
  const auto name = [](const std::string& path) { return fs::path(path).filename().string(); };
  for (std::size_t k = 0; k < paths_.size(); ++k) journal.renames.push_back({name(paths_[k]), files_[k]});
  for (const auto& [path, file] : superseded_) journal.removals.push_back({name(path), file});
  Renaming renaming(overwrite_);
  std::optional<UnfinishedFiles::Work> work;
  bool has_journal = false;
  try {
    sync_files();
    sync_folder(folder_);
    lock_->check();
    work.emplace();
    journal.save();
    has_journal = true;
    for (const std::string& path : paths) renaming.rename(path);
  } catch (...) {
    const Error error = current_error();
    const std::vector<std::string> stuck = renaming.undo();
    // Without has_journal, an existing journal may belong to another program.
    if (has_journal) journal.remove();
    throw unpublished(error, paths, stuck);
  }
  for (std::size_t k = 0; k < paths.size(); ++k) UnfinishedFiles::note_published();
  sync_folder(folder_);  // before removing old files: a crash must not lose both
  renaming.settle();
  journal.finish();
  lock_.reset();
}

std::string path_in(const std::string& folder, const std::string& name) {
  return (std::filesystem::path(folder) / name).string();
}

std::string set_file(const std::string& folder, const std::string& set, std::string_view suffix) {
  return path_in(folder, fmt::format("{}{}{}{}", set_prefix, set.empty() ? "" : ".", set, suffix));
}

std::vector<std::string> sets_with(const std::string& folder, std::string_view suffix) {
  std::vector<std::string> names;
  for_each_entry(folder, [&](const FolderEntry& entry) {
    const std::string file = entry.path().filename().string();
    std::string_view name = file;
    if (!take(name, set_prefix) || !name.ends_with(suffix)) return;
    name.remove_suffix(suffix.size());
    if (name.empty() || take(name, ".")) names.emplace_back(name);
  });
  std::ranges::sort(names);
  return names;
}

bool is_being_published(const std::string& folder, const std::string& name) {
  return identity(journal_path(folder, name)).has_value();
}

std::vector<std::string> sets_being_published(const std::string& folder) {
  return sets_with(folder, journal_suffix);
}

void complete_publication(const std::string& folder, const std::string& set) {
  if (const std::optional<Journal> journal = load(folder, set)) journal->complete();
}

void publish_files(const FolderLock& lock, const std::vector<std::string>& names, bool overwrite,
                   const std::vector<std::string>& superseded_names) {
  Journal journal{.folder = lock.folder(), .set = lock.name(), .overwrite = overwrite};
  for (const std::string& name : names) {
    expect_storable(name);
    const std::string path = path_in(lock.folder(), name);
    check_target(path, overwrite);
    const auto file = identity(path + ".partial");
    if (!file) throw system_error("no longer exists", path + ".partial", ENOENT);
    journal.renames.push_back({name, *file});
  }
  for (const std::string& name : superseded_names) {
    expect_storable(name);
    if (const auto file = identity(path_in(lock.folder(), name))) journal.removals.push_back({name, *file});
  }
  const UnfinishedFiles::Work work;
  lock.check();
  sync_folder(lock.folder());
  journal.save();
  journal.complete();
}

}  // namespace plimsoll::support
