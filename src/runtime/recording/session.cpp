#include "runtime/recording/session.hpp"

#include <fmt/format.h>

#include <string_view>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/settings.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "runtime/configuration/setting_table.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

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

void say_warnings(const Configuration& configuration, const Settings& settings) {
  for (const std::string& warning : configuration.warnings()) say(settings, warning);
}

Settings configured(const mpi::Communicator& communicator, int& argc, char** argv, const Settings& defaults) {
  mpi::expect_launched_together();
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
    if (communicator.rank() != 0) return;
    say_warnings(configuration, settings);
    if (settings.lb_show_config) say(settings, "settings\n" + configuration.table());
  });
  return settings;
}

// Gives all ranks the shared settings of rank 0, even if other ranks are configured differently.
void share_settings(const mpi::Communicator& communicator, Settings& settings) {
  std::string values;  // each ends with NUL, which no value contains
  for (const Setting& setting : setting_table())
    if (setting.shared) values += setting.text(settings) + '\0';
  values = communicator.broadcast(values);
  std::size_t begin = 0;
  for (const Setting& setting : setting_table()) {
    if (!setting.shared) continue;
    const std::size_t end = values.find('\0', begin);
    setting.assign(settings, values.substr(begin, end - begin));
    begin = end + 1;
  }
}

// Prints the parameters of strategies and throws, because only the program may end itself.
void show_help(const mpi::Communicator& communicator, const Settings& settings) {
  mpi::agreed(communicator, [&] {
    const std::string strategy = balance::StrategySpec::parse(settings.lb_name).name;
    if (communicator.rank() == 0)
      say(settings, "parameters of strategies\n" + balance::lb_arguments_help(strategy));
  });
  throw support::usage_error(
      fmt::format("{} prints the parameters of strategies and does not run the program",
                  argument_name("help_lb_args")),
      "remove it to run the program");
}

balance::LbSchedule shared_schedule(const mpi::Communicator& communicator, Settings& settings) {
  share_settings(communicator, settings);
  if (settings.help_lb_args) show_help(communicator, settings);
  std::string text;
  if (settings.lb && !settings.lb_file_name.empty())
    text = read_on_rank_0(communicator, settings.lb_file_name);
  balance::LbSchedule schedule;
  mpi::agreed(communicator, [&] {
    schedule = make_lb_schedule(settings, text);
    if (settings.lb && settings.lb_show_config && communicator.rank() == 0)
      say(settings, "strategies of the phases\n" + schedule.table());
  });
  return schedule;
}

Settings valid(const mpi::Communicator& communicator, const Settings& settings) {
  mpi::expect_launched_together();
  Settings result;
  mpi::agreed(communicator, [&] {
    const Configuration configuration(settings);
    result = configuration.settings();
    if (communicator.rank() == 0) say_warnings(configuration, result);
  });
  return result;
}

}  // namespace

Session::Session(MPI_Comm communicator, const Settings& settings)
    : communicator_(communicator),
      settings_(valid(communicator_, settings)),
      lb_schedule_(shared_schedule(communicator_, settings_)) {}

Session::Session(int& argc, char** argv, MPI_Comm communicator, const Settings& defaults)
    : environment_(&argc, &argv),
      communicator_(communicator),
      settings_(configured(communicator_, argc, argv, defaults)),
      lb_schedule_(shared_schedule(communicator_, settings_)) {}

std::optional<lbdata::PhaseSpecification> Session::phase_specification() const {
  if (!settings_.lb_spec) return std::nullopt;
  const std::string text = read_on_rank_0(communicator_, settings_.lb_spec_file);
  std::optional<lbdata::PhaseSpecification> result;
  mpi::agreed(communicator_,
              [&] { result = lbdata::PhaseSpecification::parse(text, settings_.lb_spec_file); });
  return result;
}

void Session::tell(const std::string& message) const {
  if (rank() == 0) tell_here(message);
}

void Session::tell_here(const std::string& message) const {
  say(settings_, message);
}

}  // namespace plimsoll::runtime
