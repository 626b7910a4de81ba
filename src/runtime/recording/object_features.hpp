#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Features of the objects on this rank by slot, from which LoadRecorder::infer_loads() infers their loads,
/// and the packs to which the objects belong. Both are kept until they are changed or removed.
class ObjectFeatures {
 public:
  /// Pack of the objects whose time is not passed separately: the rank.
  static constexpr int of_rank = -1;

  /// Removes all features; from now on, objects have features with these names.
  void start(std::vector<std::string> names);
  /// Returns the names; empty before start().
  const std::vector<std::string>& names() const { return names_; }

  /// Sets the features of an object; requires a value per name. Amortised O(1).
  void set(std::uint32_t slot, std::span<const double> features);
  /// Sets the pack of an object, or of_rank.
  void set_pack(std::uint32_t slot, int pack) { packs_[slot] = pack; }
  void remove(std::uint32_t slot);

  /// Returns the features of an object; empty if it has none.
  std::span<const double> operator[](std::size_t slot) const {
    if (slot >= known_.size() || !known_[slot]) return {};
    return std::span(values_).subspan(slot * names_.size(), names_.size());
  }
  int pack(std::uint32_t slot) const {
    const auto found = packs_.find(slot);
    return found == packs_.end() ? of_rank : found->second;
  }

 private:
  std::vector<std::string> names_;
  std::vector<double> values_;  // one per name and slot
  std::vector<bool> known_;     // whether an object has features, by slot
  std::map<std::uint32_t, int> packs_;
};

}  // namespace plimsoll::runtime
