#include "pelayout/solvers/external_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/json_view.hpp>

#include "pelayout/models/find_model.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {
namespace {

using support::JsonView;

/// Reads an answer; every error contains the solver and the member.
class AnswerReader {
 public:
  AnswerReader(const Problem& problem, const std::vector<ComponentModel>& models, std::int64_t total)
      : problem_(problem), models_(models), total_(total), count_threads_(threads_vary(problem)) {}

  ExternalAnswer read(const JsonView& root) const {
    if (const auto why = root.find("infeasible"))
      throw root.error("the solver reports no solution: " + std::string(why->text()));
    ExternalAnswer answer;
    answer.time = number(root, "time");
    if (answer.time < 0) throw root.at("time").error("must be >= 0");
    read_values(root, answer);
    read_places(root, answer);
    return answer;
  }

 private:
  void read_values(const JsonView& root, ExternalAnswer& answer) const {
    const auto values = root.find("solution");
    if (!values || !values->is_object()) throw missing(root, "solution", "expected an object");
    values->for_each_member([&](std::string_view name, const JsonView& member) {
      const double value = number_of(member);
      constexpr double rounding = 1e-6;  // tolerance; CBC returns 992.0000001
      if (name.starts_with("NTASKS_") && value > static_cast<double>(total_) + rounding)
        throw too_many(member, fmt::format("{}", value));
      if (name.starts_with("NTASKS_") && name != "NTASKS_TOTAL")
        expect_known(std::string(name.substr(std::string_view("NTASKS_").size())), member);
      answer.values.emplace_back(name, value);
    });
    if (answer.values.empty()) throw values->error("must not be empty");
  }

  void read_places(const JsonView& root, ExternalAnswer& answer) const {
    const auto places = root.find("places");
    if (!places) return;
    places->for_each_element([&](const JsonView& given) {
      Place place = read_place(given);
      if (std::ranges::find(answer.places, place.component, &Place::component) != answer.places.end())
        throw given.error("duplicate place of " + place.component);
      place.start = earliest_start(place, answer.places);
      place.end = place.start + place.cost;
      answer.places.push_back(std::move(place));
    });
  }

  Place read_place(const JsonView& given) const {
    if (!given.is_object()) throw given.error("expected an object");
    const auto component = given.find("component");
    if (!component) throw missing(given, "component", "expected a string");
    Place place;
    place.component = component->text();
    const Component& data = expect_known(place.component, *component);
    place.tasks = count(given, "tasks", 1);
    place.root = count(given, "root", 0);
    place.threads = data.samples.empty() ? 1 : data.samples.front().threads;
    if (given.find("threads")) place.threads = count(given, "threads", 1);
    place.blocks = place.tasks / data.block_size;
    // This product cannot overflow, because no count is above 2^31.
    place.processors = count_threads_ ? place.tasks * place.threads : place.tasks;
    if (place.root + place.processors > total_)
      throw given.error(fmt::format("invalid {} {} to {}: must be between 0 and {}", unit(), place.root,
                                    place.root + place.processors - 1, total_ - 1));
    place.cost = cost(place);
    return place;
  }

  /// Returns the earliest start of a place. A processor runs one component at a time, in the order of the
  /// answer.
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

  const Component& expect_known(const std::string& name, const JsonView& given) const {
    if (const Component* component = problem_.find(name)) return *component;
    const Diagnostic unknown =
        support::unknown_name("component", name, problem_.component_names()).diagnostic();
    throw given.error(unknown.what, unknown.suggestion);
  }

  static double number_of(const JsonView& given) {
    const double value = given.number();
    if (!std::isfinite(value)) throw given.error("expected a number");
    return value;
  }

  static double number(const JsonView& object, std::string_view name) {
    const auto member = object.find(name);
    if (!member) throw missing(object, name, "expected a number");
    return number_of(*member);
  }

  static std::int64_t count(const JsonView& object, std::string_view name, double minimum) {
    const double value = number(object, name);
    constexpr double maximum = 2147483647;
    if (value != std::trunc(value) || value < minimum || value > maximum)
      throw object.at(name).error(fmt::format("invalid value {}: must be an integer >= {}", value, minimum));
    return static_cast<std::int64_t>(value);
  }

  Error too_many(const JsonView& given, const std::string& used) const {
    return given.error(fmt::format("uses {} of {} {}", used, total_, unit()));
  }

  const char* unit() const { return count_threads_ ? "processors" : "tasks"; }

  /// Returns the error for a member that is missing or has the wrong type.
  static Error missing(const JsonView& object, std::string_view name, std::string what) {
    Diagnostic diagnostic = object.error(std::move(what)).diagnostic();
    diagnostic.pointer = fmt::format("{}/{}", object.pointer(), name);
    return {ErrorKind::bad_input, std::move(diagnostic)};
  }

  const Problem& problem_;
  const std::vector<ComponentModel>& models_;
  std::int64_t total_;
  bool count_threads_;
};

JsonView parse_object(support::JsonParser& parser, const std::string& text, const std::string& solver) {
  try {
    if (JsonView root = parser.parse(text); root.is_object()) return root;
  } catch (const Error&) {
  }
  throw support::bad_input(
      text.empty() ? "empty answer: expected a JSON object" : "invalid answer: expected a JSON object",
      solver);
}

}  // namespace

ExternalAnswer read_external_answer(const std::string& text, const std::string& solver,
                                    const Problem& problem, const std::vector<ComponentModel>& models,
                                    std::int64_t total) {
  support::JsonParser parser(solver);
  return AnswerReader(problem, models, total).read(parse_object(parser, text, solver));
}

}  // namespace plimsoll::pelayout
