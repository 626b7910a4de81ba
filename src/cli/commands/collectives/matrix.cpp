#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/collectives/traffic_matrix.hpp>
#include <plimsoll/collectives/traffic_summary.hpp>
#include <plimsoll/drawing/heat_map.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/json_writer.hpp>
#include <plimsoll/support/output_file.hpp>

#include "cli/commands.hpp"
#include "cli/commands/collectives/profile_input.hpp"
#include "cli/commands/collectives/traffic_options.hpp"
#include "cli/options/input_options.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::cli {

namespace {

using collectives::HostTraffic;
using collectives::Traffic;
using collectives::TrafficMatrix;
using collectives::TrafficSummary;

struct MatrixOptions {
  ProfileInput input;
  TrafficOptions traffic;
  bool by_host = false;
  bool received = false;
  std::string csv;
  std::string svg;
  bool force = false;
  bool json = false;
};

constexpr const char* examples =
    R"(  plimsoll collectives matrix                       all calls of the profile in this folder
  plimsoll collectives matrix profile --call 0:3    call 3 of communicators that rank 0 leads
  plimsoll collectives matrix profile --by-host     between hosts, if locations were recorded
  plimsoll collectives matrix profile --csv - > matrix.csv
  plimsoll collectives matrix profile --svg matrix.svg)";

/// What is to be shown, by ranks or by hosts.
struct Picture {
  std::string title;
  Traffic traffic;
  std::vector<std::string> rank_names;
  std::optional<HostTraffic> hosts;  // if all are known
  bool by_host = false;

  const TrafficMatrix& matrix() const { return by_host ? hosts->bytes : traffic.bytes; }
  std::vector<std::string> names() const { return by_host ? hosts->hosts : rank_names; }
};

Picture picture(const collectives::Profile& profile, const MatrixOptions& options) {
  Picture picture;
  const collectives::TrafficSelection selection = traffic_selection(options.traffic);
  picture.traffic = collectives::traffic(
      profile, selection, options.received ? collectives::Direction::recv : collectives::Direction::send);
  picture.title = fmt::format("Bytes sent in {}{}", description(selection),
                              options.received ? ", as receivers count them" : "");
  for (std::uint32_t rank = 0; rank < picture.traffic.bytes.size(); ++rank)
    picture.rank_names.push_back(std::to_string(rank));
  const std::vector<std::string> hosts = collectives::rank_hosts(profile);
  picture.by_host = options.by_host;
  if (options.by_host || std::ranges::none_of(hosts, &std::string::empty))
    picture.hosts = collectives::host_traffic(picture.traffic.bytes, hosts);
  return picture;
}

double share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

std::string answer(const Picture& picture, const Terminal& terminal) {
  const Traffic& traffic = picture.traffic;
  const TrafficSummary summary = collectives::summarise(traffic.bytes);
  std::string text =
      fmt::format("{} sent {} in {}, {} of it to themselves.\n", count(traffic.bytes.size(), "rank"),
                  terminal.paint(Colour::bold, bytes_text(summary.total_bytes)),
                  count(traffic.calls - traffic.unplaced_calls, "call"),
                  support::format_percentage(share(summary.self_bytes, summary.total_bytes)));
  if (summary.largest_bytes > 0)
    text += fmt::format("Largest pair: rank {} to rank {}, {} ({} of all).\n", summary.largest_from,
                        summary.largest_to, bytes_text(summary.largest_bytes),
                        support::format_percentage(share(summary.largest_bytes, summary.total_bytes)));
  if (summary.total_bytes > 0)
    text += fmt::format(
        "Sent: {:.2f} times the mean at most, by rank {}. Received: {:.2f} times the mean at most, by rank "
        "{}.\n",
        summary.sent.over_mean, summary.sent.rank, summary.received.over_mean, summary.received.rank);
  if (picture.hosts)
    text += fmt::format("{}: {} within nodes, {} between nodes ({}).\n",
                        count(picture.hosts->hosts.size(), "node"), bytes_text(picture.hosts->within_bytes),
                        bytes_text(picture.hosts->between_bytes),
                        support::format_percentage(share(picture.hosts->between_bytes, summary.total_bytes)));
  return text;
}

drawing::HeatMap heat_map(const Picture& picture) {
  const TrafficMatrix& matrix = picture.matrix();
  drawing::HeatMap map;
  map.rows = map.columns = matrix.size();
  for (std::uint32_t from = 0; from < matrix.size(); ++from) {
    const auto row = matrix.row(from);
    map.values.insert(map.values.end(), row.begin(), row.end());
  }
  for (const std::string& name : picture.names()) map.row_labels.push_back(printable(name));
  map.column_labels = map.row_labels;
  map.title = picture.title;
  map.row_title = picture.by_host ? "sending hosts" : "sending ranks";
  map.column_title = picture.by_host ? "receiving hosts" : "receiving ranks";
  map.value_label = bytes_text;
  return map;
}

/// A field of a CSV file (RFC 4180).
std::string csv_field(const std::string& name) {
  if (name.find_first_of("\",\r\n") == std::string::npos) return name;
  std::string quoted = "\"";
  for (const char letter : name) quoted += letter == '"' ? "\"\"" : std::string(1, letter);
  return quoted + '"';
}

/// Gives the lines of the matrix to a sink: a line of receivers, then one for each sender.
template <class Sink>
void write_csv(const Picture& picture, Sink&& sink) {
  const TrafficMatrix& matrix = picture.matrix();
  const std::vector<std::string> names = picture.names();
  std::string line = "from\\to";
  for (const std::string& name : names) line += ',' + csv_field(name);
  sink(line + '\n');
  for (std::uint32_t from = 0; from < matrix.size(); ++from) {
    line = csv_field(names[from]);
    for (const double bytes : matrix.row(from)) line += fmt::format(",{:.0f}", bytes);
    sink(line + '\n');
  }
}

void write_extreme(support::JsonWriter& json, const char* name, const TrafficSummary::Extreme& extreme) {
  json.key(name)
      .begin_object()
      .member("rank", extreme.rank)
      .member("bytes", extreme.bytes)
      .member("over_mean", extreme.over_mean)
      .end_object();
}

std::string json_text(const Picture& picture) {
  const Traffic& traffic = picture.traffic;
  const TrafficSummary summary = collectives::summarise(traffic.bytes);
  std::string text;
  support::JsonWriter json(text);
  json.begin_object()
      .member("ranks", traffic.bytes.size())
      .member("calls", traffic.calls - traffic.unplaced_calls)
      .member("total_bytes", summary.total_bytes)
      .member("self_bytes", summary.self_bytes);
  json.key("largest");
  if (summary.largest_bytes > 0)
    json.begin_object()
        .member("from", summary.largest_from)
        .member("to", summary.largest_to)
        .member("bytes", summary.largest_bytes)
        .end_object();
  else
    json.null();
  write_extreme(json, "sent", summary.sent);
  write_extreme(json, "received", summary.received);
  json.member("unplaced_calls", traffic.unplaced_calls).member("unplaced_bytes", traffic.unplaced_bytes);
  if (picture.hosts)
    json.member("within_nodes_bytes", picture.hosts->within_bytes)
        .member("between_nodes_bytes", picture.hosts->between_bytes);
  json.member("by", picture.by_host ? "host" : "rank");
  json.key("names").begin_array();
  for (const std::string& name : picture.names()) json.value(name);
  json.end_array();
  json.key("pairs").begin_array();
  const TrafficMatrix& matrix = picture.matrix();
  for (std::uint32_t from = 0; from < matrix.size(); ++from)
    for (std::uint32_t to = 0; to < matrix.size(); ++to)
      if (matrix(from, to) > 0) json.begin_array().value(from).value(to).value(matrix(from, to)).end_array();
  json.end_array().end_object();
  return text + '\n';
}

/// Writes the files that were asked for; returns what to tell of it.
std::string write_files(const Picture& picture, const MatrixOptions& options) {
  std::string text;
  if (!options.csv.empty() && options.csv != "-") {
    support::OutputFile file(options.csv, {.overwrite = options.force});
    write_csv(picture, [&](const std::string& line) { file.write(line); });
    file.close();
    text += fmt::format("Wrote {}.\n", options.csv);
  }
  if (!options.svg.empty()) {
    write_text_file(options.svg, drawing::heat_map_svg(heat_map(picture)), options.force);
    text += fmt::format("Wrote {}.\n", options.svg);
  }
  return text;
}

}  // namespace

Command define_collectives_matrix(CLI::App& app) {
  auto options = std::make_shared<MatrixOptions>();
  app.footer(examples);
  add_profile_input(app, options->input);
  add_traffic_options(app, options->traffic);
  app.add_flag("--by-host", options->by_host, "Add up the ranks of each host; needs recorded locations");
  app.add_flag("--received", options->received, "Take the counts of receivers, not those of senders");
  CLI::Option* csv =
      app.add_option("--csv", options->csv, "Write the matrix as CSV, a row for each sender; - is stdout")
          ->option_text("FILE");
  app.add_option("--svg", options->svg, "Draw the heat map as SVG")->option_text("FILE");
  app.add_flag("--force", options->force, "Replace files that are there");
  bool& json = options->json;
  add_json_option(app, json);
  csv->excludes(app.get_option("--json"));

  return [options](Terminal& terminal) {
    const collectives::Profile profile = read_profile(options->input.paths, terminal);
    const Picture shown = picture(profile, *options);
    terminal.show_warnings(shown.traffic.findings);
    const std::string written = write_files(shown, *options);
    if (options->csv == "-") {
      write_csv(shown, [&](const std::string& line) { terminal.print(line); });
      return 0;
    }
    if (options->json) {
      terminal.print(json_text(shown));
      return 0;
    }
    terminal.print(answer(shown, terminal));
    if (written.empty())
      terminal.print("\n" + drawing::heat_map_text(heat_map(shown), {.width = terminal.width(),
                                                                     .colour = terminal.shows_colour()}));
    terminal.print(written);
    return 0;
  };
}

}  // namespace plimsoll::cli
