#include "pelayout/solvers/external_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include <plimsoll/support/internal/process.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/json_view.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "pelayout/layout/names.hpp"
#include "pelayout/models/models.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

/// Returns the points of a model. A piecewise linear model has its own points. A curve is sampled at counts
/// that differ by a fifth or less, so that a/n is less than 1 % off in between.
std::vector<ModelPoint> points_of(const ScalingModel& model, std::int64_t total) {
  if (!model.quality() && model.points().size() >= 2) return model.points();
  std::set<std::int64_t> counts = {1, total};
  for (const ModelPoint& point : model.points()) counts.insert(point.tasks);
  for (std::int64_t count = 1; count < total; count = std::max(count + 1, count * 6 / 5))
    counts.insert(count);
  std::vector<ModelPoint> points;
  for (const std::int64_t count : counts)
    points.push_back({count, model.cost(count), model.extrapolates(count)});
  return points;
}

void write_models(support::JsonWriter& json, const ComponentModel& component, std::int64_t total) {
  json.key(component.component).begin_array();
  for (const auto& [threads, model] : component.by_threads) {
    json.begin_object().member("threads", threads).key("points").begin_array();
    for (const ModelPoint& point : points_of(*model, total))
      json.begin_array().value(point.tasks).value(point.cost).value(point.extrapolated).end_array();
    json.end_array().end_object();
  }
  json.end_array();
}

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
        throw member.error(fmt::format("uses {} of {} {}", value, total_, unit()));
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
    if (const ScalingModel* const model = find_model(models_, place.component, place.threads))
      place.cost = model->cost(place.tasks);
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

constexpr std::size_t max_answer_bytes = std::size_t{16} << 20;

const char* python_runner() {
  const char* const runner = std::getenv("PLIMSOLL_LAYOUT_PYTHON");
  return runner != nullptr && *runner != '\0' ? runner : nullptr;
}

/// Returns whether a layout has the form MODULE.CLASS; packages may precede the module.
bool is_python_class(std::string_view layout) {
  const std::vector<std::string_view> names = support::split(layout, '.');
  return names.size() > 1 && std::ranges::all_of(names, is_variable_name) && !is_layout_file(layout);
}

}  // namespace

std::string external_problem(const Problem& problem, const std::vector<ComponentModel>& models,
                             std::int64_t total) {
  std::string members;
  support::JsonWriter json(members);
  json.begin_object().member("version", 1).key("models").begin_object();
  for (const ComponentModel& component : models) write_models(json, component, total);
  json.end_object();

  Problem with_total = problem;
  with_total.total_tasks = total;
  const std::string rest = to_json(with_total);
  return members + "," + rest.substr(rest.find('{') + 1);
}

ExternalAnswer read_external_answer(const std::string& text, const std::string& solver,
                                    const Problem& problem, const std::vector<ComponentModel>& models,
                                    std::int64_t total) {
  support::JsonParser parser(solver);
  return AnswerReader(problem, models, total).read(parse_object(parser, text, solver));
}

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
  const support::ChildOutcome outcome =
      support::run_child(command, {.input = external_problem(problem, models, total),
                                   .time_limit_s = time_limit_s,
                                   .max_output_bytes = max_answer_bytes});
  if (outcome.timed_out)
    throw support::bad_input(fmt::format("no answer within {:g} s", time_limit_s), layout);
  if (outcome.status != 0)
    throw support::bad_input(fmt::format("failed with status {}", outcome.status), layout,
                             "check its output above");
  return read_external_answer(outcome.output, layout, problem, models, total);
}

}  // namespace plimsoll::pelayout
