#include <fmt/format.h>

#include <plimsoll/balance/load_models.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

double load_of(const ShippedLoads& loads, PhaseOffset when) {
  if (when.is_past())
    throw support::usage_error("only the next phase is known for an arriving object",
                               "use the underlying model for past phases");
  if (when.is_whole()) return loads.whole_s;
  return when.subphase < loads.of_subphase_s.size() ? loads.of_subphase_s[when.subphase] : 0;
}

}  // namespace

ShippedObject ProposedReassignment::ship(const LoadModel& model, ObjectIndex object) {
  ShippedObject shipped{.modelled = {.whole_s = model.load_s(object, {})},
                        .raw = {.whole_s = model.raw_load_s(object, {})}};
  for (std::uint32_t subphase = 0; subphase < model.n_subphases(object); ++subphase) {
    shipped.modelled.of_subphase_s.push_back(model.load_s(object, {.subphase = subphase}));
    shipped.raw.of_subphase_s.push_back(model.raw_load_s(object, {.subphase = subphase}));
  }
  return shipped;
}

ProposedReassignment::ProposedReassignment(LoadModelPtr base, const std::vector<ObjectIndex>& departing,
                                           std::vector<ShippedObject> arriving)
    : ComposedModel(std::move(base)), arriving_(std::move(arriving)) {
  std::vector<bool> departs(this->base().n_objects());
  for (const ObjectIndex object : departing) {
    if (object >= departs.size())
      throw support::usage_error(
          fmt::format("object {} cannot depart: the model has only {} objects", object, departs.size()));
    departs[object] = true;
  }
  for (ObjectIndex object = 0; object < departs.size(); ++object)
    if (!departs[object]) staying_.push_back(object);
}

double ProposedReassignment::load_s(ObjectIndex object, PhaseOffset when) const {
  return stays(object) ? base().load_s(staying_[object], when) : load_of(arrived(object).modelled, when);
}

double ProposedReassignment::raw_load_s(ObjectIndex object, PhaseOffset when) const {
  return stays(object) ? base().raw_load_s(staying_[object], when) : load_of(arrived(object).raw, when);
}

double ProposedReassignment::communication(ObjectIndex object, PhaseOffset when) const {
  return stays(object) ? base().communication(staying_[object], when) : 0;
}

OffRankTraffic ProposedReassignment::traffic(ObjectIndex object, PhaseOffset when) const {
  return stays(object) ? base().traffic(staying_[object], when) : OffRankTraffic{};
}

std::size_t ProposedReassignment::n_past_phases(ObjectIndex object) const {
  return stays(object) ? base().n_past_phases(staying_[object]) : 0;
}

std::uint32_t ProposedReassignment::n_subphases(ObjectIndex object) const {
  return stays(object) ? base().n_subphases(staying_[object])
                       : static_cast<std::uint32_t>(arrived(object).modelled.of_subphase_s.size());
}

std::optional<lbdata::WideInteger> ProposedReassignment::collection(ObjectIndex object) const {
  return stays(object) ? base().collection(staying_[object]) : std::nullopt;
}

}  // namespace plimsoll::balance
