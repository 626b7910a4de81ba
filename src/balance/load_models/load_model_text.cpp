// Load models from text.
#include <fmt/format.h>

#include <charconv>
#include <set>

#include <plimsoll/balance/load_model_registry.hpp>
#include <plimsoll/balance/load_models.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::balance {

namespace {

constexpr const char* raw = "RawData";
constexpr const char* persistence = measured_loads;

/// A model as it is written.
struct Stage {
  std::string name;
  std::vector<std::pair<std::string, std::string>> arguments;
};

Error no_pipeline(std::string_view text, const std::string& why) {
  return support::usage_error(fmt::format("\"{}\" is no load model: {}", text, why),
                              "write it such as Norm(power=3) | PersistenceMedianLastN(n=4)");
}

std::string_view trimmed(std::string_view text) {
  constexpr const char* blanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// The parts between separators that are in no bracket, trimmed. Throws Error for brackets that do not match.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::string closing;  // what the open brackets wait for
  std::size_t begin = 0;
  for (std::size_t position = 0; position < text.size(); ++position) {
    const char letter = text[position];
    if (letter == '(') closing += ')';
    if (letter == '[') closing += ']';
    if (letter == ')' || letter == ']') {
      if (closing.empty() || closing.back() != letter)
        throw no_pipeline(text, fmt::format("'{}' closes nothing", letter));
      closing.pop_back();
    }
    if (letter != separator || !closing.empty()) continue;
    parts.push_back(trimmed(text.substr(begin, position - begin)));
    begin = position + 1;
  }
  if (!closing.empty()) throw no_pipeline(text, fmt::format("'{}' is missing", closing.back()));
  parts.push_back(trimmed(text.substr(begin)));
  return parts;
}

Stage parse_stage(std::string_view text) {
  const std::size_t bracket = text.find('(');
  Stage stage{.name = std::string(trimmed(text.substr(0, bracket)))};
  if (bracket == std::string_view::npos) return stage;
  if (text.back() != ')') throw no_pipeline(text, "a '|' is missing after ')'");
  const std::string_view inside = trimmed(text.substr(bracket + 1, text.size() - bracket - 2));
  if (inside.empty()) return stage;
  for (const std::string_view argument : split(inside, ',')) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string_view::npos || equals == 0)
      throw no_pipeline(text, fmt::format("\"{}\" is no name=value", argument));
    stage.arguments.emplace_back(trimmed(argument.substr(0, equals)), trimmed(argument.substr(equals + 1)));
  }
  return stage;
}

std::vector<Stage> parse(std::string_view text) {
  constexpr std::size_t limit = 4096;  // nesting is bounded by it too
  if (text.size() > limit)
    throw support::usage_error(fmt::format("a load model is described by {} characters", text.size()),
                               fmt::format("use at most {}", limit));
  std::vector<Stage> stages;
  for (const std::string_view part : split(text, '|')) {
    if (part.empty()) throw no_pipeline(text, "a name is missing");
    stages.push_back(parse_stage(part));
  }
  return stages;
}

/// The models that something stands on, by name. Each may be there once: most ask the one below for several
/// loads, so that a long pipeline of them would never end.
using Names = std::set<std::string>;

LoadModelPtr build(const std::vector<Stage>& stages, LoadModelPtr model, Names& below);

std::uint64_t collection_number(const std::string& text) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end)
    throw support::usage_error(fmt::format("\"{}\" of PerCollection is no number of a collection", text),
                               "give the collection_id of the files, as in " + PerCollection::info().example);
  return number;
}

LoadModelPtr build_per_collection(const Stage& stage, const LoadModelPtr& base, Names& below) {
  PerCollection::Models models;
  const Names below_all = below;
  for (const auto& [name, pipeline] : stage.arguments) {
    Names below_this = below_all;
    const auto [entry, is_new] =
        models.emplace(collection_number(name), build(parse(pipeline), base, below_this));
    below.merge(below_this);
    if (!is_new)
      throw support::usage_error(fmt::format("PerCollection has collection {} twice", entry->first),
                                 "give it once");
  }
  return std::make_shared<PerCollection>(base, std::move(models));
}

LoadModelPtr build(const Stage& stage, LoadModelPtr base, Names& below) {
  const LoadModelInfo& info = load_model_info(stage.name);
  if (info.name == PerCollection::info().name) return build_per_collection(stage, base, below);
  const bool may_repeat = info.name == persistence || info.name == MultiplePhases::info().name;
  if (!may_repeat && !below.insert(info.name).second)
    throw support::usage_error(fmt::format("{} stands on another {}", info.name, info.name), "name it once");
  if (!info.make)
    throw support::usage_error(fmt::format("{} does not stand on another model", info.name),
                               "write it first, or leave it out");
  ParameterMap given;
  for (const auto& [name, value] : stage.arguments)
    if (!given.emplace(name, value).second)
      throw support::usage_error(fmt::format("parameter \"{}\" of {} is given twice", name, info.name),
                                 "give it once");
  return info.make(std::move(base), Parameters(info.name, info.parameters, given));
}

LoadModelPtr build(const std::vector<Stage>& stages, LoadModelPtr model, Names& below) {
  for (const Stage& stage : stages) model = build(stage, std::move(model), below);
  return model;
}

}  // namespace

LoadModelPtr make_load_model(std::string_view pipeline) {
  std::vector<Stage> stages = parse(pipeline);
  if (stages.front().name == raw) {
    Parameters(raw, load_model_info(raw).parameters,
               {stages.front().arguments.begin(), stages.front().arguments.end()});  // has none
    stages.erase(stages.begin());
  }
  if (stages.empty() || stages.front().name != persistence)
    stages.insert(stages.begin(), {.name = persistence});
  Names below;
  return build(stages, std::make_shared<RawData>(), below);
}

}  // namespace plimsoll::balance
