#pragma once

#include <mpi.h>
#include <unistd.h>

#include <exception>
#include <optional>
#include <string>

#include <plimsoll/balance/lb_schedule.hpp>
#include <plimsoll/lbdata/phases.hpp>
#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/runtime/settings.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Data that are constant during a recorder's life: MPI, the communicator and the settings.
class Session {
 public:
  /// Collective: duplicates the communicator. Throws Error on all ranks if the settings or the LB
  /// configuration file are invalid, and after it has printed the help that Settings::help_lb_args requests.
  Session(MPI_Comm communicator, const Settings& settings);
  /// Collective: duplicates the communicator, and reads the settings from the program's arguments, its
  /// environment and its configuration file. Throws Error like the other constructor.
  Session(int& argc, char** argv, MPI_Comm communicator, const Settings& defaults);

  const mpi::Communicator& communicator() const { return communicator_; }
  const Settings& settings() const { return settings_; }
  int rank() const { return communicator_.rank(); }
  int rank_count() const { return communicator_.size(); }

  /// Collective: returns the selection of phases to be written; empty if all phases are. Throws Error
  /// (bad_input) on all ranks.
  std::optional<lbdata::PhaseSpecification> phase_specification() const;
  /// Returns the strategy of each phase; empty unless Settings::lb is set. All ranks have the same schedule,
  /// from the settings of rank 0.
  const balance::LbSchedule& lb_schedule() const { return lb_schedule_; }
  /// Prints messages for the user on rank 0 only. Passes on exceptions of the program's message sink.
  void tell(const std::string& message) const;
  /// Prints messages for the user on any rank that calls it.
  void tell_here(const std::string& message) const;

  /// Returns whether this process created the session; false in its forked children.
  bool is_of_this_process() const { return process_ == ::getpid(); }
  /// Returns whether the stack is being unwound by an exception thrown since the session began.
  bool is_unwinding() const { return std::uncaught_exceptions() > exceptions_at_start_; }
  /// Does not finalise MPI at the end, because that would wait for ranks that continue.
  void leave_mpi_running() { environment_.leave(); }

 private:
  pid_t process_ = ::getpid();
  int exceptions_at_start_ = std::uncaught_exceptions();
  mpi::Environment environment_;
  mpi::Communicator communicator_;
  Settings settings_;
  balance::LbSchedule lb_schedule_;
};

}  // namespace plimsoll::runtime
