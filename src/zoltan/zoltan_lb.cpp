#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zoltan.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/balance/place_by_partition.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/loaded_library.hpp>
#include <plimsoll/support/parse.hpp>
#include <plimsoll/zoltan/zoltan_lb.hpp>

namespace plimsoll::PLIMSOLL_ABI::zoltan {

namespace {

using balance::Partition;
using balance::PartitionGraph;
using balance::PartShares;

/// Returns Zoltan's parameters; Zoltan chooses the values of those without a default. Source: Zoltan's user's
/// guide. Defaults match vt's ZoltanLB, with three exceptions. LB_APPROACH is REPARTITION there; here the
/// labels of the parts already keep objects in place. PHG_EDGE_SIZE_THRESHOLD is 0.25 there, which makes
/// Zoltan ignore all edges of problems with fewer than 8 objects. SEED is unset there, so two calls give
/// different placements.
const std::vector<balance::ParameterSpec>& zoltan_parameters() {
  using Text = std::string;
  static const std::vector<balance::ParameterSpec> parameters = {
      {"CHECK_HYPERGRAPH", Text("1"), "whether Zoltan checks its input: 0 or 1"},
      {"DEBUG_LEVEL", Text("0"), "verbosity of Zoltan, 0 to 10"},
      {"DEBUG_PROCESSOR", Text("0"), "rank that prints debug output"},
      {"FINAL_OUTPUT", Text("0"), "whether Zoltan prints the quality of its partition: 0 or 1"},
      {"LB_APPROACH", Text("PARTITION"),
       "PARTITION, REPARTITION or REFINE (the last two start from the current ranks)"},
      {"PHG_COARSENING_METHOD", Text("agg"), "agg, ipm, l-ipm, c-ipm, a-ipm or h-ipm"},
      {"PHG_COARSEPARTITION_METHOD", Text("auto"), "auto, random, linear or greedy"},
      {"PHG_CUT_OBJECTIVE", Text("connectivity"), "connectivity or hyperedges"},
      {"PHG_EDGE_SIZE_THRESHOLD", Text("1"),
       "maximum fraction of the objects in a hyperedge; larger hyperedges are ignored"},
      {"PHG_EDGE_WEIGHT_OPERATION", Text("max"), "rule for edges with two weights: max, add or error"},
      {"PHG_MULTILEVEL", Text(), "0: partition without coarsening"},
      {"PHG_OUTPUT_LEVEL", Text("0"), "verbosity of the hypergraph partitioner"},
      {"PHG_PROCESSOR_REDUCTION_LIMIT", Text("0.5"),
       "limit for reducing the number of processes; no effect in a single process"},
      {"PHG_RANDOMIZE_INPUT", Text("0"), "whether to randomise the order of objects: 0 or 1"},
      {"PHG_REFINEMENT_METHOD", Text(), "fm or no"},
      {"PHG_REFINEMENT_QUALITY", Text("1"), "effort of the refinement (1: default effort)"},
      {"PHG_REPART_MULTIPLIER", Text("100"),
       "weight of communication relative to migration (REPARTITION only)"},
      {"SEED", Text("1"), "random seed of Zoltan"},
  };
  return parameters;
}

/// The library Zoltan, which is loaded when it is first used. Throws Error (system) if that fails.
struct ZoltanLibrary {
  support::LoadedLibrary library{PLIMSOLL_ZOLTAN_LIBRARY, support::SymbolChoice::of_program};
  PLIMSOLL_LOADED_FUNCTION(Zoltan_, Create);
  PLIMSOLL_LOADED_FUNCTION(Zoltan_, Destroy);
  PLIMSOLL_LOADED_FUNCTION(Zoltan_, Initialize);
  PLIMSOLL_LOADED_FUNCTION(Zoltan_, LB_Free_Part);
  PLIMSOLL_LOADED_FUNCTION(Zoltan_, LB_Partition);
  PLIMSOLL_LOADED_FUNCTION(Zoltan_, LB_Set_Part_Sizes);
  PLIMSOLL_LOADED_FUNCTION(Zoltan_, Set_HG_CS_Fn);
  PLIMSOLL_LOADED_FUNCTION(Zoltan_, Set_HG_Edge_Wts_Fn);
  PLIMSOLL_LOADED_FUNCTION(Zoltan_, Set_HG_Size_CS_Fn);
  PLIMSOLL_LOADED_FUNCTION(Zoltan_, Set_HG_Size_Edge_Wts_Fn);
  PLIMSOLL_LOADED_FUNCTION(Zoltan_, Set_Num_Obj_Fn);
  PLIMSOLL_LOADED_FUNCTION(Zoltan_, Set_Obj_List_Fn);
  PLIMSOLL_LOADED_FUNCTION(Zoltan_, Set_Param);
  PLIMSOLL_LOADED_FUNCTION(Zoltan_, Set_Part_Fn);

  ZoltanLibrary() { library.expect_usable("Zoltan", "use GraphPartLB"); }
};

const ZoltanLibrary& zoltan_library() {
  static const ZoltanLibrary loaded;
  return loaded;
}

struct Problem {
  const PartitionGraph& graph;
  const Partition& present;
  bool with_edges;

  /// Calls `visit(one, other, weight)` once for each edge.
  template <typename Visit>
  void for_each_edge(const Visit& visit) const {
    if (!with_edges) return;
    for (std::int32_t vertex = 0; vertex < graph.n_vertices(); ++vertex)
      graph.for_each_edge(vertex, [&](std::int32_t neighbor, std::int32_t weight) {
        if (vertex < neighbor) visit(vertex, neighbor, weight);
      });
  }
  int n_edges() const {
    int count = 0;
    for_each_edge([&](std::int32_t, std::int32_t, std::int32_t) { ++count; });
    return count;
  }
};

const Problem& problem_of(void* data) {
  return *static_cast<const Problem*>(data);
}

int count_objects(void* data, int* error) {
  *error = ZOLTAN_OK;
  return problem_of(data).graph.n_vertices();
}

void list_objects(void* data, int /*n_global*/, int /*n_local*/, ZOLTAN_ID_PTR global, ZOLTAN_ID_PTR local,
                  int /*n_weights*/, float* weights, int* error) {
  const PartitionGraph& graph = problem_of(data).graph;
  for (std::int32_t vertex = 0; vertex < graph.n_vertices(); ++vertex) {
    global[vertex] = local[vertex] = static_cast<ZOLTAN_ID_TYPE>(vertex);
    weights[vertex] = static_cast<float>(graph.vertex_weights[static_cast<std::size_t>(vertex)]);
  }
  *error = ZOLTAN_OK;
}

int present_part(void* data, int /*n_global*/, int /*n_local*/, ZOLTAN_ID_PTR global, ZOLTAN_ID_PTR /*local*/,
                 int* error) {
  *error = ZOLTAN_OK;
  return problem_of(data).present[*global];
}

void size_hypergraph(void* data, int* n_edges, int* n_pins, int* format, int* error) {
  *n_edges = problem_of(data).n_edges();
  *n_pins = 2 * *n_edges;
  *format = ZOLTAN_COMPRESSED_EDGE;
  *error = ZOLTAN_OK;
}

void list_hypergraph(void* data, int /*n_global*/, int n_edges, int /*n_pins*/, int /*format*/,
                     ZOLTAN_ID_PTR edges, int* begin, ZOLTAN_ID_PTR pins, int* error) {
  int edge = 0;
  problem_of(data).for_each_edge([&](std::int32_t one, std::int32_t other, std::int32_t) {
    edges[edge] = static_cast<ZOLTAN_ID_TYPE>(edge);
    begin[edge] = 2 * edge;
    *pins++ = static_cast<ZOLTAN_ID_TYPE>(one);
    *pins++ = static_cast<ZOLTAN_ID_TYPE>(other);
    ++edge;
  });
  *error = edge == n_edges ? ZOLTAN_OK : ZOLTAN_FATAL;
}

void size_edge_weights(void* data, int* n_edges, int* error) {
  *n_edges = problem_of(data).n_edges();
  *error = ZOLTAN_OK;
}

void list_edge_weights(void* data, int /*n_global*/, int /*n_local*/, int /*n_edges*/, int /*n_weights*/,
                       ZOLTAN_ID_PTR global, ZOLTAN_ID_PTR local, float* weights, int* error) {
  int edge = 0;
  problem_of(data).for_each_edge([&](std::int32_t, std::int32_t, std::int32_t weight) {
    global[edge] = local[edge] = static_cast<ZOLTAN_ID_TYPE>(edge);
    weights[edge] = static_cast<float>(weight);
    ++edge;
  });
  *error = ZOLTAN_OK;
}

void require(int result, const std::string& what) {
  if (result != ZOLTAN_OK && result != ZOLTAN_WARN)
    throw Error(ErrorKind::system, {.what = fmt::format("Zoltan cannot {} (Zoltan error {})", what, result),
                                    .suggestion = "set DEBUG_LEVEL=1 for more Zoltan output"});
}

class Zoltan {
 public:
  Zoltan() : zoltan_(zoltan_library().Create(MPI_COMM_SELF)) {
    if (!zoltan_) require(ZOLTAN_MEMERR, "start");
  }
  ~Zoltan() { zoltan_library().Destroy(&zoltan_); }
  Zoltan(const Zoltan&) = delete;
  Zoltan& operator=(const Zoltan&) = delete;

  void set(const std::string& name, const std::string& value) {
    require(zoltan_library().Set_Param(zoltan_, name.c_str(), value.c_str()),
            fmt::format("use \"{}\" for its parameter {}", value, name));
  }

  void set_shares(const PartShares& shares) {
    std::vector<int> parts;
    std::vector<int> weights(shares.values.size(), 0);
    std::vector<float> sizes;
    for (const double share : shares.values) {
      parts.push_back(static_cast<int>(parts.size()));
      sizes.push_back(static_cast<float>(share));
    }
    require(zoltan_library().LB_Set_Part_Sizes(zoltan_, 1, shares.n_parts(), parts.data(), weights.data(),
                                               sizes.data()),
            "use the target partition weights");
  }

  Partition cut(Problem& problem) {
    zoltan_library().Set_Num_Obj_Fn(zoltan_, count_objects, &problem);
    zoltan_library().Set_Obj_List_Fn(zoltan_, list_objects, &problem);
    zoltan_library().Set_Part_Fn(zoltan_, present_part, &problem);
    zoltan_library().Set_HG_Size_CS_Fn(zoltan_, size_hypergraph, &problem);
    zoltan_library().Set_HG_CS_Fn(zoltan_, list_hypergraph, &problem);
    zoltan_library().Set_HG_Size_Edge_Wts_Fn(zoltan_, size_edge_weights, &problem);
    zoltan_library().Set_HG_Edge_Wts_Fn(zoltan_, list_edge_weights, &problem);

    int changes = 0;
    int n_global = 0;
    int n_local = 0;
    Lists imports;
    Lists exports;
    require(
        zoltan_library().LB_Partition(zoltan_, &changes, &n_global, &n_local, &imports.count, &imports.global,
                                      &imports.local, &imports.procs, &imports.parts, &exports.count,
                                      &exports.global, &exports.local, &exports.procs, &exports.parts),
        "partition the hypergraph");
    Partition parts = problem.present;
    for (int i = 0; i < exports.count; ++i) parts[exports.global[i]] = exports.parts[i];
    return parts;
  }

 private:
  struct Lists {
    int count = 0;
    ZOLTAN_ID_PTR global = nullptr;
    ZOLTAN_ID_PTR local = nullptr;
    int* procs = nullptr;
    int* parts = nullptr;
    Lists() = default;
    Lists(const Lists&) = delete;
    Lists& operator=(const Lists&) = delete;
    ~Lists() { zoltan_library().LB_Free_Part(&global, &local, &procs, &parts); }
  };

  Zoltan_Struct* zoltan_;
};

void start() {
  static const mpi::Environment environment;
  static const int started = [] {
    float version = 0;
    return zoltan_library().Initialize(0, nullptr, &version);
  }();
  require(started, "start");
}

/// Returns the allowed values of each parameter that is a word; other parameters are numbers. Zoltan ignores
/// the case. If the word is not allowed, Zoltan ends the program, or fails when it reads the word.
const std::map<std::string, std::vector<std::string>>& words() {
  static const std::map<std::string, std::vector<std::string>> words = {
      {"LB_APPROACH", {"PARTITION", "REPARTITION", "REFINE"}},
      {"PHG_COARSENING_METHOD", {"AGG", "IPM", "L-IPM", "C-IPM", "A-IPM", "H-IPM"}},
      {"PHG_COARSEPARTITION_METHOD", {"AUTO", "RANDOM", "LINEAR", "GREEDY"}},
      {"PHG_CUT_OBJECTIVE", {"CONNECTIVITY", "HYPEREDGES"}},
      {"PHG_EDGE_WEIGHT_OPERATION", {"MAX", "ADD", "ERROR"}},
      {"PHG_REFINEMENT_METHOD", {"FM", "NO"}},
  };
  return words;
}

bool is_number(const std::string& text) {
  const auto number = support::parse_number<double>(text);
  return number && std::isfinite(*number);
}

void check(const std::string& name, const std::string& value) {
  if (value.empty()) return;
  const auto known = words().find(name);
  if (known == words().end()) {
    if (!is_number(value)) throw balance::invalid_parameter("ZoltanLB", name, value, "use a number");
    return;
  }
  std::string upper = value;
  for (char& letter : upper)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  if (std::ranges::count(known->second, upper) == 0)
    throw balance::invalid_parameter("ZoltanLB", name, value,
                                     fmt::format("use one of {}", fmt::join(known->second, ", ")));
}

class ZoltanLB : public balance::Strategy {
 public:
  explicit ZoltanLB(const balance::Parameters& parameters)
      : Strategy("ZoltanLB", parameters),
        with_edges_(parameters.get<bool>("edges")),
        tolerance_(balance::tolerance_of("ZoltanLB", parameters)) {
    for (const balance::ParameterSpec& parameter : zoltan_parameters())
      check(parameter.name, parameters.get<std::string>(parameter.name));
  }

  void work(balance::LDStats& stats) override {
    start();
    balance::place_by_partition(stats, *this, tolerance_, false,
                                [this](const PartitionGraph& graph, const PartShares& shares,
                                       const Partition& present) { return cut(graph, shares, present); });
  }
  balance::ScoreTerms score_terms() const override {
    return balance::ScoreTerms::of_communication(tolerance_);
  }

 private:
  Partition cut(const PartitionGraph& graph, const PartShares& shares, const Partition& present) const {
    if (shares.n_parts() < 2) return present;
    Zoltan zoltan;
    // Set the verbosity first, so that it applies to the other settings.
    zoltan.set("DEBUG_LEVEL", parameters().get<std::string>("DEBUG_LEVEL"));
    for (const balance::ParameterSpec& parameter : zoltan_parameters())
      if (const auto& value = parameters().get<std::string>(parameter.name); !value.empty())
        zoltan.set(parameter.name, value);
    zoltan.set("LB_METHOD", "HYPERGRAPH");
    zoltan.set("HYPERGRAPH_PACKAGE", "PHG");
    zoltan.set("RETURN_LISTS", "EXPORT");
    zoltan.set("OBJ_WEIGHT_DIM", "1");
    zoltan.set("EDGE_WEIGHT_DIM", "1");
    zoltan.set("NUM_GLOBAL_PARTS", std::to_string(shares.n_parts()));
    zoltan.set("IMBALANCE_TOL", fmt::format("{}", tolerance_));
    zoltan.set_shares(shares);
    Problem problem{graph, present, with_edges_};
    return zoltan.cut(problem);
  }

  bool with_edges_;
  double tolerance_;
};

}  // namespace

balance::StrategyInfo zoltan_lb() {
  balance::StrategyInfo info{
      "ZoltanLB",
      "minimises communication at good balance: partitions the object hypergraph with Zoltan (PHG)",
      zoltan_parameters(),
      balance::make_strategy<ZoltanLB>,
      {.memory = true}};
  info.parameters.push_back({"edges", true, "whether to include communication in addition to loads"});
  balance::ParameterSpec tolerance = balance::partition_tolerance();
  tolerance.aliases = {"IMBALANCE_TOL"};
  info.parameters.push_back(tolerance);
  info.trade_off = balance::TradeOff::by_tolerance();
  return info;
}

}  // namespace plimsoll::zoltan
