#include "lbdata/writing/data_set_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <set>
#include <vector>

#include <plimsoll/lbdata/file_set.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/output_file.hpp>
#include <plimsoll/support/parallel.hpp>

namespace plimsoll::lbdata {

namespace {

namespace fs = std::filesystem;

void check_base(const std::string& base) {
  if (!base.empty() && base.find('/') == std::string::npos) return;
  throw support::usage_error(fmt::format("'{}' cannot be the base of file names", base),
                             "name the folder apart from the base, e.g. 'data'");
}

void make_folder(const std::string& folder) {
  std::error_code code;
  fs::create_directories(folder, code);
  if (code) {
    throw support::system_error("cannot make the folder", folder, code.value(), "check name and permissions");
  }
}

/// Brings everything written in a folder to the disk, in one go.
void sync_folder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = descriptor >= 0 && ::syncfs(descriptor) == 0;
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (!synced) throw support::system_error("cannot bring its files to the disk", folder, error);
}

void remove_file(const std::string& path) {
  std::error_code code;
  fs::remove(path, code);
  if (code) throw support::system_error("cannot remove what is left of the old data set", path, code.value());
}

}  // namespace

void write_data_set(const std::string& folder, const std::string& base, std::size_t ranks,
                    const WriteOptions& options, unsigned threads, support::Progress& progress,
                    const std::function<void(std::size_t, const std::string&)>& write_rank) {
  check_base(base);
  make_folder(folder);
  const std::vector<RankFile> old_files = files_of_base(folder, base);
  if (!old_files.empty() && !options.overwrite) {
    throw Error(ErrorKind::usage, {.what = fmt::format("holds a data set '{}' already", base),
                                   .file = folder,
                                   .suggestion = "choose another folder or base, or allow overwriting"});
  }

  const auto path = [&](std::size_t rank) {
    return rank_file_path(folder, base, static_cast<std::int64_t>(rank), options.compress);
  };
  for (std::size_t rank = 0; rank < ranks && !options.overwrite; ++rank) {
    if (!fs::exists(path(rank) + ".partial")) continue;
    throw Error(ErrorKind::usage,
                {.what = "exists already: another program writes it now, or one was killed",
                 .file = path(rank) + ".partial",
                 .suggestion = "wait for it, save its phases by 'plimsoll repair', or allow overwriting"});
  }
  progress.begin("writing", ranks, "files");
  try {
    support::parallel_for(ranks, threads, [&](std::size_t rank) {
      write_rank(rank, path(rank));
      progress.advance(1);
    });
    sync_folder(folder);
  } catch (...) {
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      std::error_code ignored;
      fs::remove(path(rank) + ".partial", ignored);
    }
    throw;
  }
  for (std::size_t rank = 0; rank < ranks; ++rank)
    support::OutputFile::publish(path(rank), options.overwrite);
  sync_folder(folder);

  if (!old_files.empty()) {
    std::set<std::string> written;
    for (std::size_t rank = 0; rank < ranks; ++rank) written.insert(path(rank));
    for (const RankFile& file : old_files) {
      if (!written.contains(file.path)) remove_file(file.path);
    }
  }
  progress.end();
}

}  // namespace plimsoll::lbdata
