// Names, parameters and help texts of the load models.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/balance/load_models.hpp>
#include <plimsoll/balance/parameters.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Returns a LoadModelInfo::make for a model with one parameter.
template <class Model, class Value>
auto stack_with(const char* parameter) {
  return [parameter](LoadModelPtr base, const Parameters& parameters) {
    return std::make_shared<Model>(std::move(base), parameters.get<Value>(parameter));
  };
}

template <class Model>
LoadModelPtr stack_with_weights(LoadModelPtr base, const Parameters& parameters) {
  return std::make_shared<Model>(std::move(base), MessageWeights{parameters.get<double>("per_message"),
                                                                 parameters.get<double>("per_byte")});
}

double power_of(const std::string& text) {
  if (text == "infinity") return std::numeric_limits<double>::infinity();
  const auto power = support::parse_number<double>(text);
  if (power && std::isfinite(*power)) return *power;
  throw invalid_parameter("Norm", "power", text, "use a number > 0, or infinity");
}

// Parses a list of names such as "[cells, particles]".
std::vector<std::string> parse_names(const std::string& text) {
  std::string_view rest = text;
  if (!support::take(rest, "[") || !rest.ends_with(']'))
    throw invalid_parameter("Inferred", "features", text, "use a list such as [cells, particles]");
  rest.remove_suffix(1);
  std::vector<std::string> names;
  for (std::string_view name : support::split(rest, ',')) names.emplace_back(support::trimmed(name));
  if (names.size() == 1 && names.front().empty()) names.clear();
  return names;
}

// Parses a list such as "[2, 1]".
std::vector<std::uint32_t> parse_list(const std::string& text) {
  const auto fail = [&] {
    return invalid_parameter("SelectSubphases", "subphases", text, "use a list such as [2, 1]");
  };
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') throw fail();
  std::vector<std::uint32_t> list;
  std::string_view rest = std::string_view(text).substr(1, text.size() - 2);
  const auto skip_blanks = [&] {
    while (support::take(rest, " ")) {
    }
  };
  for (bool more = true; more;) {
    skip_blanks();
    if (!support::take_number(rest, list.emplace_back())) throw fail();
    skip_blanks();
    more = !rest.empty();
    if (more && !support::take(rest, ",")) throw fail();
  }
  return list;
}

/// Models that predict from the loads of past phases.
std::vector<LoadModelInfo> models_of_phases() {
  return {
      {.name = "LinearModel",
       .help = "extrapolates the regression line through the last phases: for loads that grow or shrink",
       .parameters = {{"length", std::int64_t{5}, "number of phases (>= 1)"}},
       .example = "LinearModel(length=5)",
       .make = stack_with<LinearModel, std::int64_t>("length")},
      {.name = "MultiplePhases",
       .help = "sums the predicted loads of the next phases: for a placement that is kept for several phases",
       .parameters = {{"phases", std::int64_t{10}, "number of phases, 1 to 1000"}},
       .example = "LinearModel(length=5) | MultiplePhases(phases=10)",
       .make = stack_with<MultiplePhases, std::int64_t>("phases")},
      {.name = "NaivePersistence",
       .help = "assumes that the next phase repeats the last one",
       .example = "NaivePersistence",
       .make = [](LoadModelPtr base,
                  const Parameters&) { return std::make_shared<NaivePersistence>(std::move(base)); }},
      {.name = "PersistenceMedianLastN",
       .help = "predicts the median of the last n phases: ignores a single slow phase",
       .parameters = {{"n", std::int64_t{5}, "number of phases (>= 1)"}},
       .example = "PersistenceMedianLastN(n=5)",
       .make = stack_with<PersistenceMedianLastN, std::int64_t>("n")},
      {.name = "RawData", .help = "measured loads; must be first in a pipeline", .example = "RawData"}};
}

/// Models of parts of a phase or of the objects.
std::vector<LoadModelInfo> models_of_parts() {
  return {{.name = "Inferred",
           .help = "infers loads from features of objects (user_defined) and the times of ranks",
           .parameters = {{"features", std::string("[]"),
                           "names of the features; []: those of infer_loads() in the program"},
                          {"phases", std::int64_t{10}, "number of past phases, 1 to 1000"}},
           .example = "Inferred(features=[cells, particles], phases=10)",
           .make =
               [](LoadModelPtr base, const Parameters& parameters) {
                 return std::make_shared<Inferred>(std::move(base),
                                                   parse_names(parameters.get<std::string>("features")),
                                                   parameters.get<std::int64_t>("phases"));
               }},
          {.name = "Norm",
           .help = "norm of the subphase loads: a higher power gives more weight to the longest subphase",
           .parameters = {{"power", std::string("2"),
                           "a number > 0 (1: sum), or infinity (the longest subphase)"}},
           .example = "Norm(power=3) | PersistenceMedianLastN(n=4)",
           .make =
               [](LoadModelPtr base, const Parameters& parameters) {
                 return std::make_shared<Norm>(std::move(base),
                                               power_of(parameters.get<std::string>("power")));
               }},
          {.name = "PerCollection",
           .help = "uses a separate model per collection; other collections use the underlying model",
           .parameters = {{"COLLECTION", std::string(),
                           "pipeline for objects with this collection_id, stacked on the underlying model"}},
           .example = "PerCollection(7=LinearModel(length=5), 9=Norm(power=3))"},
          {.name = "SelectSubphases",
           .help = "sums selected subphases and ignores all others",
           .parameters = {{"subphases", std::string("[0]"), "subphase IDs; an ID may be repeated"}},
           .example = "SelectSubphases(subphases=[2, 1])",
           .make = [](LoadModelPtr base, const Parameters& parameters) {
             return std::make_shared<SelectSubphases>(std::move(base),
                                                      parse_list(parameters.get<std::string>("subphases")));
           }}};
}

/// Models of messages between ranks.
std::vector<LoadModelInfo> models_of_messages() {
  return {
      {.name = "CommOverhead",
       .help = "adds the cost of messages received from other ranks",
       .parameters = {{"per_message", 0.001, "seconds per message"},
                      {"per_byte", 0.000001, "seconds per byte"}},
       .example = "CommOverhead(per_message=2e-06, per_byte=1e-09)",
       .make = stack_with_weights<CommOverhead>},
      {.name = "WeightedCommunicationVolume",
       .help = "alpha * load + beta * communication (from an underlying WeightedMessages) + gamma",
       .parameters = {{"alpha", 1.0, "weight of the load"},
                      {"beta", 0.0, "weight of the communication"},
                      {"gamma", 0.0, "seconds per object"}},
       .example = "WeightedMessages(per_byte=1e-09) | WeightedCommunicationVolume(beta=1)",
       .make =
           [](LoadModelPtr base, const Parameters& parameters) {
             using Weights = WeightedCommunicationVolume::Weights;
             return std::make_shared<WeightedCommunicationVolume>(
                 std::move(base), Weights{parameters.get<double>("alpha"), parameters.get<double>("beta"),
                                          parameters.get<double>("gamma")});
           }},
      {.name = "WeightedMessages",
       .help = "cost of messages to and from other ranks, for a WeightedCommunicationVolume stacked on it",
       .parameters = {{"per_message", 0.0, "cost per message"}, {"per_byte", 1.0, "cost per byte"}},
       .example = "WeightedMessages(per_byte=1e-09) | WeightedCommunicationVolume(beta=1)",
       .make = stack_with_weights<WeightedMessages>}};
}

/// Returns all models by name.
std::vector<LoadModelInfo> all_models() {
  std::vector<LoadModelInfo> models = models_of_phases();
  for (const auto& more : {models_of_parts(), models_of_messages()})
    models.insert(models.end(), more.begin(), more.end());
  std::ranges::sort(models, {}, &LoadModelInfo::name);
  return models;
}

}  // namespace

const std::vector<LoadModelInfo>& load_models() {
  static const std::vector<LoadModelInfo> models = all_models();
  return models;
}

}  // namespace plimsoll::balance
