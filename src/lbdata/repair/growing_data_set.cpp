#include <set>
#include <system_error>

#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/lbdata/repair.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_to_copy(const fs::path& file, const std::error_code& code) {
  throw Error(ErrorKind::system, {.what = "cannot be copied: " + code.message(), .file = file.string()});
}

/// Copies a file that may grow, or disappear when the program completes it.
void copy_if_there(const fs::path& file, const fs::path& folder) {
  std::error_code code;
  fs::copy_file(file, folder / file.filename(), code);
  if (code && code != std::errc::no_such_file_or_directory) fail_to_copy(file, code);
}

/// Links a complete file, or copies it if the directory is on another file system.
void link_or_copy(const fs::path& file, const fs::path& folder) {
  std::error_code code;
  fs::create_hard_link(file, folder / file.filename(), code);
  if (code) copy_if_there(file, folder);
}

/// Copies the partial output files of a directory, and the complete files of their data sets.
void copy_data_sets(const std::string& from, const std::vector<std::string>& streams, const fs::path& to) {
  std::set<std::string> sets;
  for (const std::string& stream : streams) {
    copy_if_there(stream, to);
    constexpr std::string_view partial = ".partial";
    copy_if_there(stream.substr(0, stream.size() - partial.size()) + ".pending", to);
    sets.insert(set_name(stream));
  }
  for (const std::string& set : sets)
    for (const RankFile& file : files_of_base(from, set)) link_or_copy(file.path, to);
}

/// Returns an error about a file in the directory `scratch` as an error about the directory `path`.
Error about(const std::string& path, const std::string& scratch, const Error& error) {
  Diagnostic diagnostic = error.diagnostic();
  for (std::string* text : {&diagnostic.what, &diagnostic.file, &diagnostic.suggestion})
    for (std::size_t at = 0; (at = text->find(scratch, at)) != std::string::npos; at += path.size())
      text->replace(at, scratch.size(), path);
  return {error.kind(), std::move(diagnostic)};
}

ReadResult read_repaired(const std::string& copied, const std::string& repaired, const ReadOptions& options) {
  const RepairOptions repair_options = {.output = repaired, .limits = options.limits};
  for (const RepairedFile& file : repair_files({copied}, repair_options, options.threads))
    if (file.error) throw Error(*file.error);
  return read(find_rank_files({repaired}), options);
}

}  // namespace

ReadResult read_growing(const std::string& path, const ReadOptions& options) {
  const bool is_folder = fs::is_directory(path);
  const std::vector<std::string> streams = is_folder ? streams_of_folder(path) : std::vector<std::string>();
  if (streams.empty()) return read(find_rank_files({path}), options);
  const support::ScratchFolder scratch = support::ScratchFolder::temporary();
  const std::string copied = scratch.path() + "/copied";
  const std::string repaired = scratch.path() + "/repaired";
  fs::create_directory(copied);
  fs::create_directory(repaired);
  copy_data_sets(path, streams, copied);
  try {
    return read_repaired(copied, repaired, options);
  } catch (const Error& error) {
    throw about(path, repaired, about(path, copied, error));
  }
}

}  // namespace plimsoll::lbdata
