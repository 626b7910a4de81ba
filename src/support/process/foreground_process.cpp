#include <sys/wait.h>

#include <cerrno>

#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/process.hpp>

#include "support/process/forward_signals.hpp"
#include "support/process/spawn.hpp"

namespace plimsoll::PLIMSOLL_ABI::support {

int run_in_foreground(const std::vector<std::string>& arguments, const Variables& variables) {
  PLIMSOLL_EXPECT(!arguments.empty());
  const ForwardSignals signals;
  const pid_t child = Spawn().start(arguments, variables, "cannot run the command");
  ForwardSignals::to(child);
  siginfo_t end{};
  while (::waitid(P_PID, static_cast<id_t>(child), &end, WEXITED | WNOWAIT) < 0 && errno == EINTR) {
  }
  CleanUpOnStop::let_end();  // the program's status is the result
  ForwardSignals::to(0);     // done before another process can get its number
  int status = 0;
  if (::waitpid(child, &status, 0) < 0)
    throw system_error("cannot determine the exit status of the command", arguments.front(), errno,
                       "set SIGCHLD to its default action (SIG_DFL)");
  return exit_status(status);
}

}  // namespace plimsoll::support
