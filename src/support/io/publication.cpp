#include "support/io/publication.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <optional>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/output_file.hpp>
#include <plimsoll/support/parse.hpp>

#include "support/io/unfinished_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

constexpr std::uint64_t max_bytes = std::uint64_t{1} << 30;
constexpr const char* grown_under[] = {".partial", ".unfinished"};  // partial output and OutputSet files

std::string path_in(const std::string& folder, const std::string& name) {
  return (std::filesystem::path(folder) / name).string();
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

std::string journal_path(const std::string& folder, const std::string& set) {
  return path_in(folder, set.empty() ? ".plimsoll.publishing" : fmt::format(".plimsoll.{}.publishing", set));
}

std::optional<std::string> set_of_journal(std::string_view file_name) {
  constexpr std::string_view end = ".publishing";
  if (!take(file_name, ".plimsoll") || !file_name.ends_with(end)) return std::nullopt;
  file_name.remove_suffix(end.size());
  return std::string(file_name.substr(file_name.empty() ? 0 : 1));
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
        UnfinishedFiles::all().note_published();
      }
    remove_if_there(target + ".replaced");
  }
  for (const Journal::Step& removal : journal->removals)
    remove_file(path_in(folder, removal.name), removal.file);
  sync_folder(folder);
  remove_journal(folder, set);
}

namespace {

std::string replaced(const std::string& path) {
  return path + ".replaced";
}

}  // namespace

void Publication::rename(const std::string& path) {
  const Before before = overwrite_ ? save(path) : Before::nothing;
  try {
    check_target(path, overwrite_);
    rename_file(path + ".unfinished", path, overwrite_);
  } catch (...) {
    if (before == Before::linked) ::unlink(replaced(path).c_str());
    throw;
  }
  renames_.push_back({path, before});
}

Publication::Before Publication::save(const std::string& path) {
  const std::string link = replaced(path);
  int failed = ::link(path.c_str(), link.c_str());
  if (failed != 0 && errno == EEXIST) {  // a killed program that was also overwriting left this link
    ::unlink(link.c_str());
    failed = ::link(path.c_str(), link.c_str());
  }
  if (failed == 0) return Before::linked;
  return errno == ENOENT ? Before::nothing : Before::lost;
}

std::vector<std::string> Publication::undo() {
  std::vector<std::string> stuck;
  for (; !renames_.empty(); renames_.pop_back()) {
    if (!undo(renames_.back())) stuck.push_back(renames_.back().path);
  }
  return stuck;
}

bool Publication::undo(const Rename& rename) {
  const std::string& path = rename.path;
  if (rename.before == Before::lost) return false;
  if (::rename(path.c_str(), (path + ".unfinished").c_str()) != 0) return false;
  return rename.before == Before::nothing || ::rename(replaced(path).c_str(), path.c_str()) == 0;
}

void Publication::settle() {
  for (const Rename& rename : renames_) {
    const std::string link = replaced(rename.path);
    if (rename.before == Before::linked && ::unlink(link.c_str()) != 0)
      throw system_error("cannot remove a file that has been replaced", link, errno);
  }
  renames_.clear();
}

}  // namespace plimsoll::support
