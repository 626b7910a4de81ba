#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <plimsoll/lbdata/dataset.hpp>
#include <plimsoll/lbdata/writer.hpp>
#include <plimsoll/support/progress.hpp>

namespace plimsoll::inline v0_1::lbdata {

/// How the loads of objects are distributed. The random ones are drawn once per object.
enum class LoadLaw {
  constant,         ///< the mean
  uniform,          ///< of the mean and variance asked for
  lognormal,        ///< of the mean and variance asked for
  u4,               ///< 10 µs + 2990 µs u^4 with u uniform in [0, 1): few heavy objects (mean 608 µs)
  ramp,             ///< rising from the first object (almost 0) to the last (almost twice the mean)
  moving_hot_spot,  ///< the mean, but `hot_factor` times it in a region that moves by one rank a phase
};

/// Which objects send to each other.
enum class Topology {
  none,
  ring,    ///< both neighbours
  mesh2d,  ///< the 4 neighbours in a grid as square as the number of objects allows
  mesh3d,  ///< the 6 neighbours in a grid as cubic as the number of objects allows
  random,  ///< every object receives from `degree` others
};

/// The laws by the names that users give them: "hot-spot".
const std::map<std::string, LoadLaw>& load_laws();
/// The topologies by the names that users give them: "mesh2d".
const std::map<std::string, Topology>& topologies();

/// A synthetic data set: `ranks * objects_per_rank` migratable objects, dealt to ranks in blocks, in
/// each of `phases` phases. Loads are in seconds.
struct GenerateOptions {
  std::int64_t ranks = 4;
  std::int64_t objects_per_rank = 16;
  std::int64_t phases = 1;

  LoadLaw law = LoadLaw::constant;
  double mean_s = 1e-3;         ///< mean load of an object; u4 has its own
  double variance_s2 = 2.5e-7;  ///< of uniform and lognormal
  double hot_factor = 10;       ///< of the moving hot spot
  double hot_fraction = 0.1;    ///< share of the objects in the hot spot, 0 to 1
  double phase_noise = 0;       ///< a load varies from phase to phase by up to this share of it, 0 to 1
  std::int64_t subphases = 0;   ///< per task, each with a random share of the load

  Topology topology = Topology::none;
  std::int64_t degree = 4;  ///< of the random topology
  double bytes_per_message = 1024;
  std::int64_t messages = 1;  ///< per edge and phase

  std::int64_t sentinels = 1;       ///< per rank: the bare handler, then members of object groups
  double sentinel_load_s = 0;       ///< of each
  std::int64_t ranks_per_node = 0;  ///< 0: all on one node
  std::uint64_t seed = 1;           ///< of everything random; the same seed gives the same data set
};

/// Makes one rank's part of a synthetic data set, a phase at a time. Ids, collection (7), homes and index
/// tuples are as vt gives them; an edge is recorded by its receiver with both ends in full. The same options
/// give the same bytes on every platform.
class RankGenerator {
 public:
  /// The rank's entities are added to `entities`. O(objects and edges of the rank).
  /// Throws Error (usage) if the options contradict themselves or cannot be represented.
  RankGenerator(const GenerateOptions& options, std::int64_t rank, EntityTable& entities);

  RankMetadata metadata() const;
  /// Phase 0 to phases - 1, in any order. Resource 0 is generated_resources()'s.
  PhaseRecord phase(std::int64_t phase) const;

 private:
  GenerateOptions options_;
  std::int64_t rank_;
  std::vector<EntityIndex> entities_;  // of the tasks: objects, then sentinels
  std::vector<double> base_s_;         // of the objects: the part of their loads that all phases share
  Communications edges_;               // the same in every phase
};

/// The names that `Tasks::resource` of generated phases refers to: "cpu".
NameTable generated_resources();

/// A whole synthetic data set. Throws Error (usage) as RankGenerator.
Dataset generate(const GenerateOptions& options);

/// Writes a synthetic data set as write() would, but holding one rank's phase a thread in memory.
/// Throws Error as RankGenerator and write().
void generate_files(const GenerateOptions& options, const std::string& folder, const std::string& base,
                    const WriteOptions& write_options = {}, unsigned threads = 0,
                    support::Progress& progress = support::Progress::none());

}  // namespace plimsoll::lbdata
