#include <fmt/format.h>

#include <numeric>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

bool joins_two_objects(const LDCommData& comm) {
  return comm.sender.is_object() && comm.receiver.is_object() && comm.sender != comm.receiver;
}

}  // namespace

ObjGraph::ObjGraph(const LDStats& stats, GraphEdges edges)
    : stats_(stats), new_pe_(stats.obj_data.size(), no_pe) {
  if (edges == GraphEdges::ignore || stats.comm_data.empty()) return;
  check_edges();
  outgoing_ = adjacency(true);
  incoming_ = adjacency(false);
}

void ObjGraph::check_edges() const {
  for (std::size_t edge = 0; edge < stats_.comm_data.size(); ++edge)
    for (const CommEnd end : {stats_.comm_data[edge].sender, stats_.comm_data[edge].receiver})
      if (end.is_object() && end.index() >= stats_.obj_data.size())
        throw support::bad_input(fmt::format("edge {} refers to object {}, but LDStats has only {} objects",
                                             edge, end.index(), stats_.obj_data.size()));
}

ObjGraph::Adjacency ObjGraph::adjacency(bool from_sender) const {
  Adjacency result;
  result.begin.assign(stats_.obj_data.size() + 2, 0);
  const auto owner = [&](const LDCommData& comm) {
    return (from_sender ? comm.sender : comm.receiver).index();
  };
  // Use counting sort: begin[v + 2] counts v's edges; after summation, begin[v + 1] is the position of v's
  // next edge.
  for (const LDCommData& comm : stats_.comm_data)
    if (joins_two_objects(comm)) ++result.begin[owner(comm) + 2];
  std::partial_sum(result.begin.begin(), result.begin.end(), result.begin.begin());
  result.edges.resize(result.begin.back());
  for (const LDCommData& comm : stats_.comm_data) {
    if (!joins_two_objects(comm)) continue;
    const CommEnd neighbor = from_sender ? comm.receiver : comm.sender;
    result.edges[result.begin[owner(comm) + 1]++] = {neighbor.index(), comm.messages, comm.bytes};
  }
  result.begin.pop_back();
  return result;
}

void ObjGraph::convert_decisions(LDStats& stats) const {
  // Copy the needed members of processors, whose records are large, so that they stay in the cache.
  std::vector<std::uint8_t> available;
  for (const ProcStats& proc : stats.procs) available.push_back(proc.available ? 1 : 0);

  std::vector<std::int32_t> placement(n_vertices());
  for (std::uint32_t vertex = 0; vertex < n_vertices(); ++vertex) {
    const std::int32_t pe = new_pe_[vertex];
    const std::int32_t current = current_pe(vertex);
    placement[vertex] = pe == no_pe ? current : pe;
    if (pe == no_pe || pe == current) continue;
    if (!migratable(vertex))
      throw support::usage_error(fmt::format("object {} was migrated but is not migratable", vertex));
    if (static_cast<std::uint32_t>(pe) >= available.size() || available[static_cast<std::uint32_t>(pe)] == 0)
      throw support::usage_error(fmt::format(
          "object {} was migrated to processor {}, which does not exist or is not available", vertex, pe));
  }
  stats.to_proc = std::move(placement);
}

}  // namespace plimsoll::balance
