#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include <plimsoll/pelayout/external_solver.hpp>
#include <plimsoll/support/child_process.hpp>
#include <plimsoll/support/error.hpp>

#include "pelayout/solvers/external_problem.hpp"

namespace plimsoll::pelayout {
namespace {

using simdjson::dom::element;

constexpr std::size_t max_answer_bytes = std::size_t{16} << 20;

const char* python_runner() {
  const char* const runner = std::getenv("PLIMSOLL_LAYOUT_PYTHON");
  return runner != nullptr && *runner != '\0' ? runner : nullptr;
}

bool is_path(const std::string& layout) {
  return layout.find('/') != std::string::npos && !layout.ends_with(".yaml") && !layout.ends_with(".yml");
}

/// MODULE.CLASS, the module perhaps in packages.
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
  return names > 1 && !name_begins && !layout.ends_with(".yaml") && !layout.ends_with(".yml");
}

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
    place.end = place.cost;
    return place;
  }

  double cost(const Place& place) const {
    const auto model = std::ranges::find(models_, place.component, &ComponentModel::component);
    if (model == models_.end() || model->by_threads.empty()) return 0;
    const auto measured = model->by_threads.find(place.threads);
    return (measured == model->by_threads.end() ? model->by_threads.begin() : measured)
        ->second->cost(place.tasks);
  }

  const Component& expect_known(const std::string& name, const std::string& pointer) const {
    if (const Component* component = problem_.find(name)) return *component;
    std::vector<std::string> names;
    for (const Component& component : problem_.components) names.push_back(component.name);
    const std::string meant = support::nearest(name, names);
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

bool is_external_solver(const std::string& layout) {
  return is_path(layout) || (python_runner() != nullptr && is_python_class(layout));
}

ExternalAnswer run_external_solver(const std::string& layout, const Problem& problem,
                                   const std::vector<ComponentModel>& models, std::int64_t total,
                                   double time_limit_s) {
  std::vector<std::string> command = {layout};
  if (!is_path(layout) && python_runner() != nullptr) command.insert(command.begin(), python_runner());
  support::ChildOptions options;
  options.input = external_problem(problem, models, total);
  options.time_limit_s = time_limit_s;
  options.max_output_bytes = max_answer_bytes;
  const support::ChildOutcome outcome = support::run_child(command, options);
  if (outcome.timed_out)
    throw support::bad_input(fmt::format("has no answer after {:g} s", time_limit_s), layout);
  if (outcome.status != 0)
    throw support::bad_input(fmt::format("fails with status {}", outcome.status), layout,
                             "what it says is above");
  return AnswerReader(layout, problem, models, total).read(outcome.output);
}

}  // namespace plimsoll::pelayout
