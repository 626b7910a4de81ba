#include <filesystem>
#include <string>
#include <vector>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/output_set.hpp>

#include "runtime/output/output_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

namespace fs = std::filesystem;

std::string folder_of(const std::string& file) {
  const std::string folder = fs::path(file).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string name_of(const std::string& file) {
  return fs::path(file).filename().string();
}

bool shares_folder_of_rank_0(const Settings& settings, int rank) {
  return folder_of(data_file_path(settings, rank)) == folder_of(data_file_path(settings, 0));
}

support::FolderLock lock_folder(const std::string& folder, const Settings& settings) {
  support::make_folder(folder);
  return support::FolderLock(folder, {.name = lbdata::set_of_pattern(data_file_pattern(settings)),
                                      .may_have_threads = mpi::Environment::allows_threads()});
}

/// Returns the files of ranks that this run does not have, in all directories. An earlier run on more ranks
/// left them.
std::vector<std::string> files_of_higher_ranks(const Settings& settings, int ranks) {
  std::vector<std::string> files;
  for (int rank = ranks;; ++rank) {
    files.push_back(data_file_path(settings, rank));
    if (!support::identity(files.back())) break;
  }
  files.pop_back();
  return files;
}

void remove_file(const std::string& path) {
  std::error_code code;
  fs::remove(path, code);
  if (code)
    throw support::system_error("cannot remove the file of an earlier run", path, code.value(), "remove it");
}

void remove_stream(const std::string& file) {
  const std::string stream = file + ".partial";
  // Throws if another program is writing the file. While the file is open here, no other program can begin to
  // write it.
  const support::Descriptor held = support::create_file(stream, true);
  for (const std::string& path : {file + ".pending", stream}) remove_file(path);
}

}  // namespace

std::optional<support::FolderLock> lock_output_folders(const mpi::Communicator& communicator,
                                                       const Settings& settings) {
  std::optional<support::FolderLock> lock;
  const int rank = communicator.rank();
  mpi::agreed(communicator, [&] {
    if (settings.lb_data && (rank == 0 || !shares_folder_of_rank_0(settings, rank)))
      lock = lock_folder(folder_of(data_file_path(settings, rank)), settings);
  });
  return lock;
}

void remove_streams_of_higher_ranks(const Settings& settings, int ranks) {
  if (!settings.lb_data || !settings.lb_data_overwrite) return;
  for (int rank = ranks;; ++rank) {
    const std::string file = data_file_path(settings, rank);
    const bool has_stream = support::identity(file + ".partial") || support::identity(file + ".pending");
    if (has_stream) remove_stream(file);
    if (!has_stream && !support::identity(file)) return;
  }
}

void publish_data_files(const mpi::Communicator& communicator, const Settings& settings,
                        const std::optional<support::FolderLock>& lock) {
  mpi::agreed(communicator, [&] {
    if (!lock) return;
    const int own = communicator.rank();
    std::vector<std::string> names = {name_of(data_file_path(settings, own))};
    std::vector<std::string> superseded;  // files to remove in this directory
    std::vector<std::string> elsewhere;
    if (own == 0) {
      for (int rank = 1; rank < communicator.size(); ++rank)
        if (shares_folder_of_rank_0(settings, rank)) names.push_back(name_of(data_file_path(settings, rank)));
      if (settings.lb_data_overwrite) {
        for (const std::string& path : files_of_higher_ranks(settings, communicator.size())) {
          if (folder_of(path) == lock->folder())
            superseded.push_back(name_of(path));
          else
            elsewhere.push_back(path);
        }
      }
    }
    support::publish_files(*lock, names, settings.lb_data_overwrite, superseded);
    for (const std::string& path : elsewhere) remove_file(path);
  });
}

}  // namespace plimsoll::runtime
