// A user's launcher that does the same as `plimsoll profile -- COMMAND`. Its arguments are the command.
#include <iostream>

#include <plimsoll/collectives.hpp>
#include <plimsoll/support.hpp>

int main(int argc, char** argv) {
  using namespace plimsoll::collectives;
  ProfileRequest request;
  request.command = {argv + 1, argv + argc};
  request.options = parse_profiling_options("counts,times,overwrite,quiet");
  request.options.folder = "plimsoll-profile";
  try {
    const ProfileLaunch launch = plan_profile(request);
    std::cout << to_shell_text(launch) << std::flush;
    const ProfileOutcome outcome = run_profile(launch);
    if (outcome.content != ProfileContent::files) return 1;
    std::cout << recorded_calls(read({launch.folder}).profile) << " calls recorded\n";
    return outcome.status;
  } catch (const plimsoll::Error& error) {
    std::cerr << error.what() << '\n';
    return static_cast<int>(error.kind());
  }
}
