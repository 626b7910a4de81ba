#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/collectives/integer_span.hpp>
#include <plimsoll/collectives/operation.hpp>

namespace plimsoll::inline v0_1::collectives {

/// What is recorded, and of which calls. A call counts by its number among those of its operation on its
/// communicator, from 0: all ranks choose the same ones.
struct RecorderOptions {
  std::string folder = ".";
  std::uint64_t first = 0;           ///< calls before are not recorded
  std::uint64_t limit = UINT64_MAX;  ///< how many calls are recorded at most
  std::uint64_t sample = 1;          ///< every so many-th call from `first` on
  std::uint64_t memory_bytes = std::uint64_t{64}
                               << 20;  ///< for rows remembered to find equal ones; the log has all
};

/// The rank that records.
struct RankIdentity {
  std::uint64_t run_id = 0;
  std::uint64_t job = 0;
  std::uint32_t world_rank = 0;
  std::uint32_t world_size = 0;
  std::uint64_t pid = 0;
  std::string host;
  std::string program;
};

/// A communicator as this rank sees it. Ranks are of MPI_COMM_WORLD.
struct CommunicatorDescription {
  std::uint32_t comm_rank = 0;
  std::vector<std::uint32_t> members;
  std::vector<std::uint32_t> remote_members;
  std::uint64_t order = 0;  ///< rank_log::CommunicatorRecord::order
};

/// What a rank gives to one call. Both sides are of one width.
struct Row {
  std::uint64_t send_type_size = 0;
  std::uint64_t recv_type_size = 0;
  bool in_place = false;
  IntegerSpan send;
  IntegerSpan recv;
};

/// Records the collective calls of one rank in its log (rank_log.hpp). Equal rows are stored once. Memory is
/// bounded; the log grows with what is distinct. Not thread-safe. After the first error (disk full) nothing
/// more is recorded, and error() says why: a measured program goes on.
///
///     Recorder recorder(options, identity);
///     const std::uint32_t world = recorder.add_communicator({...});
///     const auto call = recorder.begin_call(world, {Exchange::alltoallv});
///     if (call.recorded) recorder.record_counts(call, row);
class Recorder {
 public:
  /// Makes FOLDER/plimsoll-<run id in hex>.rank<R>.log. Throws Error (system, or usage if it exists).
  Recorder(const RecorderOptions& options, const RankIdentity& identity);
  ~Recorder();

  /// Its number: 0, 1, 2 ...
  std::uint32_t add_communicator(const CommunicatorDescription& communicator);
  /// The neighbours of this rank in a communicator's topology, as ranks of it.
  void set_neighbors(std::uint32_t communicator, std::span<const int> sources,
                     std::span<const int> destinations);

  /// Few calls are to come on this communicator: gives back the memory that helps to find repetitions.
  void communicator_freed(std::uint32_t communicator);

  /// A call that has begun, with its numbers.
  struct Call {
    std::uint32_t communicator = 0;
    Operation operation;
    std::uint64_t index = 0;  ///< among the calls of this operation on this communicator
    std::uint64_t id = 0;     ///< among the calls of this operation on this rank
    bool recorded = false;
  };
  /// Counts a call, and says whether it is to be recorded.
  Call begin_call(std::uint32_t communicator, Operation operation);

  // Of calls to be recorded only.
  void record_counts(const Call& call, const Row& row);
  void record_displacements(const Call& call, const Row& row);
  void record_time(const Call& call, std::uint64_t begin_ns, std::uint64_t duration_ns);
  /// Return addresses, innermost first.
  void record_backtrace(const Call& call, std::span<void* const> frames);

  /// rank_log::ClockRecord.
  void record_clock(std::int64_t local_ns, std::int64_t offset_ns, std::int64_t error_ns,
                    std::int64_t origin_ns);

  /// Ends the log: nothing more is recorded, and it is cut to what it holds. Does nothing in a child made by
  /// fork(). Without it, the log is that of a program that was cut short.
  void finish(bool finalized);
  /// Unlocks the log, which recorded_by() (merge.hpp) takes for one that is still written until then.
  void release();
  /// In a child made by fork(): nothing is recorded, and the log is locked no longer than by its parent. May
  /// be called by a handler of pthread_atfork().
  void leave_to_parent();

  const std::string& path() const;
  std::uint64_t log_bytes() const;
  /// Calls whose counts are in the log.
  std::uint64_t recorded_calls() const;
  /// Why recording has stopped; empty if it has not.
  const std::string& error() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace plimsoll::collectives
