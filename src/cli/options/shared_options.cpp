#include "cli/options/shared_options.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <set>

#include <plimsoll/balance/strategy.hpp>
#include <plimsoll/lbdata/reader.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

void add_input_options(OptionParser& parser, InputOptions& options) {
  parser
      .add_option("PATH", options.paths,
                  "LB data files: a directory, DIR/BASE, a pattern with %p for the rank, or file names")
      .required();
  add_reading_options(parser, options);
  add_expected_ranks_option(parser, options);
}

void add_expected_ranks_option(OptionParser& parser, InputOptions& options) {
  parser
      .add_option("--expected-ranks N", options.expected_ranks,
                  "Number of ranks of the data set [default: as specified in the files]")
      .check(check_at_least_one);
}

void add_reading_options(OptionParser& parser, InputOptions& options) {
  parser.add_size_function(
      "--max-size SIZE",
      [&limits = options.limits](std::uint64_t bytes) {
        limits.max_bytes = bytes;
        // Whoever sets the size trusts the file up to it.
        limits.ratio_allowance = std::numeric_limits<std::uint64_t>::max();
      },
      "Maximum decompressed size per file, e.g. 512MiB [default: 4GiB]");
  parser.add_option("--threads N", options.threads, "Number of threads [default: number of processors]");
}

void add_json_option(OptionParser& parser, bool& json) {
  parser.add_flag("--json", json, "Print one JSON object instead of text (docs/reference/json-output.md)");
}

void add_ascii_option(OptionParser& parser, bool& ascii) {
  parser.add_flag(
      "--ascii", ascii,
      "Draw charts with ASCII characters, on any output [default: Unicode on terminals, else none]");
}

lbdata::Dataset read_input(const InputOptions& options, const lbdata::PhaseSelection& phases,
                           Terminal& terminal) {
  TerminalProgress progress(terminal);
  lbdata::ReadResult result =
      lbdata::read(lbdata::find_rank_files(options.paths), {.phases = phases,
                                                            .expected_ranks = options.expected_ranks,
                                                            .threads = options.threads,
                                                            .limits = options.limits,
                                                            .progress = &progress});
  progress.end();
  terminal.show_warnings(result.findings);
  return std::move(result.dataset);
}

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

namespace {

/// Whether a directory can be read and is not empty.
bool has_entries(const std::string& folder) {
  bool any = false;
  support::for_each_readable_entry(folder, [&](const support::FolderEntry&) { any = true; });
  return any;
}

}  // namespace

void check_output(const OutputOptions& options) {
  std::error_code ignored;
  const fs::file_status status = fs::status(options.folder, ignored);
  if (options.folder.empty() || !fs::exists(status)) return;
  if (!fs::is_directory(status)) {
    throw Error(ErrorKind::usage, {.what = "not a directory: a file with this name exists",
                                   .file = options.folder,
                                   .suggestion = "use another name"});
  }
  if (!options.force && has_entries(options.folder)) {
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

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const balance::StrategyInfo& strategy : balance::StrategyRegistry::builtin().list())
    names.push_back(strategy.name);
  return names;
}

std::vector<std::string> load_model_names() {
  std::vector<std::string> names;
  for (const balance::LoadModelInfo& model : balance::load_models()) names.push_back(model.name);
  return names;
}

namespace {

/// Adds --load-model, which selects the loads that strategies use. When the command line is parsed, it writes
/// the complete notation of the pipeline to `pipeline`, or throws the Error of balance::make_load_model().
void add_load_model_option(OptionParser& parser, std::string& pipeline) {
  parser
      .add_option_function<std::string>(
          "--load-model MODEL",
          [&pipeline](const std::string& given) { pipeline = balance::make_load_model(given)->text(); },
          "Use loads that this model predicts for the next phase [default: measured loads] (see plimsoll "
          "models)")
      .suggests(load_model_names());
}

balance::ParameterMap parse_parameters(const std::vector<std::string>& given) {
  balance::ParameterMap parameters;
  for (const std::string& text : given) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw support::usage_error(
          fmt::format("invalid value {} for --param: expected NAME=VALUE", support::in_quotes(text)),
          "use, for example, --param tolerance=1.05");
    }
    const auto [known, added] = parameters.emplace(text.substr(0, equals), text.substr(equals + 1));
    if (!added) {
      throw support::usage_error(fmt::format("duplicate --param {}", known->first), "set it once");
    }
  }
  return parameters;
}

balance::WorkCoefficients work_coefficients(const std::vector<double>& numbers) {
  if (numbers.size() < 3 || numbers.size() > 5) {
    throw support::usage_error(fmt::format("invalid --work: {} numbers", numbers.size()),
                               "use three to five numbers: alpha,beta,gamma,delta,beta_node, e.g. 1,1e-8,0");
  }
  for (const double number : numbers)
    if (!(std::isfinite(number) && number >= 0))
      throw support::usage_error(
          fmt::format("invalid coefficient {} for --work: must be finite and >= 0", number));
  balance::WorkCoefficients work{.alpha = numbers[0], .beta = numbers[1], .gamma = numbers[2]};
  if (numbers.size() > 3) work.delta = numbers[3];
  if (numbers.size() > 4) work.beta_node = numbers[4];
  return work;
}

}  // namespace

void add_load_option(OptionParser& parser, std::string& field) {
  parser.add_option(
      "--load FIELD", field,
      "Load: a number in user_defined or attributes of each task, e.g. cpu_time [default: time]");
}

std::string load_field_line(const std::string& field) {
  if (field.empty()) return "";
  return fmt::format("The loads shown are the values of {}.\n", support::in_quotes(field));
}

std::string load_model_line(const std::string& load_model) {
  if (load_model == balance::measured_loads) return "";
  return fmt::format("The loads shown are predicted by {} for the next phase.\n", load_model);
}

std::string bound_text(const balance::Bound& bound, const std::optional<double>& work_bound) {
  return work_bound ? fmt::format("No placement can have a maximum work below {}.",
                                  support::format_seconds(*work_bound))
                    : fmt::format("No placement can take less than {} ({}).",
                                  support::format_seconds(bound.time_s), balance::to_string(bound.cause));
}

void add_parameter_option(OptionParser& parser, balance::ParameterMap& parameters, const char* help) {
  parser
      .add_option_function<std::vector<std::string>>(
          "--param NAME=VALUE",
          [&parameters](const std::vector<std::string>& given) { parameters = parse_parameters(given); },
          help)
      .one_word_each();
}

void add_work_option(OptionParser& parser, std::optional<balance::WorkCoefficients>& work, bool& memory) {
  parser
      .add_option_function<std::vector<double>>(
          "--work ALPHA,BETA,GAMMA[,DELTA[,BETA_NODE]]",
          [&work, &memory](const std::vector<double>& numbers) {
            work = work_coefficients(numbers);
            memory = numbers.size() > 3;
          },
          "Use work = alpha x load + beta x max(sent, received) + gamma + delta x off-home shared-block "
          "bytes, in seconds; beta_node applies to bytes within nodes; with delta (even 0), memory is also "
          "shown")
      .separated_by(',');
}

void add_subphases_option(OptionParser& parser, bool& synchronised) {
  constexpr const char* word = "synchronised";
  parser
      .add_option_function<std::string>(
          "--subphases MODE", [&synchronised](const std::string& mode) { synchronised = mode == word; },
          "How ranks work on the subphases of a phase: free (without waiting for each other), or "
          "synchronised "
          "after each subphase, so that the slowest rank of each counts [default: free]")
      .one_of({"free", word});
}

std::string subphases_line(const balance::DatasetPhase& phase) {
  if (!phase.synchronised) return "";
  if (phase.stats.subphases.empty())
    return fmt::format("Phase {} has no subphases: --subphases synchronised has no effect.\n", phase.phase);
  return fmt::format(
      "The ranks synchronise after each of {}: the phase takes the sum of their maximum loads.\n",
      count(phase.stats.subphases.count - 1, "subphase"));
}

Option add_simulate_ranks_option(OptionParser& parser, balance::PhaseRequest& request) {
  return parser.add_option("--simulate-ranks N", request.simulate_ranks,
                           "Number of ranks to simulate, with copies of the ranks of the data [default: the "
                           "ranks of the data]");
}

void add_phase_options(OptionParser& parser, balance::PhaseRequest& request) {
  parser.add_option("--phase N", request.phase,
                    "Phase to balance [default: the last phase with data on all ranks]");
  add_load_model_option(parser, request.load_model);
  add_subphases_option(parser, request.columns.subphases);
  parser
      .add_option("--load-dimension FIELD", request.columns.load_dimensions,
                  "Additional load: a number in user_defined or attributes of the tasks, e.g. gpu_time; may "
                  "be repeated")
      .one_word_each();
  parser.add_option("--position FIELD", request.columns.position_field,
                    "Coordinates: an array in user_defined of the tasks [default: the objects' indices]");
  parser
      .add_option("--ranks-per-node N", request.columns.ranks_per_node,
                  "Number of consecutive ranks per node [default: as specified in the files]")
      .check([](const std::string& text) {
        return text.starts_with("-") ? "the number of ranks per node must be >= 0" : "";
      });
  add_work_option(parser, request.work, request.columns.memory);
}

}  // namespace plimsoll::cli
