#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string_view>

#include <plimsoll/documents/data_sets.hpp>
#include <plimsoll/lbdata/statistics_file.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/json_view.hpp>

#include "cli/commands/report/sections.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

/// Throws Error (bad_input) unless the document has the members of a solution that the page needs.
void check_solution(const support::JsonView& document, const std::string& path) {
  const auto all_are = [&](bool (support::JsonView::*of_type)() const,
                           std::initializer_list<std::string_view> names) {
    return std::ranges::all_of(names, [&](std::string_view name) {
      const std::optional<support::JsonView> member = document.find(name);
      return member && ((*member).*of_type)();
    });
  };
  if (all_are(&support::JsonView::is_object, {"layout", "solution"}) &&
      all_are(&support::JsonView::is_array, {"places", "runs", "left_out", "models", "warnings"}))
    return;
  throw Error(ErrorKind::bad_input,
              {.what = "neither LB data, nor a profile, nor the output of plimsoll layout solve",
               .file = path,
               .suggestion = "use plimsoll layout solve --json > FILE"});
}

}  // namespace

void write_statistics_section(support::JsonWriter& json, const std::string& path,
                              const support::SizeLimits& limits) {
  json.begin_object().member("kind", "statistics").member("name", path);
  const std::vector<lbdata::StatisticsRecord> phases = lbdata::read_statistics_file(path, limits);
  json.key("statistics").raw(documents::to_json(documents::StatisticsFileInfo{phases})).end_object();
}

void write_layout_section(support::JsonWriter& json, const std::string& path,
                          const support::SizeLimits& limits) {
  const std::string text = support::read_text_file(path, limits.max_bytes);
  support::JsonParser parser(path);
  check_solution(parser.parse(text), path);
  json.begin_object().member("kind", "layout").member("name", path).key("solution").raw(text).end_object();
}

}  // namespace plimsoll::cli
