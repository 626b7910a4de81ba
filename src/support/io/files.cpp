#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <new>
#include <system_error>

#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/uninterrupted.hpp>
#include <plimsoll/support/output_file.hpp>

#include "support/io/sync.hpp"
#include "support/io/unfinished_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {

Descriptor open_input_file(const std::string& path) {
  // Without O_NONBLOCK, opening a pipe would block before it can be rejected.
  Descriptor file = open_file(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (!file.is_open())
    throw system_error("cannot open for reading", path, errno, "check its name and permissions");
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) throw system_error("cannot determine its size", path, errno);
  if (S_ISDIR(status.st_mode))
    throw bad_input("is a directory: expected a file", path, "specify a file in it");
  if (!S_ISREG(status.st_mode))
    throw bad_input("is a pipe, a device or a socket: expected a file", path,
                    "use a file that contains its output");
  return file;
}

std::size_t read_at(const Descriptor& file, char* buffer, std::size_t size, std::uint64_t position,
                    const std::string& path) {
  PLIMSOLL_EXPECT(file.is_open());
  std::size_t filled = 0;
  while (filled < size) {
    const ssize_t got = uninterrupted([&] {
      return ::pread(file.number(), buffer + filled, size - filled, static_cast<off_t>(position + filled));
    });
    if (got < 0) throw system_error("reading failed", path, errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  return filled;
}

std::string read_text_file(const std::string& path, std::uint64_t max_bytes) {
  constexpr std::size_t step_bytes = std::size_t{64} << 10;
  const Descriptor file = open_input_file(path);
  std::string text;
  for (std::size_t size = 0; text.size() == size; size += step_bytes) {
    text.resize(size + step_bytes);
    text.resize(size + read_at(file, text.data() + size, step_bytes, size, path));
    if (text.size() > max_bytes) {
      throw bad_input(fmt::format("is larger than {}", format_bytes(max_bytes)), path,
                      "check the file name: hand-written files are smaller");
    }
  }
  return text;
}

void write_text_file(const std::string& path, std::string_view text, bool overwrite) {
  OutputFile file(path, {.overwrite = overwrite});
  file.write(text);
  file.close();
}

namespace {

constexpr const char* make_room = "check the free disk space, or use another file system";

bool exceeds_limit(std::uint64_t file_bytes) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
         file_bytes > limit.rlim_cur;
}

/// Returns errno if that fails, else 0.
int try_sync(const std::string& folder) {
  const Descriptor descriptor = open_file(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (!descriptor.is_open()) return errno;
  const int error = error_of_sync(descriptor);
  return error == EINVAL ? 0 : error;  // some file systems cannot sync directories, and need not do so
}

}  // namespace

void write_at(const Descriptor& file, std::string_view bytes, std::uint64_t position,
              const std::string& path) {
  PLIMSOLL_EXPECT(file.is_open());
  if (exceeds_limit(position + bytes.size()))
    throw system_error("writing failed", path, EFBIG, "set a higher limit of file sizes (ulimit -f)");
  while (!bytes.empty()) {
    const ssize_t written = uninterrupted(
        [&] { return ::pwrite(file.number(), bytes.data(), bytes.size(), static_cast<off_t>(position)); });
    if (written < 0) throw system_error("writing failed", path, errno, make_room);
    position += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void make_folder(const std::string& path) {
  namespace fs = std::filesystem;
  if (path.empty()) return;
  std::error_code code;
  std::vector<fs::path> missing;
  for (fs::path folder = path; !folder.empty() && !fs::exists(folder, code); folder = folder.parent_path())
    missing.push_back(folder);
  fs::create_directories(path, code);
  if (code)
    throw system_error("cannot create the directory", path, code.value(), "check its name and permissions");
  // A directory may be writable but not readable, so that it cannot be opened.
  for (const fs::path& folder : missing) static_cast<void>(try_sync(folder_of(folder.string())));
}

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::filesystem::file_type FolderEntry::type() const {
  using std::filesystem::file_type;
  if (type_ != file_type::unknown && type_ != file_type::symlink) return type_;
  std::error_code unknown;
  return std::filesystem::status(path_, unknown).type();
}

namespace {

std::filesystem::file_type type_of(const dirent& entry) {
  using std::filesystem::file_type;
  switch (entry.d_type) {
    case DT_REG: return file_type::regular;
    case DT_DIR: return file_type::directory;
    case DT_UNKNOWN: return file_type::unknown;  // some file systems do not store types in directories
    case DT_LNK: return file_type::symlink;
    default: return file_type::none;
  }
}

DIR* open_folder(const std::string& folder) {
  DIR* entries = nullptr;
  do entries = ::opendir(folder.c_str());
  while (entries == nullptr && errno == EINTR);
  return entries;
}

/// Returns errno if the directory cannot be read, else 0.
int visit_entries(const std::string& folder, const std::function<void(const FolderEntry&)>& visit) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(open_folder(folder), &::closedir);
  if (!entries) return errno;
  while (true) {
    errno = 0;
    const dirent* const entry = ::readdir(entries.get());
    if (entry == nullptr) return errno;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    // libstdc++ 12 crashes if path::operator/ runs out of memory after a name that ends in a slash.
    std::string path = folder;
    if (!path.ends_with('/')) path += '/';
    visit({std::filesystem::path(path.append(name)), type_of(*entry)});
  }
}

}  // namespace

void for_each_entry(const std::string& folder, const std::function<void(const FolderEntry&)>& visit) {
  const int error = visit_entries(folder, visit);
  if (error != 0)
    throw system_error("cannot read the directory", folder, error, "check its name and permissions");
}

void for_each_readable_entry(const std::string& folder,
                             const std::function<void(const FolderEntry&)>& visit) {
  static_cast<void>(visit_entries(folder, visit));
}

int remove_tree(const std::string& path) {
  constexpr int most_open_folders = 16;
  const auto remove = [](const char* entry, const struct stat*, int, FTW*) {
    return std::remove(entry) == 0 || errno == ENOENT ? 0 : errno;
  };
  const int result = ::nftw(path.c_str(), remove, most_open_folders, FTW_DEPTH | FTW_PHYS);
  const int error = result < 0 ? errno : result;
  return error == ENOENT ? 0 : error;
}

void sync_folder(const std::string& path) {
  const int error = try_sync(path);
  if (error != 0) throw system_error("cannot write the directory's entries to the disk", path, error);
}

ScratchFolder::ScratchFolder(std::string path) : path_(std::move(path)) {
  remove_tree(path_);
  const UnfinishedFiles::Work work;
  if (::mkdir(path_.c_str(), 0777) != 0 && errno != EEXIST)
    throw system_error("cannot create the directory", path_, errno);
  if (const auto folder = identity(path_)) UnfinishedFiles::add(path_, *folder);
}

ScratchFolder::ScratchFolder(std::string path, Created) : path_(std::move(path)) {
  if (const auto folder = identity(path_)) UnfinishedFiles::add(path_, *folder);
}

ScratchFolder ScratchFolder::temporary() {
  std::error_code unknown;
  const std::string folder = std::filesystem::temp_directory_path(unknown).string();
  if (unknown) throw system_error("cannot create a directory for temporary files", folder, unknown.value());
  return inside(folder);
}

ScratchFolder ScratchFolder::inside(const std::string& folder) {
  std::string path = (std::filesystem::path(folder) / "plimsoll-XXXXXX").string();
  const UnfinishedFiles::Work work;
  if (::mkdtemp(path.data()) == nullptr)
    throw system_error("cannot create a directory for temporary files", path, errno);
  return {std::move(path), Created()};
}

ScratchFolder::~ScratchFolder() {
  remove_tree(path_);  // a destructor cannot report errors
  UnfinishedFiles::remove(path_);
}

}  // namespace plimsoll::support
