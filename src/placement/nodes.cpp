#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include <plimsoll/placement/nodes.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::placement {

using support::in_quotes;
using support::take_word;

namespace {

std::uint32_t share(std::uint32_t ranks, std::size_t nodes) {
  return static_cast<std::uint32_t>((ranks + nodes - 1) / nodes);
}

class HostfileReader {
 public:
  explicit HostfileReader(std::string file) : file_(std::move(file)) {}

  void read_line(std::string_view line, std::uint64_t number_of_line) {
    line_ = number_of_line;
    line = line.substr(0, line.find('#'));
    std::string_view host = take_word(line);
    if (host.empty()) return;
    std::optional<std::uint32_t> slots;
    const std::size_t colon = host.find(':');
    if (colon != std::string_view::npos && host.find(':', colon + 1) == std::string_view::npos) {
      slots = number(host.substr(colon + 1));
      host = host.substr(0, colon);
    }
    if (host.empty()) throw error("missing host before \":\"", "use host:4");
    if (host.find_first_of("[],") != std::string_view::npos)
      throw error(fmt::format("{} contains several hosts", in_quotes(host)),
                  "use one host per line, as printed by \"scontrol show hostnames\"");
    for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
      if (word.starts_with("slots="))
        slots = number(word.substr(6));
      else if (word.find('=') == std::string_view::npos)
        throw error(fmt::format("unexpected {}", in_quotes(word)),
                    "use \"host\", \"host slots=4\" or \"host:4\", one host per line");
    }
    add(host, slots);
  }

  std::vector<Node> finish(std::uint32_t ranks) {
    if (nodes_.empty())
      throw Error(ErrorKind::bad_input, {.what = "the file contains no hosts", .file = file_});
    if (with_slots_ == 0 && lines_ == nodes_.size())
      for (Node& node : nodes_) node.slots = share(ranks, nodes_.size());
    return std::move(nodes_);
  }

 private:
  Error error(std::string what, std::string suggestion) const {
    return {ErrorKind::bad_input,
            {.what = std::move(what), .file = file_, .line = line_, .suggestion = std::move(suggestion)}};
  }

  std::uint32_t number(std::string_view word) const {
    const auto slots = support::parse_number<std::uint32_t>(word);
    if (!slots || *slots == 0 || *slots > max_slots)
      throw error(fmt::format("invalid number of slots {}", in_quotes(word)),
                  fmt::format("use 1 to {}", max_slots));
    return *slots;
  }

  void add(std::string_view host, std::optional<std::uint32_t> slots) {
    ++lines_;
    if (slots) ++with_slots_;
    if (with_slots_ != 0 && with_slots_ != lines_)
      throw error("missing number of slots for some hosts", "specify it for all hosts, or for none");
    const auto [entry, is_new] = node_of_host_.emplace(host, nodes_.size());
    if (is_new) nodes_.push_back({std::string(host), 0});
    Node& node = nodes_[entry->second];
    node.slots += slots.value_or(1);
    if (node.slots > max_slots)
      throw error(fmt::format("too many slots on this host: must be <= {}", max_slots), "");
  }

  std::string file_;
  std::uint64_t line_ = 0;
  std::vector<Node> nodes_;
  std::unordered_map<std::string, std::size_t> node_of_host_;
  std::size_t lines_ = 0;
  std::size_t with_slots_ = 0;
};

}  // namespace

std::vector<Node> equal_nodes(std::uint32_t ranks, std::uint32_t count) {
  if (count == 0 || ranks == 0)
    throw support::usage_error(
        fmt::format("{} ranks cannot be placed on {} nodes: both must be >= 1", ranks, count));
  count = std::min(count, ranks);
  std::vector<Node> nodes;
  for (std::uint32_t k = 0; k < count; ++k) nodes.push_back({fmt::format("node{}", k), share(ranks, count)});
  return nodes;
}

std::vector<Node> nodes_of_hosts(std::span<const std::string> hosts) {
  std::vector<Node> nodes;
  std::unordered_map<std::string, std::size_t> node_of_host;
  for (const std::string& host : hosts) {
    const auto [entry, is_new] = node_of_host.emplace(host, nodes.size());
    if (is_new) nodes.push_back({host, 0});
    ++nodes[entry->second].slots;
  }
  return nodes;
}

std::vector<Node> parse_hostfile(std::string_view text, const std::string& file, std::uint32_t ranks) {
  HostfileReader reader(file);
  for (support::LineReader lines(text); !lines.at_end(); lines.advance())
    reader.read_line(lines.line(), lines.number());
  return reader.finish(ranks);
}

Placement block_placement(std::uint32_t ranks, std::span<const Node> nodes) {
  Placement placement;
  placement.reserve(ranks);
  for (std::uint32_t node = 0; node < nodes.size() && placement.size() < ranks; ++node)
    placement.insert(placement.end(), std::min<std::size_t>(nodes[node].slots, ranks - placement.size()),
                     node);
  if (placement.size() < ranks)
    throw support::usage_error(fmt::format("too few slots: {} for {} ranks", placement.size(), ranks),
                               "specify more nodes, or more slots");
  return placement;
}

std::optional<Placement> placement_on_hosts(std::span<const std::string> hosts, std::span<const Node> nodes) {
  std::unordered_map<std::string, std::uint32_t> node_of_host;
  for (std::uint32_t node = 0; node < nodes.size(); ++node) node_of_host.emplace(nodes[node].name, node);
  Placement placement;
  std::vector<std::uint32_t> ranks_on(nodes.size());
  for (const std::string& host : hosts) {
    const auto entry = node_of_host.find(host);
    if (entry == node_of_host.end()) return std::nullopt;
    if (++ranks_on[entry->second] > nodes[entry->second].slots) return std::nullopt;
    placement.push_back(entry->second);
  }
  return placement;
}

std::vector<collectives::NumberList> ranks_of_nodes(const Placement& placement, std::size_t nodes) {
  std::vector<collectives::NumberList> ranks(nodes);
  for (std::size_t rank = 0; rank < placement.size(); ++rank) ranks[placement[rank]].push_back(rank);
  return ranks;
}

namespace {

std::uint32_t number_of_nodes(const SiteRequest& request, std::uint32_t ranks) {
  if (request.nodes) return *request.nodes;
  const std::uint32_t slots = *request.ranks_per_node;
  return static_cast<std::uint32_t>((std::uint64_t{ranks} + slots - 1) / slots);
}

/// Returns equal nodes. They have the names of the hosts if the numbers of nodes and hosts are equal.
std::vector<Node> find_equal_nodes(const SiteRequest& request, std::span<const std::string> hosts,
                                   bool& has_names) {
  const auto ranks = static_cast<std::uint32_t>(hosts.size());
  std::vector<Node> nodes = equal_nodes(ranks, number_of_nodes(request, ranks));
  const std::vector<Node> known = nodes_of_hosts(hosts);
  has_names = std::ranges::none_of(hosts, &std::string::empty) && known.size() == nodes.size();
  if (has_names)
    for (std::size_t k = 0; k < nodes.size(); ++k) nodes[k].name = known[k].name;
  return nodes;
}

std::vector<Node> find_nodes(const SiteRequest& request, std::span<const std::string> hosts,
                             bool& has_names) {
  if (request.hostfile)
    return parse_hostfile(support::read_text_file(*request.hostfile), *request.hostfile,
                          static_cast<std::uint32_t>(hosts.size()));
  if (request.nodes || request.ranks_per_node) return find_equal_nodes(request, hosts, has_names);
  if (std::ranges::none_of(hosts, &std::string::empty)) return nodes_of_hosts(hosts);
  throw UnknownNodesError(
      support::usage_error("no nodes to place ranks on", "specify the number of nodes, or a hostfile"));
}

}  // namespace

Site find_site(const SiteRequest& request, std::span<const std::string> hosts) {
  if (request.ranks_per_node == 0U)
    throw support::usage_error("invalid number of ranks per node: 0", "use 1 or more");
  Site site;
  site.nodes = find_nodes(request, hosts, site.has_names);
  if (request.ranks_per_node)
    for (Node& node : site.nodes) node.slots = *request.ranks_per_node;
  std::optional<Placement> recorded;
  if (site.has_names) recorded = placement_on_hosts(hosts, site.nodes);
  site.is_recorded = recorded.has_value();
  site.start = recorded ? *recorded : block_placement(static_cast<std::uint32_t>(hosts.size()), site.nodes);
  return site;
}

namespace {

constexpr std::array<std::string_view, 4> names = {"list", "mpich", "openmpi-rankfile", "slurm"};

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Returns whether a name consists of letters, digits, dots, dashes and underscores, or is an IPv6 address.
/// Other characters, such as a space, a comma or the colon of "host:4", have a meaning for launchers.
bool is_host_name(std::string_view name) {
  if (name.empty() || name.size() > 255 || name.front() == '-') return false;
  const bool is_address = std::ranges::count(name, ':') > 1;
  return std::ranges::all_of(name, [&](char c) {
    return is_letter_or_digit(c) || c == '.' || c == '-' || c == '_' ||
           (is_address && (c == ':' || c == '%'));
  });
}

void expect_host_names(std::span<const Node> nodes) {
  const auto bad = std::ranges::find_if_not(nodes, [](const Node& node) { return is_host_name(node.name); });
  if (bad == nodes.end()) return;
  throw support::bad_input(
      fmt::format("invalid host name {}: expected letters, digits, '.', '-' and '_'", in_quotes(bad->name)),
      {}, "use a hostfile with the host names");
}

}  // namespace

std::vector<std::string> rank_file_formats() {
  return {names.begin(), names.end()};
}

std::optional<RankFileFormat> rank_file_format(std::string_view name) {
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k] == name) return static_cast<RankFileFormat>(k);
  return std::nullopt;
}

std::string rank_file(std::span<const std::uint32_t> placement, std::span<const Node> nodes,
                      RankFileFormat format) {
  expect_host_names(nodes);
  std::string text;
  std::vector<std::uint32_t> used(nodes.size());
  for (std::size_t rank = 0; rank < placement.size(); ++rank) {
    const std::string& host = nodes[placement[rank]].name;
    switch (format) {
      case RankFileFormat::list: text += fmt::format("{} {}\n", rank, host); break;
      case RankFileFormat::openmpi_rankfile:
        text += fmt::format("rank {}={} slot={}\n", rank, host, used[placement[rank]]++);
        break;
      case RankFileFormat::mpich:
      case RankFileFormat::slurm: text += host + '\n'; break;
    }
  }
  return text;
}

std::string how_to_use(RankFileFormat format, const std::string& path, std::size_t ranks) {
  const std::string file = support::shell_quoted(path);
  switch (format) {
    case RankFileFormat::openmpi_rankfile: return fmt::format("mpirun -n {} --rankfile {} ...", ranks, file);
    case RankFileFormat::mpich: return fmt::format("mpiexec -n {} -f {} ...", ranks, file);
    case RankFileFormat::slurm:
      return fmt::format("SLURM_HOSTFILE={} srun -n {} --distribution=arbitrary ...", file, ranks);
    case RankFileFormat::list: break;
  }
  return "this list to look up the host of each rank; launchers require another format";
}

}  // namespace plimsoll::placement
