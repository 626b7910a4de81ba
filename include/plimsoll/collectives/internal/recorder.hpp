#pragma once

#include <concepts>
#include <memory>
#include <numeric>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Counts or displacements in the memory of a program: ints, or 64-bit integers in large-count forms
/// (MPI_Count, MPI_Aint).
class IntegerSpan {
 public:
  IntegerSpan() = default;
  /// Refers to integers in memory. Omit the size if it depends on the rules of the operation; part() sets it
  /// later.
  template <std::signed_integral Integer>
  requires(sizeof(Integer) == 4 || sizeof(Integer) == 8) explicit IntegerSpan(const Integer* first,
                                                                              std::size_t size = 0)
      : first_(first), size_(size), wide_(sizeof(Integer) == 8) {}

  bool given() const { return first_ != nullptr; }
  bool wide() const { return wide_; }
  const void* data() const { return first_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * (wide_ ? 8 : 4); }
  std::int64_t operator[](std::size_t k) const { return wide_ ? wide_integers()[k] : narrow_integers()[k]; }
  /// Returns the sum of the first `size` integers.
  std::int64_t sum(std::size_t size) const {
    return wide_ ? std::accumulate(wide_integers(), wide_integers() + size, std::int64_t{0})
                 : std::accumulate(narrow_integers(), narrow_integers() + size, std::int64_t{0});
  }
  /// Returns `size` integers, starting with the k-th.
  IntegerSpan part(std::size_t k, std::size_t size) const {
    if (wide_) return IntegerSpan(wide_integers() + k, size);
    return IntegerSpan(narrow_integers() + k, size);
  }

 private:
  const std::int32_t* narrow_integers() const { return static_cast<const std::int32_t*>(first_); }
  const std::int64_t* wide_integers() const { return static_cast<const std::int64_t*>(first_); }

  const void* first_ = nullptr;
  std::size_t size_ = 0;
  bool wide_ = false;
};

/// Options of a recorder: data to record and selection of calls. Calls are selected by their number among the
/// calls of their operation on their communicator, from 0. Therefore all ranks select the same calls.
struct RecorderOptions {
  std::string folder = ".";
  std::uint64_t first = 0;           ///< earlier calls are not recorded
  std::uint64_t limit = UINT64_MAX;  ///< maximum number of recorded calls
  std::uint64_t sample = 1;          ///< interval: from `first` on, every sample-th call is recorded
  std::uint64_t memory_bytes = std::uint64_t{64} << 20;  ///< memory for finding equal rows; the log contains
                                                         ///< all rows in any case
};

/// Identity of the recorded rank.
struct RankIdentity {
  std::uint64_t run_id = 0;
  std::uint64_t job = 0;
  std::uint32_t world_rank = 0;
  std::uint32_t world_size = 0;
  std::uint64_t pid = 0;
  std::string host;
  std::string program;
};

/// A communicator as seen by this rank. Rank numbers refer to MPI_COMM_WORLD.
struct CommunicatorDescription {
  std::uint32_t comm_rank = 0;
  std::vector<std::uint32_t> members;
  std::vector<std::uint32_t> remote_members;
  std::uint64_t order = 0;  ///< rank_log::CommunicatorRecord::order
};

/// Arguments of this rank in one call. Both sides have the same integer width.
struct Row {
  std::uint64_t send_type_size = 0;
  std::uint64_t recv_type_size = 0;
  bool in_place = false;
  IntegerSpan send;
  IntegerSpan recv;
};

/// Records the collective calls of one rank in its log (rank_log.hpp). Equal rows are stored once. Memory is
/// bounded; the log grows with distinct data. Not thread-safe. After the first error (disk full) nothing more
/// is recorded, and error() returns the cause: the measured program continues.
///
///     Recorder recorder(options, identity);
///     const std::uint32_t world = recorder.add_communicator({...});
///     const auto call = recorder.begin_call(world, {Exchange::alltoallv});
///     if (call.recorded) recorder.record_counts(call, row);
class Recorder {
 public:
  /// Creates DIR/plimsoll-<run id in hex>.rank<R>.log. Throws Error: usage if the file exists, system if it
  /// cannot be created.
  Recorder(const RecorderOptions& options, const RankIdentity& identity);
  ~Recorder();

  /// Adds a communicator and returns its number: 0, 1, 2 ...
  std::uint32_t add_communicator(const CommunicatorDescription& communicator);
  /// Sets the neighbours of this rank in a communicator's topology, as ranks of that communicator.
  void set_neighbors(std::uint32_t communicator, std::span<const int> sources,
                     std::span<const int> destinations);

  /// Announces that few calls will follow on this communicator. Frees the memory that is used to find
  /// repetitions.
  void communicator_freed(std::uint32_t communicator);

  /// A call that has begun, with its numbers.
  struct Call {
    std::uint32_t communicator = 0;
    Operation operation;
    std::uint64_t index = 0;  ///< number among the calls of this operation on this communicator
    std::uint64_t id = 0;     ///< number among the calls of this operation on this rank
    bool recorded = false;
  };
  /// Counts the call, and returns whether it must be recorded. Calls on rank_log::no_communicator have ids
  /// only.
  Call begin_call(std::uint32_t communicator, Operation operation);
  /// Records that MPI returned an error for a call, or for the completion of its request. `refused`: MPI
  /// rejected the arguments before it communicated. Other ranks then have no such call, and the next call
  /// gets its index; the call must be the latest of this operation on its communicator.
  void record_failure(const Call& call, bool refused);

  // The functions below record data of the given call. Call them only if Call::recorded is true.
  void record_counts(const Call& call, const Row& row);
  void record_displacements(const Call& call, const Row& row);
  void record_time(const Call& call, std::uint64_t begin_ns, std::uint64_t duration_ns);
  /// Records the hash of the data that this rank sends or receives. `hash` is not 0.
  void record_hash(const Call& call, Direction direction, std::uint64_t hash);
  /// Records return addresses, innermost first.
  void record_backtrace(const Call& call, std::span<void* const> frames);

  /// Records a rank_log::ClockRecord.
  void record_clock(std::int64_t local_ns, std::int64_t offset_ns, std::int64_t error_ns,
                    std::int64_t origin_ns);

  /// Ends recording and truncates the log to its used size. Does nothing in a child made by fork(). Without
  /// this call, the log looks like the log of a program that was terminated early.
  void finish(bool finalized);
  /// Unlocks the log. Until then, writers_of() (merge.hpp) reports that the log is still being written.
  void release();
  /// Stops recording in a child made by fork(), so that the child does not keep the log locked after its
  /// parent has ended. May be called by a handler of pthread_atfork().
  void leave_to_parent();

  const std::string& path() const;
  std::uint64_t log_bytes() const;
  /// Returns the number of calls whose counts are in the log.
  std::uint64_t recorded_calls() const;
  /// Returns the reason why recording has stopped; empty if it has not.
  const std::string& error() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace plimsoll::collectives
