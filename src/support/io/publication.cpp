#include "support/io/publication.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/output_set.hpp>
#include <plimsoll/support/output_file.hpp>
#include <plimsoll/support/parse.hpp>

#include "support/io/unfinished_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

constexpr std::uint64_t max_bytes = std::uint64_t{1} << 30;
constexpr const char* grown_under[] = {".partial", ".unfinished"};  // partial output and OutputSet files

constexpr std::string_view journal_suffix = ".publishing";
constexpr std::string_view set_prefix = ".plimsoll";

std::string journal_path(const std::string& folder, const std::string& set) {
  return set_file(folder, set, journal_suffix);
}

Error malformed(const std::string& path) {
  return bad_input("is not a Plimsoll journal", path, "remove it if you know where it comes from");
}

/// Accepts only names in the journal's own directory.
std::string checked(std::string_view name, const std::string& path) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string_view::npos)
    throw malformed(path);
  return std::string(name);
}

std::optional<Journal> load(const std::string& path) {
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
  Journal journal;
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

void remove_if_there(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) throw system_error("cannot remove", path, errno);
}

bool is_named(const std::string& path, const Journal::Step& rename) {
  const auto file = identity(path);
  return file && file->inode == rename.file.inode;
}

/// Throws if a file of that name has been created since the program was killed.
void expect_free(const std::string& target) {
  if (!identity(target)) return;
  throw usage_error(
      fmt::format("{} already exists, but a killed program was about to rename another file to this name",
                  target),
      "rename it");
}

/// Throws if a part of the set is missing. Files that the set replaces must not be removed in this case.
void expect_present(const std::string& folder, const Journal::Step& rename, const std::string& journal) {
  const std::string target = path_in(folder, rename.name);
  if (is_named(target, rename)) return;
  for (const char* suffix : grown_under)
    if (is_named(target + suffix, rename)) return;
  throw Error(ErrorKind::system,
              {.what = fmt::format("missing {}, which a killed program was about to rename", rename.name),
               .file = journal,
               .suggestion = "check the files in this directory, then remove this journal"});
}

}  // namespace

std::string path_in(const std::string& folder, const std::string& name) {
  return (std::filesystem::path(folder) / name).string();
}

std::string set_file(const std::string& folder, const std::string& set, std::string_view suffix) {
  return path_in(folder, fmt::format("{}{}{}{}", set_prefix, set.empty() ? "" : ".", set, suffix));
}

std::vector<std::string> sets_with(const std::string& folder, std::string_view suffix) {
  std::vector<std::string> names;
  for_each_entry(folder, [&](const std::filesystem::directory_entry& entry) {
    const std::string file = entry.path().filename().string();
    std::string_view name = file;
    if (!take(name, set_prefix) || !name.ends_with(suffix)) return;
    name.remove_suffix(suffix.size());
    take(name, ".");
    names.emplace_back(name);
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

void Journal::save(const std::string& folder, const std::string& set) const {
  OutputFile file(journal_path(folder, set), {.overwrite = true, .keep_unfinished = false});
  if (overwrite) file.write("overwrite\n");
  for (const Step& rename : renames)
    file.write(fmt::format("rename {} {}\n", rename.file.inode, rename.name));
  for (const Step& removal : removals)
    file.write(fmt::format("remove {} {}\n", removal.file.inode, removal.name));
  file.close();
}

void remove_journal(const std::string& folder, const std::string& set) {
  remove_if_there(journal_path(folder, set));
  sync_folder(folder);
}

void complete_publication(const std::string& folder, const std::string& set) {
  const std::string path = journal_path(folder, set);
  const std::optional<Journal> journal = load(path);
  if (!journal) return;
  const UnfinishedFiles::Work work;
  for (const Journal::Step& rename : journal->renames) expect_present(folder, rename, path);
  for (const Journal::Step& rename : journal->renames) {
    const std::string target = path_in(folder, rename.name);
    for (const char* suffix : grown_under)
      if (is_named(target + suffix, rename)) {
        if (!journal->overwrite) expect_free(target);
        rename_file(target + suffix, target, journal->overwrite);
        UnfinishedFiles::note_published();
      }
    if (journal->overwrite) remove_if_there(target + ".replaced");
  }
  for (const Journal::Step& removal : journal->removals)
    remove_file(path_in(folder, removal.name), removal.file);
  sync_folder(folder);
  remove_journal(folder, set);
}

void publish_files(const FolderLock& lock, const std::vector<std::string>& names, bool overwrite,
                   const std::vector<std::string>& superseded_names) {
  Journal journal{.overwrite = overwrite};
  for (const std::string& name : names) {
    const std::string path = path_in(lock.folder(), name);
    check_target(path, overwrite);
    const auto file = identity(path + ".partial");
    if (!file) throw system_error("no longer exists", path + ".partial", ENOENT);
    journal.renames.push_back({name, *file});
  }
  for (const std::string& name : superseded_names)
    if (const auto file = identity(path_in(lock.folder(), name))) journal.removals.push_back({name, *file});
  const UnfinishedFiles::Work work;
  lock.check();
  sync_folder(lock.folder());
  journal.save(lock.folder(), lock.name());
  complete_publication(lock.folder(), lock.name());
}

}  // namespace plimsoll::support
