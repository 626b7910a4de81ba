#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/dataset_phase.hpp>
#include <plimsoll/lbdata/dataset.hpp>

namespace plimsoll::balance {

/// Coefficients of the affine work model. Work is in seconds if beta and delta are in seconds a byte.
struct WorkCoefficients {
  double alpha = 1;  ///< times the rank's own `rank_alpha`, of seconds of load
  double beta = 0;   ///< of bytes sent or received, whichever is more
  double gamma = 0;  ///< of every rank, idle ones too
  double delta = 0;  ///< of bytes of shared blocks used away from home
};

/// Work of each rank, and of all.
struct WorkSummary {
  std::vector<double> work;
  double sum = 0;
  double max = 0;
  double imbalance = 0;  ///< max / mean - 1; not a number unless the mean is above 0
};

/// Work of each rank of a phase for any placement of its objects:
/// work(r) = alpha rank_alpha(r) load(r) + beta max(sent(r), received(r)) + gamma + delta homing(r).
///
/// sent and received are the bytes of SendRecv edges between objects, of which one is on r and the other is
/// not. homing(r) is the size of the distinct shared blocks that objects on r use and that are at home
/// elsewhere. An object's block is its task's `user_defined` members `shared_id` (none if negative) and
/// `shared_bytes`; a block's home is the rank whose file it was read from, so that one `shared_id` in two
/// files is two blocks. Source: AffineCombination of LBAF 1.6; different from it, repeated edges between two
/// objects add up.
class WorkModel {
 public:
  /// Throws Error (bad_input) if delta is not 0 and a task's user data can't be read.
  WorkModel(const lbdata::Dataset& dataset, const DatasetPhase& phase, const WorkCoefficients& coefficients);

  /// `placement` is the rank of each object, such as stats.from_proc. The phase must still exist.
  /// O(objects + edges). Throws as finish_times().
  WorkSummary evaluate(std::span<const std::int32_t> placement) const;

 private:
  /// A shared block, and its size at home.
  struct Block {
    std::uint32_t home = 0;
    double bytes = 0;
  };
  static constexpr std::uint32_t no_block = ~std::uint32_t{0};
  void read_blocks(const lbdata::Dataset& dataset);
  void add_homing(std::span<const std::int32_t> placement, std::vector<double>& work) const;

  const DatasetPhase& phase_;
  WorkCoefficients coefficients_;
  std::vector<double> rank_alpha_;
  std::vector<Block> blocks_;
  std::vector<std::uint32_t> block_of_;  ///< of each object; empty if blocks don't count
};

}  // namespace plimsoll::balance
