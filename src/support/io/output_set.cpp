#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <string_view>

#include <plimsoll/support/descriptor.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/folder.hpp>
#include <plimsoll/support/output_set.hpp>

#include "support/io/publication.hpp"

namespace plimsoll::support {

namespace fs = std::filesystem;

namespace {

void remove_superseded(const std::string& path) {
  std::error_code code;
  fs::remove(path, code);
  if (code) throw system_error("cannot remove a file that has been replaced", path, code.value());
}

/// Brings everything written to the file system of a folder to the disk at once.
void sync_file_system(const std::string& folder) {
  const Descriptor descriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor.is_open() || ::syncfs(descriptor.number()) != 0)
    throw system_error("cannot write its files to the disk", folder, errno);
}

std::string listed(const std::vector<std::string>& paths, std::string_view suffix) {
  constexpr std::size_t shown = 3;
  std::string list;
  for (std::size_t k = 0; k < std::min(paths.size(), shown); ++k)
    list += fmt::format("{}{}{}", k == 0 ? "" : ", ", paths[k], suffix);
  return paths.size() > shown ? fmt::format("{} and {} more", list, paths.size() - shown) : list;
}

/// The error that kept a set from being published, completed by where its files are now.
Error unpublished(const Error& cause, const std::vector<std::string>& paths,
                  const std::vector<std::string>& stuck) {
  Diagnostic diagnostic = cause.diagnostic();
  std::vector<std::string> partial;
  std::ranges::copy_if(paths, std::back_inserter(partial), [&](const std::string& path) {
    return std::ranges::find(stuck, path) == stuck.end();
  });
  if (!diagnostic.suggestion.empty()) diagnostic.suggestion += "; ";
  diagnostic.suggestion += "the finished files are kept as " + listed(partial, ".partial");
  if (!stuck.empty())
    diagnostic.suggestion += "; these have their new names and cannot be renamed back: " + listed(stuck, "");
  return {cause.kind(), std::move(diagnostic)};
}

}  // namespace

OutputSet::OutputSet(std::string folder, bool overwrite) : folder_(std::move(folder)), overwrite_(overwrite) {
  make_folder(folder_);
}

OutputSet::~OutputSet() {
  if (kept_) return;
  for (const std::string& path : paths_) {
    std::error_code ignored;
    fs::remove(path + ".partial", ignored);
  }
}

std::string OutputSet::path_of(const std::string& name) const {
  return (fs::path(folder_) / name).string();
}

void OutputSet::check(const std::string& name, OutputOptions options) const {
  options.overwrite = overwrite_;
  OutputFile::check(path_of(name), options);
}

OutputFile OutputSet::create(const std::string& name, OutputOptions options) {
  options.overwrite = overwrite_;
  OutputFile file(path_of(name), options);
  // Only now: a `.partial` that could not be created is another program's.
  const std::lock_guard lock(mutex_);
  paths_.push_back(file.path());
  return file;
}

void OutputSet::publish(const std::vector<std::string>& superseded) {
  kept_ = true;
  std::vector<std::string> paths = paths_;
  std::ranges::sort(paths, [](const std::string& left, const std::string& right) {
    return left.size() != right.size() ? left.size() < right.size() : left < right;
  });
  Publication publication(overwrite_);
  try {
    sync_file_system(folder_);
    for (const std::string& path : paths) publication.rename(path);
  } catch (const Error& error) {
    throw unpublished(error, paths, publication.undo());
  }
  sync_folder(folder_);  // the new names first: a crash must not lose both
  publication.settle();
  for (const std::string& path : superseded) remove_superseded(path);
  sync_folder(folder_);
}

}  // namespace plimsoll::support
