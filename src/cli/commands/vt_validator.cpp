#include <fmt/ranges.h>

#include <filesystem>

#include <plimsoll/lbdata/vt_validator.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/version.hpp>

#include "cli/commands.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

namespace fs = std::filesystem;
using lbdata::VtVerdict;

struct VtValidatorOptions {
  std::string folder;
  std::string file;
  std::string prefix;
  std::string suffix;
  bool validates_links = false;
  bool debug = false;
  bool strict = false;
};

constexpr const char* vt_validator_examples =
    R"(  plimsoll-validator --dir_path vt_lb_data
  plimsoll-validator --file_path vt_lb_data/data.0.json --validate_comm_links
  plimsoll-validator --dir_path vt_lb_data --validate_comm_links --strict-exit)";

/// Prints messages in the formats of vt's validator. Pipelines search for them.
class VtLog {
 public:
  VtLog(Terminal& terminal, bool debug) : terminal_(terminal), debug_(debug) {}

  void debug(const std::string& message) const {
    if (debug_) log("DEBUG", message);
  }
  void info(const std::string& message) const { log("INFO", message); }
  void warning(const std::string& message) const { log("WARNING", message); }
  void error(const std::string& message) const { log("ERROR", message); }
  void findings(const std::vector<Diagnostic>& findings) const {
    for (const Diagnostic& finding : findings) error(to_string(finding));
  }
  /// Prints a message that vt's validator prints when it ends with an exception.
  void exception(const std::string& type, const std::string& message) const {
    terminal_.print(fmt::format("[JSON_data_files_validator] {} {}\n", type, message));
  }

 private:
  void log(const char* level, const std::string& message) const {
    terminal_.show_output(fmt::format("{} - JSON_data_files_validator.py:0 - {}\n", level, message));
  }

  Terminal& terminal_;
  bool debug_;
};

/// Returns the path as vt's validator prints it: absolute, and without a slash at its end.
std::string full_path(const std::string& path) {
  const fs::path full = fs::absolute(path).lexically_normal();
  return full.has_filename() ? full : full.parent_path();
}

/// Checks the files as vt's validator does.
class VtValidation {
 public:
  VtValidation(const VtValidatorOptions& options, Terminal& terminal)
      : options_(options), log_(terminal, options.debug) {}

  int run() {
    if (!options_.file.empty()) return check_named_file(full_path(options_.file));
    if (!options_.folder.empty()) return check_folder(full_path(options_.folder));
    log_.exception("Exception", "FILE path or DIRECTORY path has to be given");
    return 1;
  }

 private:
  int check_named_file(const std::string& file) {
    std::error_code unknown;
    if (fs::is_regular_file(file, unknown)) return check(file) ? status_ : 1;
    log_.exception("FileNotFoundError", fmt::format("File: {} NOT found", support::printable(file)));
    return 1;
  }

  int check_folder(const std::string& folder) {
    const std::string shown = support::printable(folder);
    std::error_code unknown;
    if (!fs::is_directory(folder, unknown)) {
      log_.exception("FileNotFoundError", fmt::format("Directory: {} does NOT exist", shown));
      return 1;
    }
    const auto selection = lbdata::select_as_vt(folder, options_.prefix, options_.suffix);
    if (selection.n_entries == 0) {
      log_.exception("FileNotFoundError", fmt::format("Directory: {} is EMPTY", shown));
      return 1;
    }
    show(selection);
    for (const std::string& file : selection.files)
      if (!check(file)) return 1;
    return status_;
  }

  void show(const lbdata::VtSelection& selection) {
    if (options_.prefix.empty() && options_.suffix.empty()) {
      log_.info("File prefix and file suffix not given");
      log_.info(fmt::format("Found most common prefix: {}", support::printable(selection.prefix)));
      log_.info(fmt::format("Found most common suffix: {}", support::printable(selection.suffix)));
    }
    if (selection.n_other_files > 0)
      log_.warning(fmt::format("Not validated, because prefix or suffix differ: {}",
                               count(selection.n_other_files, "file")));
    if (!selection.files.empty()) return;
    log_.warning("No file has this prefix and suffix, so nothing is validated.");
    fail_if_strict();
  }

  /// Returns whether vt's validator would go on with the next file.
  bool check(const std::string& file) {
    const std::string shown = support::printable(file);
    log_.info(fmt::format("Validating file: {}", shown));
    const lbdata::VtSchemaCheck schema = lbdata::check_schema_as_vt(file);
    switch (schema.verdict) {
      case VtVerdict::valid: log_.info(fmt::format("Valid JSON schema in {}", shown)); break;
      case VtVerdict::invalid:
        log_.error(fmt::format("Invalid JSON schema in {}", shown));
        log_.exception("SchemaError", joined(lines_of(schema.findings), "\n"));
        return false;
      case VtVerdict::missing_type:
        log_.warning(
            fmt::format("Schema type not found in file: {}. \n"
                        "Passing by default when schema type not found.",
                        shown));
        if (options_.strict) log_.findings(schema.findings);
        if (!schema.findings.empty()) fail_if_strict();
        break;
      case VtVerdict::unsupported_type:
        log_.exception("TypeError",
                       fmt::format("Unsupported schema type: {} was given", support::printable(schema.type)));
        return false;
      case VtVerdict::unreadable: log_.findings(schema.findings); return false;
    }
    return !options_.validates_links || schema.type != "LBDatafile" || check_links(file);
  }

  bool check_links(const std::string& file) {
    const lbdata::VtLinkCheck links = lbdata::check_links_as_vt(file);
    log_.debug(fmt::format("Dataset: {}", support::printable(fmt::format("{}", links.files))));
    const auto missing = std::ranges::find_if(
        links.missing, [](const lbdata::MissingTasks& tasks) { return !tasks.iteration; });
    if (links.errors.empty() && missing == links.missing.end()) return true;
    log_.findings(links.errors);
    if (links.errors.empty())
      log_.error(
          fmt::format("Phase {}: Task ids: {{{}}}. Tasks are referenced in communication, but are not "
                      "present in the dataset.",
                      missing->phase, fmt::join(missing->numbers, ", ")));
    log_.error(fmt::format("Invalid dataset for file: {}!", support::printable(file)));
    fail_if_strict();
    return links.is_readable;
  }

  void fail_if_strict() {
    if (options_.strict) status_ = 1;
  }

  const VtValidatorOptions& options_;
  VtLog log_;
  int status_ = 0;
};

OptionParser parser_of(VtValidatorOptions& options) {
  OptionParser parser("plimsoll-validator",
                      "Checks LB data files with the options, messages and exit statuses of vt's "
                      "JSON_data_files_validator.py. Use plimsoll validate to check more.");
  parser.set_examples(vt_validator_examples);
  parser.add_version("plimsoll-validator " PLIMSOLL_VERSION, version_details);
  Option folder = parser.add_option("--dir_path DIR", options.folder, "Directory of the files to check");
  parser.add_option("--file_path FILE", options.file, "Single file to check").excludes(folder);
  parser.add_option("--file_prefix P", options.prefix,
                    "Check only files whose name up to the first dot is P "
                    "[default without --file_suffix: most common one]");
  parser.add_option("--file_suffix S", options.suffix,
                    "Check only files whose name after the last dot is S "
                    "[default without --file_prefix: most common one]");
  parser.add_flag("--validate_comm_links", options.validates_links,
                  "Check that the tasks of all edges exist in the data set");
  parser.add_flag("--debug", options.debug, "Show the files of the data set of --validate_comm_links");
  parser.add_flag("--strict-exit", options.strict,
                  "Return status 1 for missing tasks, for files without type "
                  "that are not valid, and if nothing was checked");
  return parser;
}

}  // namespace

CommandDescription describe_vt_validator() {
  VtValidatorOptions options;
  return parser_of(options).describe_program();
}

int run_vt_validator(std::vector<std::string> words, Terminal& terminal) {
  VtValidatorOptions options;
  if (const auto text = parser_of(options).parse(std::move(words), terminal.text_width())) {
    terminal.print(*text);
    return 0;
  }
  return VtValidation(options, terminal).run();
}

}  // namespace plimsoll::cli
