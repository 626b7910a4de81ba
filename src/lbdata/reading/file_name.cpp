#include "lbdata/reading/file_name.hpp"

#include <filesystem>

#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

std::optional<std::int64_t> parse_rank(std::string_view digits) {
  if (digits.starts_with('-')) return std::nullopt;
  return support::parse_number<std::int32_t>(digits);
}

}  // namespace

std::string_view without_suffix(std::string_view name, std::string_view suffix) {
  return name.ends_with(suffix) ? name.substr(0, name.size() - suffix.size()) : name;
}

std::optional<ParsedName> parse_name(std::string_view name) {
  name = without_suffix(name, ".br");
  if (!name.ends_with(".json")) return std::nullopt;
  name = without_suffix(name, ".json");
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  const auto rank = parse_rank(name.substr(dot + 1));
  if (!rank) return std::nullopt;
  return ParsedName{name.substr(0, dot), *rank};
}

std::optional<ParsedName> parse_appended_name(std::string_view name) {
  name = without_suffix(name, ".br");
  const std::size_t suffix = name.rfind(".json");
  if (suffix == std::string_view::npos) return std::nullopt;
  const auto rank = parse_rank(name.substr(suffix + 5));
  if (!rank) return std::nullopt;
  return ParsedName{name.substr(0, suffix), *rank};
}

std::optional<std::int64_t> rank_between(std::string_view name, std::string_view prefix,
                                         std::string_view suffix) {
  if (name.size() <= prefix.size() + suffix.size()) return std::nullopt;
  if (!name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
  return parse_rank(name.substr(prefix.size(), name.size() - prefix.size() - suffix.size()));
}

std::string plain_name(const std::string& path) {
  const std::string file = std::filesystem::path(path).filename().string();
  std::string_view name = file;
  for (const char* suffix : {".partial", ".pending", ".unfinished", ".br"})
    name = without_suffix(name, suffix);
  return std::string(name);
}

bool matches(std::string_view name, std::string_view set) {
  const std::size_t mark = set.find("%p");
  if (mark == std::string_view::npos) return name == set;
  return rank_between(name, set.substr(0, mark), set.substr(mark + 2)).has_value();
}

}  // namespace plimsoll::lbdata
