#include <plimsoll/lbdata/import.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "cli/commands.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

struct ImportOptions {
  std::string format;
  std::vector<std::string> files;
  unsigned threads = 0;
  OutputOptions output;
  bool json = false;
};

constexpr const char* import_examples =
    R"(  plimsoll import csv loads.csv -o data            loads of any program, one line per object and phase
  plimsoll import warpx LBC.txt -o data            reduced diagnostics LoadBalanceCosts of WarpX
  plimsoll import charm dump.0 dump.1 -o data      files that Charm++ writes with +LBDump
  plimsoll replay data --strategy GreedyLB         ... what a strategy would have gained)";

std::string text(const lbdata::ImportedData& imported, const ImportOptions& options) {
  return fmt::format("Wrote {}, {} and {} to {}.\n", count(imported.dataset.ranks.size(), "rank"),
                     count(imported.phases, "phase"), count(imported.objects, "object"),
                     support::printable(options.output.folder));
}

std::string json_text(const lbdata::ImportedData& imported, const ImportOptions& options) {
  return json_line([&](support::JsonWriter& json) {
    json.member("output", options.output.folder)
        .member("format", options.format)
        .member("ranks", imported.dataset.ranks.size())
        .member("phases", imported.phases)
        .member("objects", imported.objects);
  });
}

}  // namespace

Command define_import(OptionParser& parser) {
  auto options = begin_command<ImportOptions>(parser, import_examples);
  parser.add_option("FORMAT", options->format, "Format of the file: charm, csv or warpx").required();
  parser.add_option("FILE", options->files, "File with the loads of the objects; for charm, one per phase")
      .required();
  add_output_options(parser, options->output).required();
  parser.add_option("--threads N", options->threads, "Number of threads [default: number of processors]");
  add_json_option(parser, options->json);

  return [options](Terminal& terminal) {
    const auto format = support::value_of(lbdata::import_formats, options->format, "format");
    check_output(options->output);
    const lbdata::ImportedData imported = lbdata::import_files(options->files, format);
    write_output(imported.dataset, options->output, options->threads, terminal);
    if (imported.edges_without_object > 0)
      terminal.show_note(fmt::format("edges without the load of an end, which are not imported: {}",
                                     count(imported.edges_without_object)));
    terminal.print(options->json ? json_text(imported, *options) : fitted(text(imported, *options)));
    return 0;
  };
}

}  // namespace plimsoll::cli
