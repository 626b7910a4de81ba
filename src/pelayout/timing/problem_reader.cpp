#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <plimsoll/pelayout/problem.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/format.hpp>
#include <plimsoll/support/quoted.hpp>

#include "pelayout/timing/gzip_text.hpp"

namespace plimsoll::pelayout {

namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::size_t max_entries = 100'000;
constexpr std::size_t max_components = 1000;

const std::vector<std::string> problem_members{"totaltasks", "layout", "description", "unit"};
const std::vector<std::string> component_members{"cost",      "ntasks",  "nthrds", "name",
                                                 "blocksize", "repeats", "least",  "greatest"};

/// Reads the members of a problem; says where it is when something is wrong.
class ProblemReader {
 public:
  explicit ProblemReader(const std::string& file) : file_(file) {}

  Problem read(std::string_view json) {
    simdjson::dom::parser parser;
    element root;
    const auto problem = parser.parse(simdjson::padded_string(json)).get(root);
    if (problem != simdjson::SUCCESS)
      throw error("", fmt::format("is no JSON: {}", simdjson::error_message(problem)));
    for (const auto& [key, value] : object_at(root, "")) read_member(key, value, pointer_to("", key));
    if (problem_.components.empty())
      throw error("", "holds no component", R"(it should have some: "ATM": {"ntasks": [..], "cost": [..]})");
    problem_.path = file_;
    return std::move(problem_);
  }

 private:
  void read_member(std::string_view key, const element& value, const std::string& where) {
    if (!members_.insert(std::string(key)).second) throw error(where, "is there twice");
    if (key == "totaltasks")
      problem_.total_tasks = count_at(value, where);
    else if (key == "layout")
      problem_.layout = text_at(value, where);
    else if (key == "description")
      problem_.description = text_at(value, where);
    else if (key == "unit")
      problem_.unit = unit_at(value, where);
    else if (value.is_object() && problem_.components.size() == max_components)
      throw error(where, fmt::format("is more than the {} components there may be", max_components));
    else if (value.is_object())
      problem_.components.push_back(component_at(key, value, where));
    else
      refuse_misspelt(key, problem_members, where);
  }

  CostUnit unit_at(const element& value, const std::string& where) const {
    const std::string unit = text_at(value, where);
    if (unit == "seconds_per_day") return CostUnit::seconds_per_day;
    if (unit == "total_seconds") return CostUnit::total_seconds;
    throw error(where, "is " + support::in_quotes(unit),
                "\"seconds_per_day\" and \"total_seconds\" are the units there are");
  }

  Component component_at(std::string_view key, const element& value, const std::string& where) const {
    Component component;
    component.name = name_at(key, where);
    std::vector<std::int64_t> tasks, threads, repeats;
    std::vector<double> costs, least, greatest;
    std::set<std::string_view> seen;
    for (const auto& [member, content] : object_at(value, where)) {
      const std::string place = pointer_to(where, member);
      if (!seen.insert(member).second) throw error(place, "is there twice");
      if (member == "ntasks")
        tasks = counts_at(content, place);
      else if (member == "nthrds")
        threads = counts_at(content, place);
      else if (member == "repeats")
        repeats = counts_at(content, place);
      else if (member == "cost")
        costs = costs_at(content, place);
      else if (member == "least")
        least = costs_at(content, place);
      else if (member == "greatest")
        greatest = costs_at(content, place);
      else if (member == "blocksize")
        component.block_size = count_at(content, place);
      else if (member == "name")
        component.model = text_at(content, place);
      else
        refuse_misspelt(member, component_members, place);
    }
    for (const char* needed : {"ntasks", "cost"})
      if (!seen.contains(needed)) throw error(where, fmt::format("has no \"{}\"", needed));
    if (tasks.empty()) throw error(pointer_to(where, "ntasks"), "is empty");
    require_as_many(tasks.size(), costs.size(), where, "cost");
    for (const auto& [list, size] : {std::pair("repeats", repeats.size()), std::pair("least", least.size()),
                                     std::pair("greatest", greatest.size())})
      if (seen.contains(list)) require_as_many(tasks.size(), size, where, list);
    if (seen.contains("nthrds") && (threads.empty() || threads.size() > tasks.size()))
      throw error(pointer_to(where, "nthrds"),
                  fmt::format("has {} entries for {} task counts", threads.size(), tasks.size()),
                  "give one for all, or as many as task counts");
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      Sample sample;
      sample.tasks = tasks[k];
      // CIME's tool looks at the first only, so that a shorter list means no more than that.
      if (!threads.empty()) sample.threads = threads[threads.size() == tasks.size() ? k : 0];
      sample.cost = costs[k];
      sample.repeats = repeats.empty() ? 1 : static_cast<std::size_t>(repeats[k]);
      sample.least = least.empty() ? sample.cost : least[k];
      sample.greatest = greatest.empty() ? sample.cost : greatest[k];
      if (sample.least > sample.cost || sample.greatest < sample.cost)
        throw error(pointer_to(pointer_to(where, "cost"), std::to_string(k)),
                    fmt::format("is {}, which is not between least ({}) and greatest ({})", sample.cost,
                                sample.least, sample.greatest));
      component.samples.push_back(sample);
    }
    sort_samples(component, where);
    return component;
  }

  void sort_samples(Component& component, const std::string& where) const {
    const auto count = [](const Sample& sample) { return std::pair(sample.threads, sample.tasks); };
    const auto before = [&](const Sample& a, const Sample& b) { return count(a) < count(b); };
    std::sort(component.samples.begin(), component.samples.end(), before);
    const auto twice =
        std::adjacent_find(component.samples.begin(), component.samples.end(),
                           [&](const Sample& a, const Sample& b) { return count(a) == count(b); });
    if (twice != component.samples.end())
      throw error(pointer_to(where, "ntasks"),
                  fmt::format("has {} (with threads: {}) twice", twice->tasks, twice->threads),
                  "combine the two costs into one");
  }

  std::string name_at(std::string_view key, const std::string& where) const {
    std::string name = support::upper_case(key);
    const auto fits = [](char letter) {
      return (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') || letter == '_';
    };
    if (name.empty() || name.size() > 64 || !std::all_of(name.begin(), name.end(), fits))
      throw error(where, "is no name of a component", "use letters, digits and underscores");
    const auto same = [&](const Component& component) { return component.name == name; };
    if (std::any_of(problem_.components.begin(), problem_.components.end(), same))
      throw error(where, fmt::format("is a second {}", name));
    return name;
  }

  object object_at(const element& value, const std::string& where) const {
    object members;
    if (value.get(members) != simdjson::SUCCESS) throw error(where, "is no object");
    return members;
  }

  std::string text_at(const element& value, const std::string& where) const {
    std::string_view text;
    if (value.get(text) != simdjson::SUCCESS) throw error(where, "is no text");
    return std::string(text);
  }

  std::int64_t count_at(const element& value, const std::string& where) const {
    std::int64_t count = 0;
    if (value.get(count) != simdjson::SUCCESS) throw error(where, "is no whole number");
    if (count < 1 || count > greatest_count)
      throw error(where, fmt::format("is {}, but can only be 1 to {}", count, greatest_count));
    return count;
  }

  double cost_at(const element& value, const std::string& where) const {
    double cost = 0;
    if (value.get(cost) != simdjson::SUCCESS) throw error(where, "is no number");
    if (!(cost >= 0 && cost <= greatest_cost))
      throw error(where, fmt::format("is {}, but a cost can only be 0 to {} seconds", cost, greatest_cost));
    return cost;
  }

  std::vector<std::int64_t> counts_at(const element& value, const std::string& where) const {
    std::vector<std::int64_t> counts;
    for_each_at(value, where, [&](const element& entry, const std::string& place) {
      counts.push_back(count_at(entry, place));
    });
    return counts;
  }

  std::vector<double> costs_at(const element& value, const std::string& where) const {
    std::vector<double> costs;
    for_each_at(value, where, [&](const element& entry, const std::string& place) {
      costs.push_back(cost_at(entry, place));
    });
    return costs;
  }

  template <class Visit>
  void for_each_at(const element& value, const std::string& where, Visit&& visit) const {
    array entries;
    if (value.get(entries) != simdjson::SUCCESS) throw error(where, "is no list");
    std::size_t index = 0;
    for (const element entry : entries) {
      if (index == max_entries) throw error(where, fmt::format("has more than {} entries", max_entries));
      visit(entry, fmt::format("{}/{}", where, index++));
    }
  }

  void require_as_many(std::size_t tasks, std::size_t others, const std::string& where,
                       std::string_view list) const {
    if (tasks != others)
      throw error(pointer_to(where, list), fmt::format("has {} entries for {} task counts", others, tasks));
  }

  /// Members that nobody knows are passed over, as CIME's tool does, unless one is meant that is known.
  void refuse_misspelt(std::string_view key, const std::vector<std::string>& known,
                       const std::string& where) const {
    const std::string guess = support::did_you_mean(key, known);
    if (!guess.empty()) throw error(where, "is no member of a problem", guess);
  }

  /// RFC 6901.
  static std::string pointer_to(const std::string& where, std::string_view key) {
    std::string pointer = where + '/';
    for (const char letter : key.substr(0, 100)) {
      if (letter == '~')
        pointer += "~0";
      else if (letter == '/')
        pointer += "~1";
      else
        pointer += static_cast<unsigned char>(letter) < ' ' ? '?' : letter;
    }
    return pointer;
  }

  Error error(std::string where, std::string what, std::string suggestion = {}) const {
    Diagnostic diagnostic;
    diagnostic.what = std::move(what);
    diagnostic.file = file_;
    if (!where.empty()) diagnostic.pointer = std::move(where);
    diagnostic.suggestion = std::move(suggestion);
    return {ErrorKind::bad_input, std::move(diagnostic)};
  }

  const std::string& file_;
  Problem problem_;
  std::set<std::string> members_;
};

}  // namespace

Problem parse_problem(std::string_view json, const std::string& file) {
  return ProblemReader(file).read(json);
}

Problem read_problem(const std::string& path) {
  return parse_problem(read_gzip_or_plain(path), path);
}

}  // namespace plimsoll::pelayout
