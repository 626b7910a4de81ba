#include <plimsoll/placement/nodes.hpp>
#include <plimsoll/placement/reorder.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "cli/commands.hpp"
#include "cli/commands/collectives/profile.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

using namespace placement;

struct ReorderOptions {
  ProfileInput input;
  std::string traffic;
  std::string nodes;  // a number, or the path of a hostfile
  std::optional<std::uint32_t> ranks_per_node;
  std::string format;
  std::string output;
  bool force = false;
  bool json = false;
};

constexpr const char* reorder_examples =
    R"(  plimsoll collectives reorder                          place ranks on the recorded hosts
  plimsoll collectives reorder profile --nodes 4        place ranks on 4 equal nodes
  plimsoll collectives reorder profile --nodes hosts.txt --format openmpi-rankfile -o ranks
      then: mpirun -n 64 --rankfile ranks ./app
  plimsoll collectives reorder profile --nodes hosts.txt --format mpich -o ranks
      then: mpiexec -n 64 -f ranks ./app
  plimsoll collectives reorder profile --nodes hosts.txt --format slurm -o ranks
      then: SLURM_HOSTFILE=ranks srun -n 64 --distribution=arbitrary ./app)";

SiteRequest request_of(const ReorderOptions& options) {
  SiteRequest request = {.ranks_per_node = options.ranks_per_node};
  request.nodes = support::parse_number<std::uint32_t>(options.nodes);
  if (!options.nodes.empty() && !request.nodes) request.hostfile = options.nodes;
  return request;
}

std::string answer(const Reordering& result, const Site& site, const Terminal& terminal) {
  if (result.total_bytes == 0)
    return "The recorded calls do not move data between different ranks: all placements are equal.\n";
  std::string text =
      fmt::format("Between nodes: {} of {} ({}) {}, {} ({}) {}.\n", bytes_text(result.before_bytes),
                  bytes_text(result.total_bytes), percentage(result.before_bytes, result.total_bytes),
                  site.is_recorded ? "as recorded" : "with ranks in order",
                  terminal.paint(Colour::bold, bytes_text(result.after_bytes)),
                  percentage(result.after_bytes, result.total_bytes), "reordered");
  if (result.moved == 0) return text + "No better placement found: all ranks keep their nodes.\n";
  return text + fmt::format("{} of {} {} to another node.\n", count(result.moved),
                            count(result.placement.size(), "rank"), result.moved == 1 ? "moves" : "move");
}

std::string table(const Reordering& result, const Site& site) {
  support::TextTable table({{"node"}, {"slots", support::TextTable::Align::right}, {"ranks"}});
  const auto ranks = ranks_of_nodes(result.placement, site.nodes.size());
  for (std::size_t node = 0; node < site.nodes.size(); ++node)
    table.add_row({site.nodes[node].name, count(site.nodes[node].slots), ranks[node].to_string()});
  return table.to_string(Terminal::width());
}

std::string json_text(const Reordering& result, const Site& site, collectives::TrafficKind kind,
                      const std::string& output) {
  return json_line([&](support::JsonWriter& json) {
    json.member("ranks", result.placement.size())
        .member("traffic", to_string(kind))
        .member("start", site.is_recorded ? "recorded" : "in order")
        .member("total_bytes", result.total_bytes)
        .member("before_bytes", result.before_bytes)
        .member("after_bytes", result.after_bytes)
        .member("moved_ranks", result.moved)
        .member("strategy", result.found_by);
    json.key("nodes").begin_array();
    for (const Node& node : site.nodes)
      json.begin_object().member("name", node.name).member("slots", node.slots).end_object();
    json.end_array().key("node_of_rank").values(result.placement).member("output", if_any(output));
  });
}

Site site_of(const ReorderOptions& options, const collectives::RecordedRun& run) {
  try {
    return find_site(request_of(options), collectives::rank_hosts(run));
  } catch (const UnknownNodesError& error) {
    throw with_suggestion(error,
                          "set the number of nodes with --nodes N, or use a hostfile with --nodes FILE");
  }
}

void warn_of_names(const Site& site, const Terminal& terminal) {
  if (site.has_names) return;
  terminal.show_warning({.severity = support::Severity::warning,
                         .what = fmt::format("unknown host names: {} used as placeholders",
                                             site.nodes.size() > 1 ? "node0, node1 ..." : "node0"),
                         .suggestion = "specify a hostfile with --nodes"});
}

}  // namespace

Command define_collectives_reorder(OptionParser& parser) {
  auto options = begin_command<ReorderOptions>(parser, reorder_examples);
  add_profile_input(parser, options->input);
  add_traffic_kind_option(parser, options->traffic);
  parser.add_option(
      "--nodes N|FILE", options->nodes,
      "Number of nodes, or a hostfile for Open MPI, MPICH or Slurm [default: the recorded hosts]");
  parser.add_option("--ranks-per-node N", options->ranks_per_node,
                    "Slots per node [default: from the hostfile, else ranks / nodes]");
  Option format =
      parser
          .add_option(
              "--format FORMAT", options->format,
              "Print the placement for a launcher: openmpi-rankfile, mpich, slurm or list (rank and host)")
          .one_of(rank_file_formats());
  Option output =
      parser.add_option("-o,--output FILE", options->output, "Write the placement to a file").needs(format);
  parser.add_flag("--force", options->force, "Overwrite an existing file").needs(output);
  add_json_option(parser, options->json);

  return [options](Terminal& terminal) {
    const collectives::RecordedRun run = read_run(options->input.paths, terminal);
    const collectives::TrafficKind kind =
        traffic_kind(options->traffic).value_or(collectives::default_traffic(run));
    expect_traffic(run, kind);
    const collectives::Traffic traffic = collectives::traffic(run, kind);
    terminal.show_warnings(traffic.findings);
    const Site where = site_of(*options, run);
    const Reordering result = reorder(traffic.bytes, where.nodes, where.start);

    std::string file;
    std::string usage;
    if (!options->format.empty()) {
      const RankFileFormat format_wanted = *rank_file_format(options->format);
      warn_of_names(where, terminal);
      file = rank_file(result.placement, where.nodes, format_wanted);
      usage = "use: " + how_to_use(format_wanted, options->output.empty() ? "FILE" : options->output,
                                   result.placement.size());
    }
    if (!options->output.empty()) support::write_text_file(options->output, file, options->force);
    if (options->json) {
      terminal.print(json_text(result, where, kind, options->output));
    } else if (file.empty()) {
      terminal.print(fitted(answer(result, where, terminal) + "\n" + table(result, where)));
    } else if (options->output.empty()) {
      terminal.print(file);
      terminal.show_note(usage);
    } else {
      terminal.print(fitted(answer(result, where, terminal) +
                            fmt::format("Wrote {}; {}\n", support::printable(options->output), usage)));
    }
    return 0;
  };
}

}  // namespace plimsoll::cli
