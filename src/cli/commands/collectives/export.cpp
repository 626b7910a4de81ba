#include <fmt/format.h>

#include <memory>
#include <string>

#include <plimsoll/placement/traffic_data.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "cli/commands.hpp"
#include "cli/commands/collectives/profile_input.hpp"
#include "cli/options/input_options.hpp"
#include "cli/options/output_options.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::inline v0_1::cli {

namespace {

struct ExportOptions {
  ProfileInput input;
  OutputOptions output;
  bool json = false;
};

constexpr const char* export_examples =
    R"(  plimsoll collectives export profile --lb-data data
  plimsoll info data                                    use it like any other data set
  plimsoll collectives export profile --lb-data data --plain --force)";

struct Size {
  std::size_t ranks = 0;
  std::size_t edges = 0;
};

Size size_of(const lbdata::Dataset& dataset) {
  Size size{dataset.ranks.size(), 0};
  for (const lbdata::RankData& rank : dataset.ranks)
    for (const lbdata::PhaseRecord& phase : rank.phases)
      if (phase.communications) size.edges += phase.communications->size();
  return size;
}

std::string text(const placement::TrafficData& data, const std::string& folder) {
  const Size size = size_of(data.dataset);
  return fmt::format(
      "Wrote {} with {} to {}.\n{}\n", count(size.ranks, "rank"), count(size.edges, "edge"), folder,
      data.has_times ? "Loads are the times between collective calls."
                     : "All loads are 1: the profile does not contain times of two calls on any rank.");
}

std::string json_text(const placement::TrafficData& data, const std::string& folder) {
  const Size size = size_of(data.dataset);
  std::string text;
  support::JsonWriter json(text);
  json.begin_object()
      .member("output", folder)
      .member("ranks", size.ranks)
      .member("edges", size.edges)
      .member("has_times", data.has_times)
      .end_object();
  return text + '\n';
}

}  // namespace

Command define_collectives_export(CLI::App& app) {
  auto options = std::make_shared<ExportOptions>();
  app.footer(export_examples);
  add_profile_input(app, options->input);
  add_output_options(app, options->output, "--lb-data")->required();
  add_json_option(app, options->json);

  return [options](Terminal& terminal) {
    check_output(options->output);
    const placement::TrafficData data = placement::traffic_data(read_profile(options->input.paths, terminal));
    terminal.show_warnings(data.findings);
    write_output(data.dataset, options->output, 0, terminal);
    terminal.print(options->json ? json_text(data, options->output.folder)
                                 : text(data, options->output.folder));
    return 0;
  };
}

}  // namespace plimsoll::cli
