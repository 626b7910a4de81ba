#include "cli/options/balance_options.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

/// Adds --load-model, which selects the loads that strategies use. When the command line is parsed, it writes
/// the complete notation of the pipeline to `pipeline`, or throws the Error of balance::make_load_model().
void add_load_model_option(OptionParser& parser, std::string& pipeline) {
  parser.add_option_function<std::string>(
      "--load-model MODEL",
      [&pipeline](const std::string& given) { pipeline = balance::make_load_model(given)->text(); },
      "Use loads that this model predicts for the next phase\n[default: measured loads] (see plimsoll "
      "models)");
}

balance::ParameterMap parse_parameters(const std::vector<std::string>& given) {
  balance::ParameterMap parameters;
  for (const std::string& text : given) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw support::usage_error(
          fmt::format("invalid value {} for --param: expected NAME=VALUE", support::in_quotes(text)),
          "use, for example, --param tolerance=1.05");
    }
    const auto [known, added] = parameters.emplace(text.substr(0, equals), text.substr(equals + 1));
    if (!added) {
      throw support::usage_error(fmt::format("duplicate --param {}", known->first), "set it once");
    }
  }
  return parameters;
}

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

void add_load_option(OptionParser& parser, std::string& field) {
  parser.add_option(
      "--load FIELD", field,
      "Load: a number in user_defined or attributes of each\ntask, e.g. cpu_time [default: time]");
}

std::string load_field_line(const std::string& field) {
  if (field.empty()) return "";
  return fmt::format("The loads shown are the values of {}.\n", support::in_quotes(field));
}

std::string load_model_line(const std::string& load_model) {
  if (load_model == balance::measured_loads) return "";
  return fmt::format("The loads shown are predicted by {} for the next phase.\n", load_model);
}

void add_parameter_option(OptionParser& parser, balance::ParameterMap& parameters, const char* help) {
  parser
      .add_option_function<std::vector<std::string>>(
          "--param NAME=VALUE",
          [&parameters](const std::vector<std::string>& given) { parameters = parse_parameters(given); },
          help)
      .one_word_each();
}

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

void add_phase_options(OptionParser& parser, balance::PhaseRequest& request) {
  parser.add_option("--phase N", request.phase,
                    "Phase to balance\n[default: the last phase with data on all ranks]");
  add_load_model_option(parser, request.load_model);
  parser
      .add_option("--load-dimension FIELD", request.columns.load_dimensions,
                  "Additional load: a number in user_defined or attributes\nof the tasks, e.g. gpu_time; may "
                  "be repeated")
      .one_word_each();
  parser.add_option("--position FIELD", request.columns.position_field,
                    "Coordinates: an array in user_defined of the tasks\n[default: the objects' indices]");
  parser
      .add_option("--ranks-per-node N", request.columns.ranks_per_node,
                  "Number of consecutive ranks per node\n[default: as specified in the files]")
      .check([](const std::string& text) {
        return text.starts_with("-") ? "the number of ranks per node must be >= 0" : "";
      });
  add_work_option(parser, request.work, request.columns.memory);
}

}  // namespace plimsoll::cli
