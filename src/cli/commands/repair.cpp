#include <filesystem>

#include <plimsoll/lbdata/repair.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "cli/commands.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using lbdata::RepairedFile;

struct RepairOptions {
  InputOptions input;
  std::string output;
  bool plain = false;
  bool force = false;
  bool json = false;
};

constexpr const char* repair_examples =
    R"(  plimsoll repair data                            repair all .partial files in a directory:
      data.0.json.br replaces data.0.json.br.partial
  plimsoll repair data -o rescued                 write a repaired copy, even while the program runs
  plimsoll repair data/data.3.json.br.partial     repair the file of one rank
  plimsoll repair cut.json -o whole.json          recover the complete phases of a truncated file)";

std::string phases_text(const lbdata::RepairResult& result) {
  if (result.phases == 0) return "no phase";
  const std::string phases = count(result.phases, "phase");
  return result.phases == 1 ? fmt::format("{} ({})", phases, *result.first_phase)
                            : fmt::format("{} ({} to {})", phases, *result.first_phase, *result.last_phase);
}

std::string text(const lbdata::RepairResult& result, const Terminal& terminal) {
  const std::string name = result.output.empty() ? result.file : result.output;
  std::string output =
      fmt::format("{}: {}", support::printable(name), terminal.paint(Colour::bold, phases_text(result)));
  if (result.pending_phases > 0) {
    output += fmt::format(", {} of them not yet in the partial file", count(result.pending_phases));
  }
  output += result.whole() ? ", nothing lost" : "";
  output += result.output.empty() ? "; the file is complete and unchanged\n" : "\n";
  for (const std::string& loss : lbdata::losses(result)) output += fmt::format("  lost: {}\n", loss);
  if (result.stream_stays) {
    output += fmt::format("  kept {}: it contains more data that cannot be read\n",
                          support::printable(result.file));
  }
  return output;
}

std::string table_text(const std::vector<RepairedFile>& files) {
  support::TextTable table({{"file"},
                            {"phases", Align::right},
                            {"first", Align::right},
                            {"last", Align::right},
                            {"pending", Align::right},
                            {"lost"}});
  const auto id = [](const std::optional<std::int64_t>& phase) {
    return phase ? std::to_string(*phase) : "-";
  };
  std::uint64_t phases = 0;
  std::size_t repaired = 0;
  for (const RepairedFile& file : files) {
    if (!file.result) continue;
    const lbdata::RepairResult& result = *file.result;
    const std::vector<std::string> lost = lbdata::losses(result);
    const std::string others = lost.size() > 2 ? fmt::format("; {} more", lost.size() - 2) : "";
    table.add_row(
        {std::filesystem::path(result.output.empty() ? result.file : result.output).filename().string(),
         count(result.phases), id(result.first_phase), id(result.last_phase), count(result.pending_phases),
         lost.empty() ? "nothing" : joined(first(lost, 2), "; ") + others});
    phases += result.phases;
    ++repaired;
  }
  std::string output = repaired > 0 ? table.to_string(Terminal::width()) + "\n" : "";
  const auto stay = std::ranges::count_if(
      files, [](const RepairedFile& file) { return file.result && file.result->stream_stays; });
  if (stay > 0)
    output += fmt::format("Kept {} with data that cannot be read.\n", count(stay, "partial file"));
  return output + fmt::format("Kept {} of {}; {} could not be repaired.\n", count(phases, "phase"),
                              count(repaired, "file"), count(files.size() - repaired, "file"));
}

void write_json(support::JsonWriter& json, const lbdata::RepairResult& result) {
  json.begin_object()
      .member("file", result.file)
      .member("output", if_any(result.output))
      .member("whole", result.whole())
      .member("phases", result.phases)
      .member("first_phase", result.first_phase)
      .member("last_phase", result.last_phase)
      .member("pending_phases", result.pending_phases)
      .key("damage");
  if (result.damage) {
    json.begin_object().member("what", result.damage->what).member("byte", *result.damage->byte).end_object();
  } else {
    json.null();
  }
  json.member("cut", result.cut)
      .member("torn", result.torn)
      .member("torn_phase", result.torn_phase)
      .member("unreadable_phases", result.unreadable_phases)
      .member("repeated_phases", result.repeated_phases)
      .member("metadata_lost", result.metadata_lost)
      .member("identical_lost", result.identical_lost)
      .member("stream_stays", result.stream_stays);
  json.key("findings").values(lines_of(result.findings)).end_object();
}

std::string json_text(const std::vector<RepairedFile>& files) {
  return json_line([&](support::JsonWriter& json) {
    json.key("files").begin_array();
    for (const RepairedFile& file : files) {
      if (file.result) write_json(json, *file.result);
    }
    json.end_array().key("failed").begin_array();
    for (const RepairedFile& file : files) {
      if (file.error) json.value(file.path);
    }
    json.end_array();
  });
}

std::string answer(const std::vector<RepairedFile>& files, const Terminal& terminal) {
  if (files.empty()) return "Nothing to repair: all files are complete and valid.\n";
  if (files.size() > 1) return table_text(files);
  return files.front().result ? text(*files.front().result, terminal) : "";
}

}  // namespace

Command define_repair(OptionParser& parser) {
  auto options = begin_command<RepairOptions>(parser, repair_examples);
  parser
      .add_option("PATH", options->input.paths,
                  "Directories with partial output files (.partial) or truncated files, or single files")
      .required();
  parser
      .add_option("-o,--output PATH", options->output,
                  "Output file or directory [default: in place; a partial file gets its final name]")
      .check(check_name);
  parser.add_flag("--plain", options->plain, "Write uncompressed .json files");
  parser.add_flag("--force", options->force, "Overwrite existing files");
  add_reading_options(parser, options->input);
  add_expected_ranks_option(parser, options->input);
  add_json_option(parser, options->json);

  return [options](Terminal& terminal) {
    TerminalProgress progress(terminal);
    for (const std::string& set : lbdata::complete_publications(options->input.paths))
      terminal.show_note(fmt::format("completed {}, which a killed program left incomplete", set));
    const lbdata::RepairOptions repair_options = {.output = options->output,
                                                  .plain = options->plain,
                                                  .overwrite = options->force,
                                                  .limits = options->input.limits,
                                                  .expected_ranks = options->input.expected_ranks};
    for (const std::string& stream : lbdata::ignored_streams(options->input.paths, repair_options))
      terminal.show_note(fmt::format(
          "ignored {}: the files of all ranks are complete, and other ranks have no partial file", stream));
    const std::vector<RepairedFile> files =
        lbdata::repair_files(options->input.paths, repair_options, options->input.threads, progress);
    int status = 0;
    for (const RepairedFile& file : files) {
      if (!file.error) continue;
      terminal.show_error(to_string(file.error->diagnostic()));
      status = std::max(status, static_cast<int>(file.error->kind()));
    }
    const std::string text = options->json ? json_text(files) : fitted(answer(files, terminal));
    if (!files.empty()) terminal.print(text);
    if (status == 0)
      lbdata::expect_valid(options->input.paths, files, repair_options, options->input.threads);
    if (files.empty()) terminal.print(text);
    return status;
  };
}

}  // namespace plimsoll::cli
