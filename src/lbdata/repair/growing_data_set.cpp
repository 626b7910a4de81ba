#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <plimsoll/lbdata/file_set.hpp>
#include <plimsoll/lbdata/growing_data_set.hpp>
#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/lbdata/repair_files.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::inline v0_1::lbdata {

namespace {

namespace fs = std::filesystem;

/// Copies a file that may grow, or disappear when the program completes it.
void copy_if_there(const fs::path& file, const fs::path& folder) {
  std::error_code code;
  fs::copy_file(file, folder / file.filename(), code);
  if (code && code != std::errc::no_such_file_or_directory)
    throw Error(ErrorKind::system, {.what = "cannot be copied: " + code.message(), .file = file.string()});
}

}  // namespace

ReadResult read_growing(const std::string& path, const std::string& scratch, const ReadOptions& options) {
  const bool is_folder = fs::is_directory(path);
  const std::vector<std::string> streams = is_folder ? streams_of_folder(path) : std::vector<std::string>();
  if (streams.empty()) return read(find_rank_files({path}), options);
  for (const std::string& stream : streams) {
    copy_if_there(stream, scratch);
    constexpr std::string_view partial = ".partial";
    copy_if_there(stream.substr(0, stream.size() - partial.size()) + ".pending", scratch);
  }
  for (const RepairedFile& file : repair_files({scratch}, {.limits = options.limits}, options.threads))
    if (file.error)
      throw Error(ErrorKind::bad_input, {.what = "the partial output files cannot be read", .file = path});
  return read(find_rank_files({scratch}), options);
}

}  // namespace plimsoll::lbdata
