#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <plimsoll/collectives/internal/part_times.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

using collectives::max_named_regions;
using collectives::no_region;
using collectives::other_regions;
using collectives::Region;

/// The regions in which one thread is. Regions nest, within a level that stays until the next one. The memory
/// is bounded, whatever the program does.
class RegionStack {
 public:
  static constexpr std::size_t max_depth = 1000;
  static constexpr std::size_t max_name_bytes = 200;  ///< longer names are cut

  void begin(std::string_view name);
  /// Ends the innermost region. If it has another name, the call is a mistake of the program: it is ignored.
  void end(std::string_view name);
  /// Sets the region of the time outside the nested ones: "level N" for N >= 2, otherwise none.
  void set_level(int level);

  /// Returns the innermost region.
  Region current() const { return open_.empty() ? level_ : open_.back(); }
  /// Returns the names of the regions 1, 2, ...
  const std::vector<std::string>& names() const { return names_; }
  /// Returns the first mistake; "" without mistakes.
  const std::string& problem() const { return problem_; }
  /// Returns a mistake if a region is open, because the program ends.
  std::string problem_at_end() const;

 private:
  Region add(std::string_view name);
  Region find(std::string_view name) const;
  std::string name_of(Region region) const;
  void note(std::string problem);

  std::vector<Region> open_;
  Region level_ = no_region;
  std::vector<std::string> names_;
  std::map<std::string, Region, std::less<>> numbers_;
  std::string problem_;
};

}  // namespace plimsoll::interpose
