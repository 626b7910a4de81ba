#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <plimsoll/collectives/internal/frame_names.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Numbers the places in the source code that make calls. Compilers make several machine instructions from
/// one call, e.g. by unrolling a loop: all calls at one line of a function are one place. Addresses whose
/// line is unknown, or may be that of statements around the call, are one place each.
class CodePlaces {
 public:
  /// Number of a place, from 0.
  using Number = std::uint32_t;

  /// Returns the number of the place that makes the call returning to an address.
  Number number_of(const CodeAddress& address);
  /// Returns the text of a place (MpiCalls::Site::location), at the lowest of its addresses.
  const std::string& location(Number place) const { return places_[place].location; }
  /// Returns whether a place is in the function with which programs begin.
  bool is_in_main(Number place) const { return places_[place].is_in_main; }

 private:
  /// Module, function, file and line of a call.
  using Line = std::tuple<std::string, std::string, std::string, int>;

  struct Place {
    std::uint64_t lowest_offset = UINT64_MAX;
    std::string location;
    bool is_in_main = false;
  };

  Number add_place(const CodeAddress& code, const SourcePlace& source);
  /// Marks the location of a place whose line is also that of another place.
  void mark_shared_line(Number place);

  std::unique_ptr<FrameNames> names_ = std::make_unique<FrameNames>();
  std::map<std::pair<std::string, std::uint64_t>, Number> of_addresses_;
  std::map<Line, Number> of_lines_;  ///< the first place with this line
  std::vector<Place> places_;
};

}  // namespace plimsoll::collectives
