#include "support/io/publication.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/output_file.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

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
