#include "cli/options/input_options.hpp"

#include <cstdint>
#include <limits>

#include <plimsoll/lbdata/reader.hpp>

#include "cli/terminal/terminal.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

void add_input_options(OptionParser& parser, InputOptions& options) {
  parser
      .add_option("PATH", options.paths,
                  "LB data files: a directory, DIR/BASE, a pattern\nwith %p for the rank, or file names")
      .required();
  add_reading_options(parser, options);
}

void add_reading_options(OptionParser& parser, InputOptions& options) {
  parser
      .add_size_function(
          "--max-size SIZE",
          [&limits = options.limits](std::uint64_t bytes) {
            limits.max_bytes = bytes;
            // Whoever sets the size trusts the file up to it.
            limits.ratio_allowance = std::numeric_limits<std::uint64_t>::max();
          },
          "Maximum decompressed size per file, e.g. 512MiB\n[default: 4GiB]")
      .check([](const std::string& size) { return size.starts_with("-") ? "a size must be >= 0" : ""; });
  parser.add_option("--threads N", options.threads, "Number of threads [default: number of processors]");
}

void add_json_option(OptionParser& parser, bool& json) {
  parser.add_flag("--json", json, "Print one JSON object instead of text\n(docs/reference/json-output.md)");
}

void add_ascii_option(OptionParser& parser, bool& ascii) {
  parser.add_flag(
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
