#include "collectives/profile_file/text_files.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <map>

#include <plimsoll/support/files.hpp>
#include <plimsoll/support/hash.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

namespace fs = std::filesystem;

/// Returns size and time of a file.
TextFile state_of(std::string name, const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) throw support::system_error("cannot read", path, errno);
  constexpr std::int64_t ns_per_s = 1'000'000'000;
  return {.name = std::move(name),
          .size_bytes = static_cast<std::uint64_t>(status.st_size),
          .modified_ns = status.st_mtim.tv_sec * ns_per_s + status.st_mtim.tv_nsec};
}

std::uint64_t hash_of_content(const std::string& path) {
  const support::Descriptor file = support::open_input_file(path);
  support::RunningHash hash;
  std::vector<char> piece(std::size_t{1} << 18);
  for (std::uint64_t position = 0;;) {
    const std::size_t size = support::read_at(file, piece.data(), piece.size(), position, path);
    hash.add(std::as_bytes(std::span(piece).first(size)));
    position += size;
    if (size < piece.size()) return hash.value();
  }
}

bool has_changed(const TextFile& written, const std::string& path) {
  const TextFile now = state_of(written.name, path);
  if (now.size_bytes != written.size_bytes) return true;
  return now.modified_ns != written.modified_ns && hash_of_content(path) != written.hash;
}

}  // namespace

TextFile text_file(std::string name, const std::string& path, std::uint64_t hash) {
  TextFile file = state_of(std::move(name), path);
  file.hash = hash;
  return file;
}

TextFilesState compare_text_files(const std::string& profile_path, const ProfileFileHead& head,
                                  const std::vector<InputFile>& texts) {
  std::map<fs::path, const TextFile*> written;  // not found yet
  for (const TextFile& file : head.text_files)
    written[fs::path(profile_path).parent_path() / file.name] = &file;
  TextFilesState state;
  std::string other;
  for (const InputFile& text : texts) {
    const auto known = written.find(text.path);
    if (known == written.end()) {
      if (!text.name.job || text.name.job == head.job) other = text.path;
      continue;
    }
    state.same.insert(text.path);
    if (state.difference.empty() && has_changed(*known->second, text.path))
      state.difference = support::printable(known->second->name) + " has changed since this file was written";
    written.erase(known);
  }
  if (!state.difference.empty()) return state;
  if (!other.empty())
    state.difference = support::printable(other) + " contains other data of the same job";
  else if (!state.same.empty() && !written.empty())
    state.difference = support::printable(written.begin()->second->name) + " is missing";
  return state;
}

}  // namespace plimsoll::collectives
