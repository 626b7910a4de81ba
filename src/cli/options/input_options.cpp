#include "cli/options/input_options.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <limits>

#include <plimsoll/lbdata/reader.hpp>

#include "cli/options/integer_option.hpp"
#include "cli/terminal/terminal_progress.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

void add_input_options(CLI::App& app, InputOptions& options) {
  app.add_option("PATH", options.paths,
                 "LB data files: a directory, DIR/BASE, a pattern\nwith %p for the rank, or file names")
      ->required();
  add_reading_options(app, options);
}

void add_reading_options(CLI::App& app, InputOptions& options) {
  app.add_option("--max-size", options.limits.max_bytes,
                 "Maximum decompressed size per file, e.g. 512MiB\n[default: 4GiB]")
      ->option_text("SIZE")
      ->check([](const std::string& size) {
        return std::string(size.starts_with("-") ? "a size must be >= 0" : "");
      })
      ->transform(CLI::AsSizeValue(false))
      // Whoever sets the size trusts the file up to it.
      ->each([&options](const std::string&) {
        options.limits.ratio_allowance = std::numeric_limits<std::uint64_t>::max();
      });
  add_integer_option(app, "--threads", options.threads, "Number of threads [default: number of processors]");
}

void add_json_option(CLI::App& app, bool& json) {
  app.add_flag("--json", json, "Print one JSON object instead of text\n(docs/reference/json-output.md)");
}

void add_ascii_option(CLI::App& app, bool& ascii) {
  app.add_flag(
      "--ascii", ascii,
      "Draw charts with ASCII characters, on any output\n[default: Unicode on terminals, else none]");
}

lbdata::Dataset read_input(const InputOptions& options, const lbdata::PhaseSelection& phases,
                           Terminal& terminal) {
  TerminalProgress progress(terminal);
  lbdata::ReadResult result = lbdata::read(
      lbdata::find_rank_files(options.paths),
      {.phases = phases, .threads = options.threads, .limits = options.limits, .progress = &progress});
  progress.end();
  terminal.show_warnings(result.findings);
  return std::move(result.dataset);
}

}  // namespace plimsoll::cli
