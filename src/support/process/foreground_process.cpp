#include <sys/wait.h>

#include <cerrno>

#include <plimsoll/support/child_process.hpp>
#include <plimsoll/support/contract.hpp>

#include "support/process/defer_stop_signals.hpp"
#include "support/process/spawn.hpp"

namespace plimsoll::support {

int run_in_foreground(const std::vector<std::string>& arguments, const Variables& variables) {
  PLIMSOLL_EXPECT(!arguments.empty());
  DeferStopSignals signals;
  const pid_t process = Spawn().start(arguments, variables, "cannot run the command");
  signals.pass_on_to(process);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return exit_status(status);
}

}  // namespace plimsoll::support
