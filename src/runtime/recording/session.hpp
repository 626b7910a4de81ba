#pragma once

#include <mpi.h>

#include <exception>
#include <optional>
#include <string>

#include <plimsoll/lbdata/phase_specification.hpp>
#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/runtime/settings.hpp>

namespace plimsoll::runtime {

/// What stays the same for as long as a recorder lives: MPI, the communicator and the settings.
class Session {
 public:
  /// Collective. Throws Error on all ranks if the settings are not possible.
  Session(MPI_Comm communicator, const Settings& settings);
  /// Collective. Takes the settings from the program's arguments, its environment and its configuration file
  /// too.
  Session(int& argc, char** argv, MPI_Comm communicator, const Settings& defaults);

  const mpi::Communicator& communicator() const { return communicator_; }
  const Settings& settings() const { return settings_; }
  int rank() const { return communicator_.rank(); }
  int rank_count() const { return communicator_.size(); }

  /// Collective: the phases to be written, none if all are. Throws Error (bad_input) on all ranks.
  std::optional<lbdata::PhaseSpecification> phase_specification() const;
  /// Tells the program's user something, once: rank 0 does. Throws what the program's message sink throws.
  void tell(const std::string& message) const;

  /// Whether an exception that was thrown since the session began is passing.
  bool is_unwinding() const { return std::uncaught_exceptions() > exceptions_at_start_; }
  /// Leaves MPI running at the end: finalising it would wait for ranks that go on.
  void leave_mpi_running() { environment_.leave(); }

 private:
  int exceptions_at_start_ = std::uncaught_exceptions();
  mpi::Environment environment_;
  mpi::Communicator communicator_;
  Settings settings_;
};

}  // namespace plimsoll::runtime
