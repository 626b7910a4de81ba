#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "interpose/waits/measured_waits.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Part of this rank in a call of a blocking collective.
struct Part {
  bool is_awaited = false;  ///< whether other ranks need data of this rank, or its arrival
  bool waits = false;       ///< whether this rank needs those of other ranks
};

/// Compares when the ranks of a communicator arrive in its blocking collectives, in every call. All ranks
/// make these calls in the same order, as MPI demands; therefore each rank keeps its arrival times, and after
/// each block of calls a nonblocking reduction tells all ranks when the last one arrived. The program does
/// not wait for this reduction, which uses a communicator of its own. Cost of a call: some ns, and its share
/// of the reduction of 2 KiB.
///
/// If the ranks do not make the same calls, as after an error that only some of them notice, the waiting is
/// unknown.
class Arrivals {
 public:
  /// A call that has returned.
  struct Call : MeasuredCall {
    Part part;
  };

  /// Makes the communicator for the reductions: collective. Without it, the waiting is unknown. The calls of
  /// complete blocks are added to `waits`.
  Arrivals(MPI_Comm communicator, SharedWaits& waits);
  Arrivals(const Arrivals&) = delete;
  Arrivals& operator=(const Arrivals&) = delete;
  ~Arrivals();

  void add(const Call& call) noexcept;
  /// Marks the communicator as freed: no call follows. Takes no lock, so that callbacks of MPI may call it.
  void free() noexcept { freed_.store(true, std::memory_order_release); }
  bool is_freed() const noexcept { return freed_.load(std::memory_order_acquire); }
  /// Starts the reduction of the last calls, which do not fill a block.
  void flush() noexcept;
  /// Returns whether all reductions have ended. Does not wait.
  bool is_complete() noexcept;

 private:
  static constexpr std::size_t calls_per_block = 252;
  /// Values that tell whether all ranks reduce the same block: its number and its number of calls, as they
  /// are and negated.
  static constexpr std::size_t check_values = 4;

  struct Block {
    std::vector<Call> calls;
    std::array<std::int64_t, check_values + calls_per_block> latest_ns;  ///< arrivals, then the latest ones
    MPI_Request reduction = MPI_REQUEST_NULL;
  };

  void start_reduction();
  void make_room();
  bool take_first_complete() noexcept;
  void take(const Block& block);

  MPI_Comm comm_ = MPI_COMM_NULL;  ///< MPI_COMM_NULL if nothing is compared any more
  std::atomic<bool> freed_ = false;
  std::int64_t blocks_ = 0;
  std::unique_ptr<Block> current_;
  std::vector<std::unique_ptr<Block>> pending_;  ///< in their order
  std::vector<std::unique_ptr<Block>> unused_;
  SharedWaits& waits_;
};

}  // namespace plimsoll::interpose
