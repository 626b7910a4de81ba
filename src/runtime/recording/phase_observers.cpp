#include "runtime/recording/phase_observers.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

constexpr std::size_t max_observers = std::numeric_limits<std::uint32_t>::digits;  // one bit per observer

}  // namespace

void PhaseObservers::add(PhaseObserver& observer) {
  PLIMSOLL_EXPECT(observers_.size() < max_observers);
  observers_.push_back(&observer);
}

bool PhaseObservers::need_values() const {
  return std::ranges::any_of(observers_, &PhaseObserver::needs_values);
}

std::uint32_t PhaseObservers::in_need() const {
  std::uint32_t bits = 0;
  for (std::size_t k = 0; k < observers_.size(); ++k)
    if (observers_[k]->needs_all_ranks()) bits |= std::uint32_t{1} << k;
  return bits;
}

void PhaseObservers::act_on_all_ranks(std::uint32_t in_need) {
  for (std::size_t k = 0; k < observers_.size(); ++k)
    if ((in_need >> k & 1) != 0) errors_.guard([&] { observers_[k]->act_on_all_ranks(); });
}

}  // namespace plimsoll::runtime
