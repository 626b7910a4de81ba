#include "runtime/recording/inferred_loads.hpp"

#include <algorithm>
#include <utility>

#include <plimsoll/support/contract.hpp>

#include "runtime/recording/object_features.hpp"
#include "runtime/recording/thread_work.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

void ObjectFeatures::start(std::vector<std::string> names) {
  names_ = std::move(names);
  values_.clear();
  known_.clear();
  packs_.clear();
}

void ObjectFeatures::set(std::uint32_t slot, std::span<const double> features) {
  PLIMSOLL_EXPECT(features.size() == names_.size());
  if (slot >= known_.size()) {
    known_.resize(slot + std::size_t{1});
    values_.resize(known_.size() * names_.size());
  }
  known_[slot] = true;
  std::ranges::copy(features, values_.begin() + static_cast<std::ptrdiff_t>(slot * names_.size()));
}

void ObjectFeatures::remove(std::uint32_t slot) {
  if (slot < known_.size()) known_[slot] = false;
  packs_.erase(slot);
}

InferredLoads::InferredLoads(Recording& recording, const std::vector<std::string>& features)
    : recording_(recording), model_(features) {}

balance::PhaseFeatures InferredLoads::measure() {
  balance::PhaseFeatures phase;
  error_ = {};
  time_s_ = 0;
  if (!recording_.meter.is_on()) return phase;
  std::map<int, balance::PackTime> packs;
  double measured_s = 0;
  const ObjectRegistry& objects = recording_.objects;
  for (std::uint32_t slot = ObjectSlots::first_object; slot < objects.size(); ++slot) {
    const std::span<const double> features = objects.features()[slot];
    if (!objects[slot].alive || features.empty()) continue;
    phase.objects.add_object(features);
    balance::PackTime& pack = packs[objects.features().pack(slot)];
    for (std::size_t feature = 0; feature < features.size(); ++feature)
      pack.features[feature] += features[feature];
    measured_s += recording_.loads.seconds(slot);
  }
  double of_packs_s = 0;
  for (const auto& [number, time_s] : pack_times_s_) {
    const auto pack = packs.find(number);
    if (pack == packs.end()) continue;
    pack->second.time_s = time_s;
    of_packs_s += time_s;
  }
  if (const auto rest = packs.find(ObjectFeatures::of_rank); rest != packs.end()) {
    const double rank_s = recording_.loads.count_background_as_objects();
    rest->second.time_s = std::max(0.0, rank_s + measured_s - of_packs_s);
  } else {
    recording_.loads.count_as_objects(of_packs_s);
  }
  for (const auto& [number, pack] : packs) {
    time_s_ += pack.time_s;
    // No time was passed for this pack: that tells nothing.
    if (number == ObjectFeatures::of_rank || pack_times_s_.contains(number)) phase.packs.push_back(pack);
  }
  return phase;
}

void InferredLoads::set_loads() {
  balance::FeatureValues of_rank{};
  const ObjectRegistry& objects = recording_.objects;
  if (!recording_.meter.is_on() || !model_.has_costs()) return;
  for (std::uint32_t slot = ObjectSlots::first_object; slot < objects.size(); ++slot) {
    const std::span<const double> features = objects.features()[slot];
    if (!objects[slot].alive || features.empty()) continue;
    recording_.loads.replace_measured(slot, model_.load_s(features));
    for (std::size_t feature = 0; feature < features.size(); ++feature) of_rank[feature] += features[feature];
  }
  const auto features = std::span(of_rank).first(model_.features().size());
  error_ = {.unexplained_s = time_s_ - model_.load_s(features), .deviation_s = model_.deviation_s(features)};
}

void InferredLoads::add_to(UserValues& values, bool is_first_rank) const {
  if (!model_.has_costs()) return;
  values.set(balance::inferred_time_name, time_s_);
  if (is_first_rank) values.set_json(balance::inferred_costs_name, balance::to_json(model_.result()));
}

}  // namespace plimsoll::runtime
