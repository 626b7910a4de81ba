#include <plimsoll/lbdata/converter.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "cli/commands.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using lbdata::MergedRun;

struct ConvertOptions {
  InputOptions input;
  lbdata::ConvertOptions changes;
  std::string phases;
  bool elide = false;
  bool expand = false;
  OutputOptions output;
  bool json = false;
};

constexpr const char* convert_examples =
    R"(  plimsoll convert data -o copy --plain            decompress all files
  plimsoll convert data -o some --phases 0-9,20    keep some phases
  plimsoll convert run1 run2 -o whole --merge      join a run and its restart
  plimsoll convert all.json -o data --split 8      write one file for each of 8 ranks
  plimsoll convert old -o new --encode-ids         derive id from seq_id
  plimsoll convert data -o dense --renumber        number the objects from 0)";

std::string run_text(const MergedRun& run) {
  std::string text = fmt::format("{}: phases {}", support::printable(run.input), to_string(run.phases));
  if (run.replaced) text += fmt::format("; the next run replaces {}", to_string(*run.replaced));
  return text + '\n';
}

std::string text(const lbdata::ConvertResult& result, const ConvertOptions& options) {
  std::string text;
  for (const MergedRun& run : result.runs) text += run_text(run);
  return text + fmt::format("Wrote {} and {} to {}.\n", count(result.ranks, "rank"),
                            count(result.phases, "phase"), support::printable(options.output.folder));
}

std::string json_text(const lbdata::ConvertResult& result, const ConvertOptions& options) {
  return json_line([&](support::JsonWriter& json) {
    json.member("output", options.output.folder)
        .member("ranks", result.ranks)
        .member("phases", result.phases)
        .key("runs")
        .begin_array();
    for (const MergedRun& run : result.runs) {
      json.begin_object()
          .member("path", run.input)
          .member("first_phase", run.phases.first)
          .member("last_phase", run.phases.last)
          .member("last_replaced_phase", run.replaced ? std::optional(run.replaced->last) : std::nullopt)
          .end_object();
    }
    json.end_array();
  });
}

void add_phase_changes(OptionParser& parser, ConvertOptions& options) {
  parser.add_option("--phases LIST", options.phases, "Phases to keep, e.g. 0-10,20,%50 [default: all]");
  parser.add_option("--phase-offset N", options.changes.phase_offset,
                    "Number to add to the IDs of all phases [default: 0]");
  const Option elide = parser.add_flag("--elide-identical", options.elide,
                                       "List phases with the content of the preceding phase as identical");
  parser.add_flag("--expand-identical", options.expand, "Write identical phases in full").excludes(elide);
}

void add_rank_changes(OptionParser& parser, ConvertOptions& options) {
  const Option merge =
      parser.add_flag("--merge", options.changes.merge,
                      "Join the data sets of a run and its restarts, in order; each replaces earlier phases "
                      "from its first phase on");
  parser
      .add_option("--split RANKS", options.changes.split_ranks,
                  "Split a single file into one file per rank, by the rank on which each task ran (node)")
      .excludes(merge);
}

void add_object_changes(OptionParser& parser, ConvertOptions& options) {
  parser.add_flag("--renumber", options.changes.renumber,
                  "Number the objects from 0, in the order of their numbers, as seq_id instead of id");
  parser.add_flag("--encode-ids", options.changes.encode_ids, "Derive missing IDs from seq_id, as vt does");
}

}  // namespace

Command define_convert(OptionParser& parser) {
  auto options = begin_command<ConvertOptions>(parser, convert_examples);
  add_input_options(parser, options->input);
  add_output_options(parser, options->output).required();
  add_phase_changes(parser, *options);
  add_rank_changes(parser, *options);
  add_object_changes(parser, *options);
  add_json_option(parser, options->json);

  return [options](Terminal& terminal) {
    lbdata::ConvertOptions& changes = options->changes;
    if (!options->phases.empty()) changes.phases = lbdata::PhaseSelection::parse(options->phases);
    if (options->elide) changes.identical = lbdata::IdenticalPhases::elided;
    if (options->expand) changes.identical = lbdata::IdenticalPhases::expanded;
    changes.limits = options->input.limits;
    changes.expected_ranks = options->input.expected_ranks;
    check_output(options->output);
    lbdata::ConvertResult result;
    {
      TerminalProgress progress(terminal);
      result = lbdata::convert(options->input.paths, changes, options->output.folder, "data",
                               write_options(options->output), options->input.threads, progress);
    }
    terminal.show_warnings(result.findings);
    terminal.print(options->json ? json_text(result, *options) : fitted(text(result, *options)));
    return 0;
  };
}

}  // namespace plimsoll::cli
