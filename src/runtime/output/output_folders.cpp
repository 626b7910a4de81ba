#include "runtime/output/output_folders.hpp"

#include <filesystem>
#include <string>
#include <system_error>

#include <plimsoll/mpi/error_agreement.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::runtime {

namespace {

std::filesystem::path folder_of(const std::string& file) {
  return std::filesystem::path(file).parent_path();
}

void make_folder_of(const std::string& file) {
  const std::filesystem::path folder = folder_of(file);
  std::error_code code;
  if (!folder.empty()) std::filesystem::create_directories(folder, code);
  if (code)
    throw support::system_error("cannot make the folder", folder, code.value(), "check name and permissions");
}

// Else they would be taken for ranks of this run.
void remove_files_of_higher_ranks(const Settings& settings, int ranks) {
  bool found = true;
  for (int rank = ranks; found; ++rank) {
    found = false;
    for (const char* suffix : {"", ".partial", ".pending"}) {
      std::error_code code;
      const std::string file = data_file_path(settings, rank) + suffix;
      if (std::filesystem::remove(file, code)) found = true;
      if (code)
        throw support::system_error("cannot remove the file of an earlier run", file, code.value(),
                                    "remove it");
    }
  }
}

}  // namespace

void prepare_output_folders(const mpi::Communicator& communicator, const Settings& settings) {
  mpi::agreed(communicator, [&] {
    const std::string first = data_file_path(settings, 0);
    const std::string mine = data_file_path(settings, communicator.rank());
    if (communicator.rank() != 0) {
      if (settings.lb_data && folder_of(mine) != folder_of(first)) make_folder_of(mine);
      return;
    }
    if (settings.lb_data) make_folder_of(first);
    if (settings.lb_data && settings.lb_data_overwrite)
      remove_files_of_higher_ranks(settings, communicator.size());
    if (settings.lb_statistics) make_folder_of(statistics_file_path(settings, ""));
  });
}

}  // namespace plimsoll::runtime
