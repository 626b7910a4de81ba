#include "interpose/parts/region_stack.hpp"

#include <fmt/format.h>

#include <utility>

#include <plimsoll/support/internal/text.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

std::string_view cut(std::string_view name) {
  return support::utf8_prefix(name, RegionStack::max_name_bytes);
}

}  // namespace

void RegionStack::begin(std::string_view name) {
  if (name.empty())
    return note("plimsoll_region_begin() was called without a name and ignored; specify a name");
  if (open_.size() == max_depth)
    return note(
        fmt::format("more than {} regions were open at the same time, and calls of plimsoll_region_begin() "
                    "were ignored; call plimsoll_region_end() once per plimsoll_region_begin()",
                    max_depth));
  open_.push_back(add(cut(name)));
}

void RegionStack::end(std::string_view name) {
  if (open_.empty())
    return note(
        fmt::format("plimsoll_region_end({}) was called outside all regions and ignored; call "
                    "plimsoll_region_begin({}) first",
                    support::in_quotes(cut(name)), support::in_quotes(cut(name))));
  const Region region = find(cut(name));
  if (region != open_.back())
    return note(
        fmt::format("plimsoll_region_end({}) was called in region {} and ignored; call "
                    "plimsoll_region_end() for the innermost region first",
                    support::in_quotes(cut(name)), support::in_quotes(name_of(open_.back()))));
  open_.pop_back();
}

void RegionStack::set_level(int level) {
  level_ = level >= 2 ? add(fmt::format("level {}", level)) : no_region;
}

std::string RegionStack::problem_at_end() const {
  if (!problem_.empty() || open_.empty()) return problem_;
  return fmt::format("region {} was open at MPI_Finalize; call plimsoll_region_end({}) before",
                     support::in_quotes(name_of(open_.back())), support::in_quotes(name_of(open_.back())));
}

Region RegionStack::add(std::string_view name) {
  const auto found = numbers_.find(name);
  if (found != numbers_.end()) return found->second;
  if (names_.size() == max_named_regions) {
    note(
        fmt::format("regions have more than {} names, so region \"other\" contains the rest; use fewer names",
                    max_named_regions));
    return other_regions;
  }
  names_.emplace_back(name);
  return numbers_.emplace(name, static_cast<Region>(names_.size())).first->second;
}

Region RegionStack::find(std::string_view name) const {
  const auto found = numbers_.find(name);
  if (found != numbers_.end()) return found->second;
  return names_.size() == max_named_regions ? other_regions : no_region;
}

std::string RegionStack::name_of(Region region) const {
  return region == other_regions ? "other" : names_[region - 1];
}

void RegionStack::note(std::string problem) {
  if (problem_.empty()) problem_ = std::move(problem);
}

}  // namespace plimsoll::interpose
