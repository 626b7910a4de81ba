#include <limits>

#include <plimsoll/documents/collectives.hpp>
#include <plimsoll/drawing/heat_map.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/output_file.hpp>

#include "cli/commands.hpp"
#include "cli/commands/collectives/profile.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using namespace collectives;

/// Options that select the calls whose traffic is shown.
struct TrafficOptions {
  std::string call, signature, communicator, operation;
};

struct MatrixOptions {
  ProfileInput input;
  TrafficOptions traffic;
  std::string kind;
  bool by_host = false;
  bool received = false;
  bool no_self = false;
  bool log = false;
  std::string csv;
  std::string svg;
  bool force = false;
  bool json = false;
};

constexpr const char* matrix_examples =
    R"(  plimsoll collectives matrix                       all calls of the profile in this directory
  plimsoll collectives matrix profile --call 0:3    call 3 of communicators that rank 0 leads
  plimsoll collectives matrix profile --by-host     traffic between hosts
  plimsoll collectives matrix profile --no-self --log
  plimsoll collectives matrix profile --traffic p2p   point-to-point messages, if MPI calls were recorded
  plimsoll collectives matrix profile --csv - > matrix.csv
  plimsoll collectives matrix profile --svg matrix.svg)";

std::string origin(const Traffic& traffic, TrafficKind kind) {
  std::string calls = count(traffic.calls - traffic.unplaced_calls, "call");
  std::string messages = count(traffic.point_to_point_messages, "point-to-point message");
  switch (kind) {
    case TrafficKind::collectives: return calls;
    case TrafficKind::point_to_point: return messages;
    case TrafficKind::all: return calls + " and " + messages;
  }
  return "";
}

std::string answer(const TrafficView& view, const Terminal& terminal) {
  const Traffic& traffic = view.traffic;
  const TrafficSummary summary = summarise(traffic.bytes);
  std::string text = fmt::format(
      "{} sent {} in {}, {}.\n", count(traffic.bytes.size(), "rank"),
      terminal.paint(Colour::bold, bytes_text(summary.total_bytes)), origin(traffic, view.kind),
      view.with_self
          ? fmt::format("including {} to themselves", percentage(summary.self_bytes, summary.total_bytes))
          : "excluding bytes to themselves");
  if (summary.largest_bytes > 0)
    text += fmt::format("Largest pair: rank {} to rank {}, {} ({} of the total).\n", summary.largest_from,
                        summary.largest_to, bytes_text(summary.largest_bytes),
                        percentage(summary.largest_bytes, summary.total_bytes));
  if (summary.total_bytes > 0)
    text += fmt::format(
        "Maximum sent: {:.2f} times the mean, by rank {}. Maximum received: {:.2f} times the mean, by rank "
        "{}.\n",
        summary.sent.over_mean, summary.sent.rank, summary.received.over_mean, summary.received.rank);
  if (view.hosts)
    text +=
        fmt::format("{}: {} within nodes, {} between nodes ({}).\n", count(view.hosts->hosts.size(), "node"),
                    bytes_text(view.hosts->within_bytes), bytes_text(view.hosts->between_bytes),
                    percentage(view.hosts->between_bytes, summary.total_bytes));
  return text;
}

drawing::HeatMap heat_map(const TrafficView& view, const MatrixOptions& options) {
  const TrafficMatrix& matrix = view.matrix();
  drawing::HeatMap map;
  map.rows = map.columns = matrix.size();
  for (std::uint32_t from = 0; from < matrix.size(); ++from) {
    const auto row = matrix.row(from);
    map.values.insert(map.values.end(), row.begin(), row.end());
  }
  for (const std::string& name : view.names()) map.row_labels.push_back(support::printable(name));
  map.column_labels = map.row_labels;
  map.title = view.title;
  map.row_title = view.by_host ? "sending hosts" : "sending ranks";
  map.column_title = view.by_host ? "receiving hosts" : "receiving ranks";
  map.value_label = bytes_text;
  map.logarithmic = options.log;
  return map;
}

std::string write_files(const TrafficView& view, const MatrixOptions& options) {
  const support::OutputOptions output = {.overwrite = options.force, .keep_unfinished = false};
  std::vector<support::OutputFile> files;
  if (!options.csv.empty() && options.csv != "-") {
    support::OutputFile& csv = files.emplace_back(options.csv, output);
    write_csv(view, [&](std::string_view line) { csv.write(line); });
  }
  if (!options.svg.empty())
    files.emplace_back(options.svg, output).write(drawing::heat_map_svg(heat_map(view, options)));
  support::OutputFile::close_together(files);
  std::string text;
  for (const support::OutputFile& file : files)
    text += fmt::format("Wrote {}.\n", support::printable(file.path()));
  return text;
}

/// Parses LEAD:NUMBER, if specified, into the selection's lead rank and `number`.
template <class Integer>
void read(const char* option, const std::string& text, collectives::TrafficSelection& selection,
          std::optional<Integer>& number) {
  if (text.empty()) return;
  const LeadNumber named = read_lead_number(option, text);
  if (named.number > std::numeric_limits<Integer>::max())
    throw support::usage_error(fmt::format("invalid value {} for {}", support::in_quotes(text), option),
                               fmt::format("use a number <= {}", std::numeric_limits<Integer>::max()));
  selection.lead = named.lead;
  number = static_cast<Integer>(named.number);
}

void add_traffic_options(OptionParser& parser, TrafficOptions& options) {
  std::vector<Option> exclusive = {
      parser.add_option("--call LEAD:ID", options.call, "Only this call on communicators led by LEAD"),
      parser.add_option("--signature LEAD:N", options.signature,
                        "Only calls with the N-th count set of LEAD, counted from 0"),
      parser.add_option("--communicator LEAD:ID", options.communicator,
                        "Only calls on the communicator with this ID and lead rank LEAD")};
  for (std::size_t k = 0; k < exclusive.size(); ++k)
    for (std::size_t other = 0; other < k; ++other) exclusive[k].excludes(exclusive[other]);
  parser.add_option("--operation NAME", options.operation,
                    "Only this operation, e.g. Alltoallv [default: all]");
}

collectives::TrafficSelection traffic_selection(const TrafficOptions& options) {
  collectives::TrafficSelection selection;
  read("--call", options.call, selection, selection.call);
  read("--signature", options.signature, selection, selection.signature);
  read("--communicator", options.communicator, selection, selection.communicator);
  if (!options.operation.empty()) selection.operation = collectives::operation_named(options.operation);
  return selection;
}

}  // namespace

Command define_collectives_matrix(OptionParser& parser) {
  auto options = begin_command<MatrixOptions>(parser, matrix_examples);
  add_profile_input(parser, options->input);
  add_traffic_kind_option(parser, options->kind);
  add_traffic_options(parser, options->traffic);
  parser.add_flag("--by-host", options->by_host, "Aggregate by host");
  parser.add_flag("--received", options->received, "Use the receive counts instead of the send counts");
  parser.add_flag("--no-self", options->no_self, "Exclude the bytes that ranks send to themselves");
  parser.add_flag("--log", options->log, "Use a logarithmic scale in heat maps");
  Option csv = parser.add_option("--csv FILE", options->csv,
                                 "Write the matrix as CSV, one row per sender; - is stdout");
  parser.add_option("--svg FILE", options->svg, "Draw the heat map as SVG");
  parser.add_flag("--force", options->force, "Overwrite existing files");
  bool& json = options->json;
  add_json_option(parser, json);
  csv.excludes(parser.option("--json"));

  return [options](Terminal& terminal) {
    const std::string outputs[] = {options->csv, options->svg};
    expect_distinct_files(outputs);
    const RecordedRun run = read_run(options->input.paths, terminal);
    const TrafficView shown =
        view_traffic(run, {.kind = traffic_kind(options->kind),
                           .selection = traffic_selection(options->traffic),
                           .counts_of = options->received ? Direction::recv : Direction::send,
                           .by_host = options->by_host,
                           .with_self = !options->no_self});
    terminal.show_warnings(shown.traffic.findings);
    const std::string written = write_files(shown, *options);
    if (options->csv == "-") {
      write_csv(shown, [&](std::string_view line) { terminal.print(line); });
      return 0;
    }
    if (options->json) {
      documents::write_json(shown, terminal.printer());
      return 0;
    }
    terminal.print(fitted(answer(shown, terminal)));
    if (written.empty())
      terminal.print("\n" + fitted(drawing::heat_map_text(
                                heat_map(shown, *options),
                                {.width = terminal.width(), .colour = terminal.shows_colour()})));
    terminal.print(written);
    return 0;
  };
}

}  // namespace plimsoll::cli
