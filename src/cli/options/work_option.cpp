#include "cli/options/work_option.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

balance::WorkCoefficients work_coefficients(const std::vector<double>& numbers) {
  if (numbers.size() < 3 || numbers.size() > 5) {
    throw support::usage_error(fmt::format("invalid --work: {} numbers", numbers.size()),
                               "use three to five numbers: alpha,beta,gamma,delta,beta_node, e.g. 1,1e-8,0");
  }
  for (const double number : numbers)
    if (!(std::isfinite(number) && number >= 0))
      throw support::usage_error(
          fmt::format("invalid coefficient {} for --work: must be finite and >= 0", number));
  balance::WorkCoefficients work{.alpha = numbers[0], .beta = numbers[1], .gamma = numbers[2]};
  if (numbers.size() > 3) work.delta = numbers[3];
  if (numbers.size() > 4) work.beta_node = numbers[4];
  return work;
}

}  // namespace

void add_work_option(OptionParser& parser, std::optional<balance::WorkCoefficients>& work, bool& memory) {
  parser
      .add_option_function<std::vector<double>>(
          "--work ALPHA,BETA,GAMMA[,DELTA[,BETA_NODE]]",
          [&work, &memory](const std::vector<double>& numbers) {
            work = work_coefficients(numbers);
            memory = numbers.size() > 3;
          },
          "Use work = alpha x load + beta x max(sent, received)\n+ gamma + delta x off-home shared-block "
          "bytes,\nin seconds; beta_node applies to bytes within nodes;\nwith delta (even 0), memory is also "
          "shown")
      .separated_by(',');
}

}  // namespace plimsoll::cli
