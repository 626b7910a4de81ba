#include "pelayout/solvers/external_answer.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <plimsoll/support/error.hpp>

#include "pelayout/models/find_model.hpp"

namespace plimsoll::pelayout {
namespace {

using simdjson::dom::element;

/// Reads an answer; every complaint names the solver and the member.
class AnswerReader {
 public:
  AnswerReader(const std::string& solver, const Problem& problem, const std::vector<ComponentModel>& models,
               std::int64_t total)
      : solver_(solver),
        problem_(problem),
        models_(models),
        total_(total),
        count_threads_(threads_vary(problem)) {}

  ExternalAnswer read(const std::string& text) const {
    simdjson::dom::parser parser;
    simdjson::dom::object root;
    if (const auto error = parser.parse(text).get(root); error != simdjson::SUCCESS)
      throw wrong("", text.empty() ? "answers nothing" : "does not answer with a JSON object");
    element why;
    if (root["infeasible"].get(why) == simdjson::SUCCESS) {
      std::string_view reason;
      if (why.get(reason) != simdjson::SUCCESS) throw wrong("/infeasible", "is no text");
      throw wrong("", "says that there is no solution: " + std::string(reason));
    }
    ExternalAnswer answer;
    answer.time = number(root["time"], "/time");
    if (answer.time < 0) throw wrong("/time", "is negative");
    read_values(root, answer);
    read_places(root, answer);
    return answer;
  }

 private:
  void read_values(const simdjson::dom::object& root, ExternalAnswer& answer) const {
    simdjson::dom::object values;
    if (root["solution"].get(values) != simdjson::SUCCESS) throw wrong("/solution", "is no object");
    for (const auto member : values) {
      const std::string name(member.key);
      const double value = number(element(member.value), "/solution/" + name);
      constexpr double rounding = 1e-6;  // CBC gives 992.0000001
      if (name.starts_with("NTASKS_") && value > static_cast<double>(total_) + rounding)
        throw too_many("/solution/" + name, fmt::format("{}", value));
      if (name.starts_with("NTASKS_") && name != "NTASKS_TOTAL")
        expect_known(name.substr(std::string_view("NTASKS_").size()), "/solution/" + name);
      answer.values.emplace_back(name, value);
    }
    if (answer.values.empty()) throw wrong("/solution", "is empty");
  }

  void read_places(const simdjson::dom::object& root, ExternalAnswer& answer) const {
    element given;
    if (root["places"].get(given) != simdjson::SUCCESS) return;
    simdjson::dom::array places;
    if (given.get(places) != simdjson::SUCCESS) throw wrong("/places", "is no list");
    for (const element place : places) {
      const std::string pointer = fmt::format("/places/{}", answer.places.size());
      Place read = read_place(place, pointer);
      if (std::ranges::find(answer.places, read.component, &Place::component) != answer.places.end())
        throw wrong(pointer, "is a second place of " + read.component);
      read.start = earliest_start(read, answer.places);
      read.end = read.start + read.cost;
      answer.places.push_back(std::move(read));
    }
  }

  Place read_place(element given, const std::string& pointer) const {
    simdjson::dom::object members;
    if (given.get(members) != simdjson::SUCCESS) throw wrong(pointer, "is no object");
    std::string_view component;
    if (members["component"].get(component) != simdjson::SUCCESS)
      throw wrong(pointer + "/component", "is no text");
    Place place;
    place.component = component;
    const Component& data = expect_known(place.component, pointer + "/component");
    place.tasks = count(members["tasks"], pointer + "/tasks", 1);
    place.root = count(members["root"], pointer + "/root", 0);
    place.threads = data.samples.empty() ? 1 : data.samples.front().threads;
    if (members["threads"].error() == simdjson::SUCCESS)
      place.threads = count(members["threads"], pointer + "/threads", 1);
    place.blocks = place.tasks / data.block_size;
    // No count is above 2^31, so that nothing overflows.
    place.processors = count_threads_ ? place.tasks * place.threads : place.tasks;
    if (place.root + place.processors > total_)
      throw too_many(pointer, fmt::format("{} from {} on", place.processors, place.root));
    place.cost = cost(place);
    return place;
  }

  /// Processors run one component at a time, in the order of the answer.
  static double earliest_start(const Place& place, const std::vector<Place>& before) {
    double start = 0;
    for (const Place& other : before)
      if (other.root < place.root + place.processors && place.root < other.root + other.processors)
        start = std::max(start, other.end);
    return start;
  }

  double cost(const Place& place) const {
    const ScalingModel* const model = find_model(models_, place.component, place.threads);
    return model == nullptr ? 0 : model->cost(place.tasks);
  }

  const Component& expect_known(const std::string& name, const std::string& pointer) const {
    if (const Component* component = problem_.find(name)) return *component;
    const std::string meant = support::nearest(name, problem_.component_names());
    throw wrong(pointer, "names " + name + ", of which there are no data",
                meant.empty() ? "" : "did it mean " + meant + "?");
  }

  double number(simdjson::simdjson_result<element> given, const std::string& pointer) const {
    double value = 0;
    if (given.get(value) != simdjson::SUCCESS || !std::isfinite(value)) throw wrong(pointer, "is no number");
    return value;
  }

  std::int64_t count(simdjson::simdjson_result<element> given, const std::string& pointer,
                     double least) const {
    const double value = number(given, pointer);
    constexpr double most = 2147483647;
    if (value != std::trunc(value) || value < least || value > most)
      throw wrong(pointer, fmt::format("is {}, no whole number of {} or more", value, least));
    return static_cast<std::int64_t>(value);
  }

  Error too_many(const std::string& pointer, const std::string& used) const {
    return wrong(pointer,
                 fmt::format("uses {} of {} {}", used, total_, count_threads_ ? "processors" : "tasks"));
  }

  Error wrong(const std::string& pointer, std::string what, std::string suggestion = {}) const {
    Diagnostic diagnostic;
    diagnostic.what = std::move(what);
    diagnostic.file = solver_;
    if (!pointer.empty()) diagnostic.pointer = pointer;
    diagnostic.suggestion = std::move(suggestion);
    return {ErrorKind::bad_input, std::move(diagnostic)};
  }

  const std::string& solver_;
  const Problem& problem_;
  const std::vector<ComponentModel>& models_;
  std::int64_t total_;
  bool count_threads_;
};

}  // namespace

ExternalAnswer read_external_answer(const std::string& text, const std::string& solver,
                                    const Problem& problem, const std::vector<ComponentModel>& models,
                                    std::int64_t total) {
  return AnswerReader(solver, problem, models, total).read(text);
}

}  // namespace plimsoll::pelayout
