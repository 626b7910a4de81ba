#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include <plimsoll/pelayout/solvers.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/process.hpp>

#include "pelayout/solvers/external_answer.hpp"
#include "pelayout/solvers/external_problem.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

constexpr std::size_t max_answer_bytes = std::size_t{16} << 20;

const char* python_runner() {
  const char* const runner = std::getenv("PLIMSOLL_LAYOUT_PYTHON");
  return runner != nullptr && *runner != '\0' ? runner : nullptr;
}

/// Returns whether a layout has the form MODULE.CLASS; packages may precede the module.
bool is_python_class(std::string_view layout) {
  bool name_begins = true;
  std::size_t names = 1;
  for (const char c : layout) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool digit = c >= '0' && c <= '9';
    if (c == '.' && !name_begins) {
      name_begins = true;
      ++names;
    } else if (letter || (digit && !name_begins)) {
      name_begins = false;
    } else {
      return false;
    }
  }
  return names > 1 && !name_begins && !is_layout_file(layout);
}

}  // namespace

bool is_program(const std::string& layout) {
  return layout.find('/') != std::string::npos && !is_layout_file(layout);
}

bool is_external_solver(const std::string& layout) {
  return is_program(layout) || (python_runner() != nullptr && is_python_class(layout));
}

ExternalAnswer run_external_solver(const std::string& layout, const Problem& problem,
                                   const std::vector<ComponentModel>& models, std::int64_t total,
                                   double time_limit_s) {
  std::vector<std::string> command = {layout};
  if (!is_program(layout) && python_runner() != nullptr) command.insert(command.begin(), python_runner());
  support::ChildOptions options;
  options.input = external_problem(problem, models, total);
  options.time_limit_s = time_limit_s;
  options.max_output_bytes = max_answer_bytes;
  const support::ChildOutcome outcome = support::run_child(command, options);
  if (outcome.timed_out)
    throw support::bad_input(fmt::format("no answer within {:g} s", time_limit_s), layout);
  if (outcome.status != 0)
    throw support::bad_input(fmt::format("failed with status {}", outcome.status), layout,
                             "check its output above");
  return read_external_answer(outcome.output, layout, problem, models, total);
}

}  // namespace plimsoll::pelayout
