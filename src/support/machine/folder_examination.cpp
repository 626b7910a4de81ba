#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include <plimsoll/support/examination.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/output_set.hpp>
#include <plimsoll/support/output_file.hpp>

#include "support/io/publication.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

namespace fs = std::filesystem;

constexpr const char* one_writer = "let only one program write into the directory at a time";
constexpr const char* use_another = "use another directory, or check its permissions and free space";

/// File system that contains a directory.
struct FileSystem {
  std::string type;         ///< such as "ext4"; empty if unknown
  bool is_of_host = false;  ///< whether no other host can mount it

  /// Finds the mount point that is the longest beginning of the path; later mounts hide earlier ones.
  static FileSystem of(const std::string& folder) {
    std::error_code code;
    const std::string path = fs::canonical(folder, code).string();
    FileSystem found;
    std::size_t longest = 0;
    std::ifstream mounts("/proc/self/mounts");
    std::string device, point, type;
    for (std::string rest; mounts >> device >> point >> type && std::getline(mounts, rest);) {
      const bool contains = path.starts_with(point) &&
                            (point == "/" || path.size() == point.size() || path[point.size()] == '/');
      if (!contains || point.size() < longest) continue;
      longest = point.size();
      found.type = type;
    }
    constexpr std::string_view types_of_hosts[] = {"btrfs", "ext2",    "ext3",  "ext4", "f2fs",
                                                   "ramfs", "overlay", "tmpfs", "xfs",  "zfs"};
    found.is_of_host = std::ranges::find(types_of_hosts, found.type) != std::end(types_of_hosts);
    return found;
  }
};

std::string text_of_errno(int error) {
  return std::generic_category().message(error);
}

/// Writes a file as all commands do: under another name, to the disk, then renamed over an old one.
Examination examine_writing(const std::string& scratch, const FileSystem& system) {
  Examination examination = {.subject = "writing", .is_needed = true};
  const std::string path = path_in(scratch, "written");
  try {
    for (const char* text : {"old", "new"}) write_text_file(path, text, true);
    const bool is_new = read_text_file(path) == "new";
    examination.verdict = is_new ? Verdict::ok : Verdict::no;
    examination.found =
        fmt::format("{} file system; files are {}", system.type.empty() ? "unknown" : system.type,
                    is_new ? "written, synced and replaced" : "not replaced by renaming");
    if (!is_new) examination.remedy = "use a directory in another file system";
  } catch (const Error& error) {
    examination.verdict = Verdict::no;
    examination.found = error.diagnostic().what;
    examination.remedy = use_another;
  }
  return examination;
}

/// Takes the lock that commands take before they write into a directory, twice.
Examination examine_folder_lock(const std::string& scratch) {
  Examination examination = {.subject = "directory lock", .is_needed = true};
  try {
    const FolderLock first(scratch);
    examination.verdict = Verdict::no;
    examination.found = "two writers hold it at the same time";
    examination.remedy = one_writer;
    try {
      const FolderLock second(scratch);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) throw;
      examination = {.subject = examination.subject,
                     .verdict = Verdict::ok,
                     .found = "excludes a second writer",
                     .is_needed = true};
    }
  } catch (const Error& error) {
    examination.verdict = Verdict::no;
    examination.found = error.diagnostic().what;
    examination.remedy = "use a directory in a file system with hard links or renameat2()";
  }
  return examination;
}

Examination examine_locks(const std::string& scratch, const FileSystem& system) {
  Examination examination = {.subject = "file locks"};
  const std::string path = path_in(scratch, "locked");
  const Descriptor first = create_file(path, true);
  const Descriptor second = open_to_lock(path);
  const bool is_locked = first.is_open() && try_lock(first) == LockOutcome::locked;
  const LockOutcome again = second.is_open() ? try_lock(second) : LockOutcome::unsupported;
  if (is_locked && again == LockOutcome::held) {
    examination.verdict = system.is_of_host ? Verdict::ok : Verdict::unknown;
    examination.found = system.is_of_host
                            ? "flock() excludes other processes"
                            : "flock() excludes processes of this host; not tested between hosts";
    return examination;
  }
  examination.verdict = Verdict::no;
  examination.found = again == LockOutcome::locked ? "flock() lets two processes lock the same file"
                                                   : "flock() is not supported; lock files are used instead";
  examination.remedy = fmt::format("mount it with locks (Lustre: -o flock), or {}", one_writer);
  return examination;
}

Examination examine_links(const std::string& scratch) {
  const std::string path = path_in(scratch, "linked");
  write_text_file(path, "", true);
  if (::link(path.c_str(), (path + ".too").c_str()) == 0)
    return {.subject = "hard links", .verdict = Verdict::ok, .found = "link() works"};
  return {.subject = "hard links",
          .verdict = Verdict::no,
          .found = fmt::format("link(): {}; a failed write cannot restore the files that it replaced",
                               text_of_errno(errno)),
          .remedy = "write into a new directory, without --force"};
}

/// Tries renameat2() with RENAME_NOREPLACE to a free name, and to one that is taken.
Examination examine_renaming(const std::string& scratch) {
  const std::string from = path_in(scratch, "renamed");
  const std::string taken = path_in(scratch, "taken");
  for (const std::string& path : {from, taken}) write_text_file(path, "", true);
  const auto rename = [&](const std::string& to) {
    return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0 ? 0 : errno;
  };
  const int error = rename(taken);
  if (error == EEXIST && rename(from + ".free") == 0)
    return {.subject = "renaming",
            .verdict = Verdict::ok,
            .found = "renameat2() refuses to replace a file that appears meanwhile"};
  return {.subject = "renaming",
          .verdict = Verdict::no,
          .found = fmt::format("renameat2() without replacing: {}",
                               error == 0 ? "replaces files" : text_of_errno(error)),
          .remedy = one_writer};
}

Examination examine_space(const std::string& folder) {
  struct statvfs space {};
  if (::statvfs(folder.c_str(), &space) != 0)
    return {.subject = "disk space", .found = "statvfs(): " + text_of_errno(errno)};
  constexpr std::uint64_t little_bytes = std::uint64_t{1} << 30;
  constexpr std::uint64_t few_files = 10'000;
  const std::uint64_t bytes = std::uint64_t{space.f_bavail} * space.f_frsize;
  const bool counts_files = space.f_files > 0;
  const std::string files =
      counts_files ? fmt::format("{} files", format_count(space.f_favail)) : "an unknown number of files";
  // Quotas may allow less; each file system has its own interface for them.
  const std::string found =
      fmt::format("at most {} and {} are free; quotas are not known", format_bytes(bytes), files);
  if (bytes >= little_bytes && (!counts_files || space.f_favail >= few_files))
    return {.subject = "disk space", .verdict = Verdict::ok, .found = found};
  return {.subject = "disk space",
          .verdict = Verdict::no,
          .found = found,
          .remedy = fmt::format("free at least {} and {} files, which is a guess of what a job needs",
                                format_bytes(little_bytes), format_count(few_files))};
}

/// Runs an examination that may fail for other reasons than the one that it examines.
Examination attempt(const char* subject, const std::function<Examination()>& examine) {
  try {
    return examine();
  } catch (const Error& error) {
    return {.subject = subject, .found = error.diagnostic().what};
  }
}

}  // namespace

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok: return "ok";
    case Verdict::no: return "no";
    case Verdict::unknown: break;
  }
  return "unknown";
}

bool is_fit(std::span<const Examination> examinations) {
  return std::ranges::none_of(examinations, [](const Examination& examination) {
    return examination.is_needed && examination.verdict != Verdict::ok;
  });
}

std::vector<Examination> examine_folder(const std::string& folder) {
  std::error_code code;
  if (!fs::is_directory(folder, code))
    throw usage_error("is not a directory", folder, "specify the directory for the output of the job");
  const FileSystem system = FileSystem::of(folder);
  try {
    const ScratchFolder scratch = ScratchFolder::inside(folder);
    const std::string& path = scratch.path();
    return {examine_writing(path, system),
            examine_folder_lock(path),
            attempt("file locks", [&] { return examine_locks(path, system); }),
            attempt("hard links", [&] { return examine_links(path); }),
            attempt("renaming", [&] { return examine_renaming(path); }),
            examine_space(folder)};
  } catch (const Error& error) {  // the directory cannot be created
    return {{.subject = "writing",
             .verdict = Verdict::no,
             .found = error.diagnostic().what,
             .remedy = use_another,
             .is_needed = true},
            examine_space(folder)};
  }
}

}  // namespace plimsoll::support
