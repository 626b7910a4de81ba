#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "interpose/handles/communicators.hpp"
#include "interpose/lifecycle/binomial_tree.hpp"
#include "interpose/lifecycle/recording.hpp"
#include "interpose/path/outbox.hpp"
#include "interpose/rules/dependence.hpp"
#include "interpose/waits/measured_waits.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// A call of a blocking collective that has returned.
struct ComparedCall : MeasuredCall {
  bool is_awaited = false;  ///< whether other ranks need data of this rank, or its arrival
  bool waits = false;       ///< whether this rank needs those of other ranks
};

/// The calls of this rank on a communicator. Only one thread at a time may make some, as MPI demands.
struct ComparedCalls {
  std::shared_ptr<const Channel> channel;
  BinomialTree tree;
  std::vector<ComparedCall> block;  ///< since the last comparison
  std::vector<ComparedCall> spare;  ///< memory for the next block
  std::int64_t blocks = 0;          ///< number of comparisons
  std::atomic<int> pending = 0;     ///< comparisons that have not ended
  bool is_given_up = false;         ///< whether nothing is compared any more
  std::atomic<bool> freed = false;  ///< whether no call follows; callbacks of MPI set it
};

/// Compares when the ranks of a communicator arrive in its blocking collectives, in every call. All ranks
/// make these calls in the same order, as MPI demands; therefore each rank keeps its arrival times, and after
/// each block of calls a reduction tells all ranks when the last one arrived. The program does not wait for
/// it. Ranks send their part to their parent in a binomial tree, and the results back. These messages use the
/// private communicator, and name that of the program: any number of them is possible. Cost of a call: some
/// ns, and its share of four messages of 2 KiB.
///
/// If the ranks do not make the same calls, as after an error that only some of them notice, the waiting is
/// unknown.
class Arrivals {
 public:
  /// `world` is a communicator with the ranks of MPI_COMM_WORLD.
  Arrivals(MPI_Comm world, WaitTable waits)
      : world_(world), waits_{.places = std::move(waits), .parts = {}} {}

  /// Adds a call on a communicator within one group, which has returned `code`. Call it even during pauses,
  /// because the other ranks may not pause; `place` is {} then. If other ranks are behind by many calls,
  /// waits for a while.
  void add(const rules::Collective& call, rules::Dependence dependence, int code, const CallPlace& place,
           const CallTime& time);
  /// Adds a call that waited until `arrival_ns`.
  void add(const MeasuredCall& call, std::int64_t arrival_ns);
  /// Compares the last calls on all communicators, and waits for all comparisons, but not for long. Returns
  /// the waits that are known.
  Waits end();

 private:
  static constexpr std::size_t calls_per_block = 252;

  /// Arrivals of some ranks in a block of calls: the latest ones.
  struct Letter {
    std::uint64_t channel;
    std::int64_t block;
    std::int32_t calls;
    bool has_equal_calls;  ///< whether all of these ranks made as many
    bool is_result;        ///< of all ranks; else of the sender and those below it in the tree
    std::array<std::int64_t, calls_per_block> latest_ns;

    std::size_t bytes() const { return offsetof(Letter, latest_ns) + 8 * static_cast<std::size_t>(calls); }
    void join(const Letter& other);
  };
  struct Key {
    std::uint64_t channel = 0;
    std::int64_t block = 0;
    auto operator<=>(const Key&) const = default;
  };
  /// A block whose result this rank does not know yet.
  struct Comparison {
    ComparedCalls* on = nullptr;      ///< null before this rank has made the calls
    std::vector<ComparedCall> calls;  ///< of this rank
    int parts = 0;                    ///< number of ranks whose parts `latest` contains
    Letter latest;
  };
  using Comparisons = std::map<Key, Comparison>;

  ComparedCalls* calls_on(MPI_Comm communicator);
  void add(ComparedCalls& on, const ComparedCall& call) noexcept;
  void look();
  void compare_in_time(ComparedCalls& on);
  void compare(ComparedCalls& on);
  void take_letters();
  void join(Comparisons::iterator comparison, const Letter& letter);
  void finish(Comparisons::iterator comparison, const Letter& result);
  void take(const std::vector<ComparedCall>& calls, const Letter& result);
  void send(const Letter& letter, int rank, const Channel& channel);
  void remove_ended();

  std::mutex mutex_;
  MPI_Comm world_;
  std::vector<std::unique_ptr<ComparedCalls>>
      all_;                  ///< on communicators in use, and on freed ones until they end
  std::size_t enough_ = 16;  ///< number of `all_` from which on ended ones are removed
  Comparisons comparisons_;
  Outbox<Letter> sent_;
  Waits waits_;
};

/// The arrivals of this process; null if they are not compared. Never destroyed, because threads may outlive
/// the exit handlers.
inline Arrivals* current_arrivals = nullptr;

}  // namespace plimsoll::interpose
