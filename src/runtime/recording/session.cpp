#include "runtime/recording/session.hpp"

#include <string_view>

#include <plimsoll/mpi/error_agreement.hpp>
#include <plimsoll/runtime/configuration.hpp>
#include <plimsoll/support/say.hpp>
#include <plimsoll/support/text_file.hpp>

namespace plimsoll::inline v0_1::runtime {

namespace {

// Prints messages. Ignores failures to write to stderr; the program's sink may throw.
void say(const Settings& settings, std::string_view message) {
  if (settings.sink)
    settings.sink(message);
  else
    support::say(message);
}

// Reads a file on rank 0 only; all ranks get the text, or the error.
std::string read_on_rank_0(const mpi::Communicator& communicator, const std::string& path) {
  std::string text;
  mpi::agreed(communicator, [&] {
    if (communicator.rank() == 0) text = support::read_text_file(path);
  });
  return communicator.broadcast(text);
}

Settings configured(const mpi::Communicator& communicator, int& argc, char** argv, const Settings& defaults) {
  Configuration configuration(defaults);
  mpi::agreed(communicator, [&] {
    configuration.take_arguments(argc, argv);
    configuration.take_environment();
  });
  // All ranks use the file that is configured on rank 0, even if other ranks are configured differently.
  const std::string file = communicator.broadcast(configuration.file());
  if (!file.empty()) {
    const std::string text = read_on_rank_0(communicator, file);
    mpi::agreed(communicator, [&] { configuration.take_file(text, file); });
  }
  Settings settings;
  mpi::agreed(communicator, [&] {
    settings = configuration.settings();
    if (settings.lb_show_config && communicator.rank() == 0)
      say(settings, "settings\n" + configuration.table());
  });
  return settings;
}

}  // namespace

Session::Session(MPI_Comm communicator, const Settings& settings)
    : communicator_(communicator), settings_(settings) {
  mpi::agreed(communicator_, [&] { Configuration(settings_).settings(); });
}

Session::Session(int& argc, char** argv, MPI_Comm communicator, const Settings& defaults)
    : environment_(&argc, &argv),
      communicator_(communicator),
      settings_(configured(communicator_, argc, argv, defaults)) {}

std::optional<lbdata::PhaseSpecification> Session::phase_specification() const {
  if (!settings_.lb_spec) return std::nullopt;
  const std::string text = read_on_rank_0(communicator_, settings_.lb_spec_file);
  std::optional<lbdata::PhaseSpecification> result;
  mpi::agreed(communicator_,
              [&] { result = lbdata::PhaseSpecification::parse(text, settings_.lb_spec_file); });
  return result;
}

void Session::tell(const std::string& message) const {
  if (rank() == 0) say(settings_, message);
}

}  // namespace plimsoll::runtime
