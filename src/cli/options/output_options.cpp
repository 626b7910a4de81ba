#include "cli/options/output_options.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include <plimsoll/support/error.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace fs = std::filesystem;

Option add_output_folder(OptionParser& parser, OutputOptions& options, const std::string& names) {
  Option folder =
      parser.add_option(names + " DIR", options.folder, "Output directory for the files data.<rank>.json.br")
          .check(check_name);
  parser.add_flag("--plain", options.plain, "Write uncompressed files data.<rank>.json").needs(folder);
  return folder;
}

Option add_output_options(OptionParser& parser, OutputOptions& options) {
  Option folder = add_output_folder(parser, options, "-o,--output");
  parser.add_flag("--force", options.force, "Overwrite an existing data set").needs(folder);
  return folder;
}

void expect_distinct_files(std::span<const std::string> paths) {
  namespace fs = std::filesystem;
  std::set<fs::path> files;
  for (const std::string& path : paths)
    if (!path.empty() && path != "-" && !files.insert(fs::absolute(path).lexically_normal()).second)
      throw support::usage_error("two outputs have the same file name " + path,
                                 "use a different name for each");
}

void check_output(const OutputOptions& options) {
  std::error_code ignored;
  const fs::file_status status = fs::status(options.folder, ignored);
  if (options.folder.empty() || !fs::exists(status)) return;
  if (!fs::is_directory(status)) {
    throw Error(ErrorKind::usage, {.what = "not a directory: a file with this name exists",
                                   .file = options.folder,
                                   .suggestion = "use another name"});
  }
  if (!options.force && !fs::is_empty(options.folder, ignored) && !ignored) {
    throw Error(ErrorKind::usage, {.what = "already exists and is not empty",
                                   .file = options.folder,
                                   .suggestion = "use another name, or --force to overwrite the data set"});
  }
}

void check_output_file(const std::string& path, bool force) {
  if (!path.empty() && path != "-" && !force && fs::exists(fs::symlink_status(path)))
    throw Error(ErrorKind::usage, {.what = "already exists",
                                   .file = path,
                                   .suggestion = "use another name, or --force to overwrite it"});
}

void check_stdout(const std::string& path, bool json) {
  if (path == "-" && json)
    throw support::usage_error("--json and -o - both write to stdout", "use the name of a file");
}

lbdata::WriteOptions write_options(const OutputOptions& options) {
  return {.compress = !options.plain, .overwrite = options.force};
}

void write_output(const lbdata::Dataset& dataset, const OutputOptions& options, unsigned threads,
                  Terminal& terminal) {
  TerminalProgress progress(terminal);
  lbdata::write(dataset, options.folder, "data", write_options(options), threads, progress);
}

}  // namespace plimsoll::cli
