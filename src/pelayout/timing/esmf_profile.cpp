#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include <plimsoll/pelayout/esmf_profile.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "pelayout/timing/timing_line.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

// Limits far above real files, which have some thousand regions in at most 20 levels.
constexpr std::size_t max_region_line_bytes = 65536;
constexpr std::size_t max_regions = 100'000;
constexpr std::size_t max_region_depth = 1000;

constexpr std::size_t indent_per_level = 2;
constexpr const char* esmf_advice = "use the file ESMF_Profile.summary of a complete run";

/// Columns after the name, in this order; "PEs" may be missing.
constexpr std::array<std::string_view, 8> column_words = {"PETs",    "PEs",     "Count",   "Mean (s)",
                                                          "Min (s)", "Min PET", "Max (s)", "Max PET"};

/// Returns whether a line is the heading of the table, with any number of spaces between its words.
bool is_table_heading(std::string_view line) {
  return support::take_word(line) == "Region" && support::take_word(line) == "PETs";
}

/// Returns whether the headings are those above. `has_pes` tells whether "PEs" is among them.
bool has_known_columns(std::string_view heading, bool has_pes) {
  support::take_word(heading);
  for (const std::string_view column : column_words) {
    if (column == "PEs" && !has_pes) continue;
    for (std::string_view words = column; !words.empty();)
      if (support::take_word(heading) != support::take_word(words)) return false;
  }
  return support::trimmed(heading).empty();
}

/// Removes the last word of a line and returns it; empty if the line is blank.
std::string_view take_last_word(std::string_view& line) {
  line = line.substr(0, line.find_last_not_of(support::blanks) + 1);
  const std::size_t space = line.find_last_of(support::blanks);
  const std::size_t begin = space == std::string_view::npos ? 0 : space + 1;
  const std::string_view word = line.substr(begin);
  line = line.substr(0, begin);
  return word;
}

/// Reads a profile line by line: a remark on connectors, the heading of the table, and one line per region.
class EsmfReader {
 public:
  explicit EsmfReader(const std::string& path) { profile_.path = path; }

  EsmfProfile read(std::string_view text) {
    support::LineReader lines(text);
    for (; !lines.at_end(); lines.advance()) {
      const TimingLine line(lines.line().substr(0, max_region_line_bytes), lines.number(), profile_.path);
      if (lines.line().size() > max_region_line_bytes) throw line.error("line too long for an ESMF profile");
      if (lines.is_cut()) throw line.error("the file ends in this line", "copy it again");
      if (!has_heading_)
        read_heading(lines.line(), line);
      else if (!line.blank())
        read_region(lines.line(), line);
    }
    const TimingLine end({}, lines.number(), profile_.path);
    if (!has_heading_) throw end.error("not an ESMF profile: missing line \"Region  PETs ...\"", esmf_advice);
    if (profile_.regions.empty()) throw end.error("missing regions", esmf_advice);
    compare_with_regions_inside();
    return std::move(profile_);
  }

 private:
  void read_heading(std::string_view text, const TimingLine& line) {
    if (!is_table_heading(text)) return;
    has_pes_ = line.word(2) == "PEs";
    if (!has_known_columns(text, has_pes_))
      throw line.error("unknown columns: expected PETs, PEs, Count, Mean, Min, Min PET, Max, Max PET");
    has_heading_ = true;
  }

  void read_region(std::string_view text, const TimingLine& line) {
    if (is_table_heading(text))
      throw line.error("second ESMF profile in this file", "use a separate file for each");
    if (profile_.regions.size() == max_regions)
      throw line.error(fmt::format("more than {} regions", max_regions));
    EsmfRegion region;
    region.line = line.number();
    region.depth = depth_of(text, line);
    std::string_view rest = text;
    region.maximum_pet = line.count_of(take_last_word(rest), "the slowest PET", 0);
    region.maximum_s = line.number_of(take_last_word(rest), "the maximum time");
    region.minimum_pet = line.count_of(take_last_word(rest), "the fastest PET", 0);
    region.minimum_s = line.number_of(take_last_word(rest), "the minimum time");
    region.mean_s = line.number_of(take_last_word(rest), "the mean time");
    if (const std::string_view count = take_last_word(rest); count != "MULTIPLE")
      region.count = line.count_of(count, "the count", 0);
    if (has_pes_) region.pes = line.count_of(take_last_word(rest), "the number of PEs", 1);
    region.pets = line.count_of(take_last_word(rest), "the number of PETs", 1);
    region.name = support::trimmed(rest);
    if (region.name.empty()) throw line.error("the line has no name of a region", "copy the file again");
    check(region, line);
    if (!profile_.regions.empty() && repeats(region, profile_.regions.back()))
      throw line.error(fmt::format("repeats line {}", profile_.regions.back().line), "copy the file again");
    profile_.regions.push_back(std::move(region));
  }

  /// Returns the depth from the indentation. The first region is the outermost one.
  std::size_t depth_of(std::string_view text, const TimingLine& line) {
    const std::size_t indent = text.find_first_not_of(' ');
    if (profile_.regions.empty()) {
      first_indent_ = indent;
      return 0;
    }
    const std::size_t outer = profile_.regions.back().depth;
    if (indent < first_indent_ || (indent - first_indent_) % indent_per_level != 0)
      throw line.error("the indentation fits to no region above", "copy the file again");
    const std::size_t depth = (indent - first_indent_) / indent_per_level;
    if (depth == 0) throw line.error("second outermost region", "use a separate file for each run");
    if (depth > outer + 1) throw line.error("lines are missing above this region", "copy the file again");
    if (depth > max_region_depth) throw line.error(fmt::format("more than {} levels", max_region_depth));
    return depth;
  }

  /// Returns whether a line repeats another one: ESMF sums up the times of regions with the same name.
  static bool repeats(const EsmfRegion& region, const EsmfRegion& before) {
    return region.maximum_s > 0 && std::tie(region.depth, region.name, region.mean_s, region.maximum_s) ==
                                       std::tie(before.depth, before.name, before.mean_s, before.maximum_s);
  }

  static constexpr double rounding_s = 1e-4;  // times have four decimal digits

  /// Tolerance of times: ESMF sums up numbers of about seven digits.
  static double tolerance_s(double seconds) { return 2 * rounding_s + 1e-5 * seconds; }

  void check(const EsmfRegion& region, const TimingLine& line) const {
    const double tolerance = tolerance_s(region.maximum_s);
    if (region.mean_s < region.minimum_s - tolerance || region.mean_s > region.maximum_s + tolerance)
      throw line.error(fmt::format("invalid mean time {}: must be between the minimum {} and the maximum {}",
                                   region.mean_s, region.minimum_s, region.maximum_s));
    const std::int64_t ranks = profile_.regions.empty() ? region.pets : profile_.regions.front().pets;
    for (const std::int64_t pet : {region.minimum_pet, region.maximum_pet})
      if (pet >= ranks)
        throw line.error(fmt::format("invalid PET {}: the run has {} PETs, from 0", pet, ranks));
  }

  /// Throws if regions took more time, or PETs, than the region around them. Times are compared as sums over
  /// PETs.
  void compare_with_regions_inside() const {
    std::vector<std::size_t> around;  // indices of the regions around the current one
    std::vector<double> inside_s(profile_.regions.size());
    for (std::size_t k = 0; k < profile_.regions.size(); ++k) {
      const EsmfRegion& region = profile_.regions[k];
      around.resize(region.depth);
      if (!around.empty()) {
        const EsmfRegion& outer = profile_.regions[around.back()];
        const TimingLine line({}, region.line, profile_.path);
        if (region.pets > outer.pets)
          throw line.error(fmt::format("{} PETs, but the region around it ({}, line {}) has {}", region.pets,
                                       support::in_quotes(outer.name, 60), outer.line, outer.pets));
        if (region.maximum_s > outer.maximum_s + tolerance_s(outer.maximum_s))
          throw line.error(
              fmt::format("a maximum of {} s, but the region around it ({}, line {}) takes at most {} s",
                          region.maximum_s, support::in_quotes(outer.name, 60), outer.line, outer.maximum_s),
              "copy the file again");
        double& sum_s = inside_s[around.back()];
        sum_s += std::max(0.0, region.mean_s - rounding_s) * static_cast<double>(region.pets);
        const double outer_s = (outer.mean_s + tolerance_s(outer.mean_s)) * static_cast<double>(outer.pets);
        if (sum_s > outer_s)
          throw line.error(
              fmt::format("with this region, the regions in {} (line {}) take longer than it does",
                          support::in_quotes(outer.name, 60), outer.line),
              "copy the file again");
      }
      around.push_back(k);
    }
  }

  EsmfProfile profile_;
  bool has_heading_ = false;
  bool has_pes_ = false;
  std::size_t first_indent_ = 0;
};

}  // namespace

std::size_t EsmfProfile::end_of(std::size_t region) const {
  std::size_t end = region + 1;
  while (end < regions.size() && regions[end].depth > regions[region].depth) ++end;
  return end;
}

bool is_esmf_profile(std::string_view text) {
  constexpr std::size_t max_heading_lines = 200;  // a remark on each connector may precede
  const std::string_view first = support::trimmed(first_line(text));
  if (is_table_heading(first)) return true;
  if (first.find_first_not_of('*') != std::string_view::npos) return false;
  support::LineReader lines(text);
  for (std::size_t k = 0; k < max_heading_lines && !lines.at_end(); ++k, lines.advance())
    if (is_table_heading(lines.line()) || lines.line().starts_with("IMPORTANT: Large deviations"))
      return true;
  return false;
}

EsmfProfile parse_esmf_profile(std::string_view text, const std::string& path) {
  return EsmfReader(path).read(text);
}

}  // namespace plimsoll::pelayout
