#include <fmt/format.h>

#include <span>
#include <string>

#include <plimsoll/balance/load_model.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "cli/commands.hpp"
#include "cli/options/listing_options.hpp"
#include "cli/terminal/parameter_listing.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

constexpr const char* models_examples =
    R"(  plimsoll models               list all load models
  plimsoll models LinearModel   show one in detail, with its parameters
  plimsoll balance data --strategy GreedyLB --load-model 'Norm(power=3) | PersistenceMedianLastN(n=4)')";

std::string json_text(std::span<const balance::LoadModelInfo> models) {
  std::string text;
  support::JsonWriter json(text);
  json.begin_object().key("models").begin_array();
  for (const balance::LoadModelInfo& model : models) {
    json.begin_object().member("name", model.name).member("help", model.help);
    write_parameters(json.key("parameters"), model.parameters);
    json.member("example", model.example).end_object();
  }
  json.end_array().end_object();
  return text + '\n';
}

std::string overview(std::span<const balance::LoadModelInfo> models) {
  support::TextTable table({{"model"}, {"parameters"}, {"description"}});
  for (const balance::LoadModelInfo& model : models)
    table.add_row({model.name, parameter_list(model.parameters), model.help});
  return table.to_string();
}

std::string details(const balance::LoadModelInfo& model, const Terminal& terminal) {
  return fmt::format("{}: {}\n{}\nplimsoll balance DIR --strategy GreedyLB --load-model '{}'\n",
                     terminal.paint(Colour::bold, model.name), model.help,
                     model.parameters.empty() ? "No parameters.\n" : "\n" + parameter_table(model.parameters),
                     model.example);
}

}  // namespace

Command define_models(OptionParser& parser) {
  parser.set_examples(models_examples);
  return [options = add_listing_options(parser, "model")](Terminal& terminal) {
    const std::span<const balance::LoadModelInfo> chosen =
        options->one() ? std::span(&balance::load_model_info(options->name), 1)
                       : std::span(balance::load_models());
    terminal.print(options->json    ? json_text(chosen)
                   : options->one() ? details(chosen.front(), terminal)
                                    : overview(chosen));
    return 0;
  };
}

}  // namespace plimsoll::cli
