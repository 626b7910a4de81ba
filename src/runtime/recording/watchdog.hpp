#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>

#include "runtime/recording/phase_reduction.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Waits for collective operations, and reports the ranks that do not arrive. It cannot know what those ranks
/// do: they may compute for long, be in a call of the program's MPI, or have ended. Ranks in different calls
/// of the recorder, its Balancer and an ObjectSystem get an error instead (Arrivals, Quiescence). Waits
/// elsewhere are not watched: in the constructors of these classes, and between the messages of a migration.
///
/// If a rank has waited for the time limit, it asks all other ranks. The ranks that wait as well answer, so
/// those without an answer are the missing ones. Ranks that were asked do not ask again; if several ranks ask
/// at the same time, the lowest one reports. Messages are sent only after the time limit.
class Watchdog {
 public:
  /// Function that receives the report.
  using Report = std::function<void(const std::string&)>;

  /// Uses the communicator for its own messages. A limit of 0 switches reports off. `report` must not throw.
  Watchdog(const mpi::Communicator& communicator, std::chrono::seconds limit, Report report);

  /// Waits until the operation of all ranks is complete. The ranks must make the same sequence of these
  /// calls.
  void wait(MPI_Request& request, const Arrival& mine);
  /// Does the same for an operation before wait() in which ranks in other calls may take part, too.
  void wait_for_comparison(MPI_Request& request, const Arrival& mine);
  /// Begins a wait in which the caller itself tests whether all ranks have arrived: it calls look() until
  /// then, and finish() once they have. `number` is the same on all ranks, and another one in each such wait.
  void begin(std::int64_t number);
  void look(const Arrival& mine);
  void finish();
  /// Receives remaining messages about ranks that arrived late, or never. Call it before the communicator is
  /// freed.
  void discard_messages();

 private:
  using Time = std::chrono::steady_clock::time_point;

  /// What this rank knows about the current wait.
  struct WaitState {
    Time start;
    Time asked_at;
    bool asked = false;  ///< this rank has asked the others
    bool ended = false;  ///< the wait was reported, by this rank or by another
    std::vector<bool> present;
  };

  void watch(MPI_Request& request, const Arrival& mine);
  void answer();
  void ask(Time now);
  void collect_answers();
  void send(int tag, int to);
  bool take_message(int tag, int& from);
  std::string description(const Arrival& mine, Time now) const;

  const mpi::Communicator& communicator_;
  std::chrono::seconds limit_;
  Report report_;
  WaitState state_;
  std::int64_t waits_ = 0;   // calls of wait()
  std::int64_t number_ = 0;  // of this wait; distinguishes messages about it from those about earlier ones
  std::vector<MPI_Request> sends_;
};

}  // namespace plimsoll::runtime
