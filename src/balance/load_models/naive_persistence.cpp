#include <algorithm>

#include <plimsoll/balance/load_models.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

PhaseOffset last_if_not_past(PhaseOffset when) {
  return when.is_past() ? when : when.at(-1);
}

}  // namespace

LoadModelInfo NaivePersistence::info() {
  return {.name = "NaivePersistence",
          .help = "assumes that the next phase repeats the last one",
          .example = "NaivePersistence",
          .make = [](LoadModelPtr base, const Parameters&) {
            return std::make_shared<NaivePersistence>(std::move(base));
          }};
}

double NaivePersistence::load_s(ObjectIndex object, PhaseOffset when) const {
  return base().load_s(object, last_if_not_past(when));
}

double NaivePersistence::raw_load_s(ObjectIndex object, PhaseOffset when) const {
  return base().raw_load_s(object, last_if_not_past(when));
}

double NaivePersistence::communication(ObjectIndex object, PhaseOffset when) const {
  return base().communication(object, last_if_not_past(when));
}

std::size_t NaivePersistence::past_phases_needed(std::size_t look_back) const {
  return base().past_phases_needed(std::max<std::size_t>(1, look_back));
}

}  // namespace plimsoll::balance
