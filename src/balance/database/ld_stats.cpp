#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <string_view>

#include <plimsoll/balance/ld_stats.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

SubphaseLoads SubphaseLoads::zeros(std::size_t n_objects, std::uint32_t n_subphases) {
  constexpr std::size_t max_loads = std::size_t{1} << 28;
  if (n_objects > max_loads / (std::size_t{n_subphases} + 1))
    throw support::bad_input(fmt::format("too many subphases: {} for {} objects", n_subphases, n_objects), {},
                             "use subphases that do not synchronise (free)");
  const std::uint32_t count = n_subphases + 1;
  return {.count = count, .loads = std::vector<LBRealType>(n_objects * count)};
}

double fit_subphases(std::span<double> loads_s, double total_s) {
  const double sum_s = std::accumulate(loads_s.begin(), loads_s.end(), 0.0);
  if (sum_s <= total_s) return total_s - sum_s;
  for (double& load_s : loads_s) load_s *= total_s / sum_s;
  return 0;
}

std::int32_t LDStats::n_migrateobjs() const {
  return static_cast<std::int32_t>(std::ranges::count(obj_data, true, &LDObjData::migratable));
}

namespace {

bool is_load(double value) {
  return std::isfinite(value) && value >= 0;
}

void check_column(const LDStats& stats, std::string_view name, std::size_t size, std::size_t per_object = 1) {
  if (size != stats.obj_data.size() * per_object)
    throw support::bad_input(
        fmt::format("LDStats has {} objects in obj_data but {} entries in {}: expected {} per object",
                    stats.obj_data.size(), size, name, per_object));
}

void check_memory(const LDStats& stats) {
  check_column(stats, "memory", stats.memory.size());
  for (std::size_t block = 0; block < stats.blocks.size(); ++block)
    if (static_cast<std::uint32_t>(stats.blocks[block].home) >= stats.procs.size() ||
        !is_load(stats.blocks[block].bytes))
      throw support::bad_input(
          fmt::format("invalid shared block {}: {} bytes, home processor {}; bytes must be >= 0, and the "
                      "home processor below {}",
                      block, stats.blocks[block].bytes, stats.blocks[block].home, stats.procs.size()));
  for (std::size_t object = 0; object < stats.memory.size(); ++object) {
    const ObjMemory& needs = stats.memory[object];
    for (const double bytes : {needs.footprint_bytes, needs.working_bytes, needs.serialized_bytes})
      if (!is_load(bytes))
        throw support::bad_input(
            fmt::format("invalid memory size {} bytes of object {}: must be >= 0", bytes, object));
    if (needs.block != ObjMemory::no_block && needs.block >= stats.blocks.size())
      throw support::bad_input(
          fmt::format("object {} uses shared block {}, but LDStats has only {} shared blocks", object,
                      needs.block, stats.blocks.size()));
  }
}

void check_more_loads(const LDStats& stats) {
  for (const LoadDimension& dimension : stats.more_loads) {
    check_column(stats, dimension.name, dimension.of_object.size());
    for (std::size_t object = 0; object < dimension.of_object.size(); ++object)
      if (!is_load(static_cast<double>(dimension.of_object[object])))
        throw support::bad_input(fmt::format("invalid value {} for load {} of object {}: must be >= 0",
                                             dimension.of_object[object], support::in_quotes(dimension.name),
                                             object));
  }
}

void check_subphases(const LDStats& stats) {
  const SubphaseLoads& subphases = stats.subphases;
  check_column(stats, "subphases", subphases.loads.size(), subphases.count);
  for (std::size_t k = 0; k < subphases.loads.size(); ++k)
    if (!is_load(static_cast<double>(subphases.loads[k])))
      throw support::bad_input(fmt::format("invalid load {} s of object {} in a subphase: must be >= 0",
                                           subphases.loads[k], k / subphases.count));
}

void check(const LDStats& stats) {
  check_column(stats, "from_proc", stats.from_proc.size());
  if (!stats.numbers.empty()) check_column(stats, "numbers", stats.numbers.size());
  if (!stats.positions.empty()) check_column(stats, "positions", stats.positions.size(), stats.n_axes);
  if (!stats.comm_categories.empty() && stats.comm_categories.size() != stats.comm_data.size())
    throw support::bad_input(fmt::format(
        "LDStats has {} edges in comm_data but {} entries in comm_categories: expected one per edge",
        stats.comm_data.size(), stats.comm_categories.size()));
  if (!stats.memory.empty()) check_memory(stats);
  check_more_loads(stats);
  check_subphases(stats);
  for (std::size_t p = 0; p < stats.procs.size(); ++p) {
    const ProcStats& proc = stats.procs[p];
    if (!(std::isfinite(proc.pe_speed) && proc.pe_speed > 0))
      throw support::bad_input(
          fmt::format("invalid speed {1} of processor {0}: must be > 0", p, proc.pe_speed));
    if (!is_load(static_cast<double>(proc.bg_walltime)))
      throw support::bad_input(
          fmt::format("invalid background load {1} s of processor {0}: must be >= 0", p, proc.bg_walltime));
    if (!is_load(proc.rank_alpha) || !is_load(proc.rank_working_bytes))
      throw support::bad_input(
          fmt::format("invalid processor {}: rank_alpha {}, {} bytes of working memory; both must be >= 0", p,
                      proc.rank_alpha, proc.rank_working_bytes));
  }
}

[[noreturn]] void report_object(const LDStats& stats, std::size_t object) {
  if (static_cast<std::uint32_t>(stats.from_proc[object]) >= stats.procs.size())
    throw support::bad_input(fmt::format("object {} is on processor {}, but LDStats has only {} processors",
                                         object, stats.from_proc[object], stats.procs.size()));
  throw support::bad_input(
      fmt::format("invalid load {1} s of object {0}: must be >= 0", object, stats.obj_data[object].walltime));
}

}  // namespace

ProcArray::ProcArray(const LDStats& stats) {
  check(stats);
  const std::size_t n_procs = stats.procs.size();
  // Store the non-migratable and the migratable load of each processor next to each other, indexed by
  // migratability.
  std::vector<double> load(2 * n_procs, 0.0);
  std::vector<std::int32_t> movable(n_procs, 0);
  for (std::size_t object = 0; object < stats.obj_data.size(); ++object) {
    const LDObjData data = stats.obj_data[object];
    const auto proc = static_cast<std::uint32_t>(stats.from_proc[object]);
    if (proc >= n_procs || !is_load(static_cast<double>(data.walltime))) report_object(stats, object);
    load[2 * proc + (data.migratable ? 1 : 0)] += static_cast<double>(data.walltime);
    movable[proc] += data.migratable ? 1 : 0;
  }

  procs.reserve(n_procs);
  double speed = 0;
  double work = 0;
  for (std::size_t p = 0; p < n_procs; ++p) {
    const ProcStats& proc = stats.procs[p];
    const double overhead = static_cast<double>(proc.bg_walltime) + load[2 * p] / proc.pe_speed;
    procs.push_back({static_cast<std::int32_t>(p), proc.pe_speed, proc.available, overhead,
                     overhead + load[2 * p + 1] / proc.pe_speed});
    migratable_load_ += load[2 * p + 1];
    n_migratable_ += movable[p];
    if (!proc.available) {
      must_evacuate_ = must_evacuate_ || movable[p] > 0;
      continue;
    }
    ++n_available_;
    speed += proc.pe_speed;
    work += overhead * proc.pe_speed;
  }
  if (n_available_ > 0) average_load_ = (work + migratable_load_) / speed;
}

double ProcArray::max_load() const {
  double max = 0;
  for (const ProcInfo& proc : procs)
    if (proc.available) max = std::max(max, proc.total_load);
  return max;
}

void ProcArray::require_available() const {
  if (n_migratable_ > 0 && n_available_ == 0)
    throw support::usage_error(fmt::format("all {} processors are unavailable: {} objects cannot be placed",
                                           procs.size(), n_migratable_));
}

namespace {

bool joins_two_objects(const LDCommData& comm) {
  return comm.sender.is_object() && comm.receiver.is_object() && comm.sender != comm.receiver;
}

}  // namespace

ObjGraph::ObjGraph(const LDStats& stats, GraphEdges edges)
    : stats_(stats), new_pe_(stats.obj_data.size(), no_pe) {
  if (edges == GraphEdges::ignore || stats.comm_data.empty()) return;
  for (std::size_t edge = 0; edge < stats.comm_data.size(); ++edge)
    for (const CommEnd end : {stats.comm_data[edge].sender, stats.comm_data[edge].receiver})
      if (end.is_object() && end.index() >= stats.obj_data.size())
        throw support::bad_input(fmt::format("edge {} refers to object {}, but LDStats has only {} objects",
                                             edge, end.index(), stats.obj_data.size()));
  outgoing_ = adjacency(true);
  incoming_ = adjacency(false);
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
