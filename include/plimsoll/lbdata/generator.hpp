#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/support/parse.hpp>
#include <plimsoll/support/progress.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

/// Distribution of the objects' loads. Random loads are drawn once per object.
enum class LoadLaw {
  constant,         ///< mean load for all objects
  uniform,          ///< uniform distribution with the given mean and variance
  lognormal,        ///< lognormal distribution with the given mean and variance
  u4,               ///< 10 µs + 2990 µs u^4 with u uniform in [0, 1): few heavy objects (mean 608 µs)
  ramp,             ///< linear increase from almost 0 (first object) to almost twice the mean (last)
  moving_hot_spot,  ///< mean load, times `hot_factor` in a region that moves by one rank per phase
};

/// Communication pattern of the objects.
enum class Topology {
  none,
  ring,    ///< 2 neighbours in a ring
  mesh2d,  ///< 4 neighbours in a grid as square as the number of objects allows
  mesh3d,  ///< 6 neighbours in a grid as cubic as the number of objects allows
  random,  ///< every object receives from `degree` other objects
};

/// Names of the load distributions, as in `plimsoll generate --loads`, in alphabetical order.
inline constexpr support::Named<LoadLaw> load_laws[] = {{"constant", LoadLaw::constant},
                                                        {"hot-spot", LoadLaw::moving_hot_spot},
                                                        {"lognormal", LoadLaw::lognormal},
                                                        {"ramp", LoadLaw::ramp},
                                                        {"u4", LoadLaw::u4},
                                                        {"uniform", LoadLaw::uniform}};
/// Names of the topologies, as in `plimsoll generate --topology`, in alphabetical order.
inline constexpr support::Named<Topology> topologies[] = {{"mesh2d", Topology::mesh2d},
                                                          {"mesh3d", Topology::mesh3d},
                                                          {"none", Topology::none},
                                                          {"random", Topology::random},
                                                          {"ring", Topology::ring}};

/// Options of a synthetic data set. Each of `phases` phases has `ranks * objects_per_rank` migratable
/// objects, assigned to ranks in blocks. Loads are in seconds.
struct GenerateOptions {
  std::int64_t ranks = 4;
  std::int64_t objects_per_rank = 16;
  std::int64_t phases = 1;

  LoadLaw law = LoadLaw::constant;
  double mean_s = 1e-3;         ///< mean load per object; u4 has a fixed mean
  double variance_s2 = 2.5e-7;  ///< variance of uniform and lognormal
  double hot_factor = 10;       ///< load factor of the moving hot spot
  double hot_fraction = 0.1;    ///< fraction of the objects in the hot spot, 0 to 1
  double phase_noise = 0;       ///< maximum relative change of a load between phases, 0 to 1
  std::int64_t subphases = 0;   ///< number of subphases per task, each with a random share of the load

  Topology topology = Topology::none;
  std::int64_t degree = 4;  ///< number of senders per object in the random topology
  double bytes_per_message = 1024;
  std::int64_t messages = 1;  ///< messages per edge and phase

  // Memory that the tasks' user data describe. Sizes of 0 are omitted.
  double footprint_bytes = 0;        ///< memory of each object (task_footprint_bytes)
  double working_bytes = 0;          ///< additional memory of an object while it runs (task_working_bytes)
  double serialized_bytes = 0;       ///< bytes that an object sends when it migrates (task_serialized_bytes)
  double rank_bytes = 0;             ///< memory of each rank without its objects (rank_working_bytes)
  std::int64_t blocks_per_rank = 0;  ///< shared blocks per rank, each used by consecutive objects of the rank
  double block_bytes = 1048576;      ///< size of each shared block

  std::int64_t sentinels = 1;  ///< non-migratable objects per rank: bare handler first, then object groups
  double sentinel_load_s = 0;  ///< load of each non-migratable object
  std::int64_t ranks_per_node = 0;  ///< number of ranks per node; 0: all ranks on one node
  std::uint64_t seed = 1;           ///< seed of all random numbers; the same seed gives the same data set
};

/// Generator of one rank's part of a synthetic data set, phase by phase. Ids, collection (7), homes and index
/// tuples match vt's output. The receiver records an edge, with both ends in full. The same options give the
/// same bytes on every platform.
class RankGenerator {
 public:
  /// Adds the rank's entities to `entities`. Cost: O(objects and edges of the rank). Throws Error (usage) if
  /// the options contradict each other or cannot be represented.
  RankGenerator(const GenerateOptions& options, std::int64_t rank, EntityTable& entities);

  RankMetadata metadata() const;
  /// Generates phase `phase`, from 0 to phases - 1, in any order. Resource 0 refers to generated_resources().
  PhaseRecord phase(std::int64_t phase) const;

 private:
  GenerateOptions options_;
  std::int64_t rank_;
  // Entities of the tasks: migratable objects, then non-migratable objects.
  std::vector<EntityIndex> entities_;
  std::vector<double> base_s_;  // part of the objects' loads that does not depend on the phase
  Communications edges_;        // edges, the same in every phase
};

/// Returns the table of names for `Tasks::resource` of generated phases. It contains only "cpu".
NameTable generated_resources();

/// Generates a complete synthetic data set. Throws Error (usage) like RankGenerator.
Dataset generate(const GenerateOptions& options);

/// Writes a synthetic data set like write(), but keeps only one phase of one rank per thread in memory.
/// Throws Error like RankGenerator and write().
void generate_files(const GenerateOptions& options, const std::string& folder, const std::string& base,
                    const WriteOptions& write_options = {}, unsigned threads = 0,
                    support::Progress& progress = support::Progress::none());

}  // namespace plimsoll::lbdata
