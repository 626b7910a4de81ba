#pragma once

#include <cstdint>
#include <vector>

#include "runtime/recording/first_error.hpp"
#include "runtime/recording/phase_observer.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// The observers of a recorder's phases, in the order in which they are called.
class PhaseObservers {
 public:
  /// Stores a reference to `errors`, which receives the errors of the observers and must outlive this object.
  explicit PhaseObservers(FirstError& errors) : errors_(errors) {}

  /// Adds an observer, which must outlive this object. At most 32 observers can be added.
  void add(PhaseObserver& observer);

  /// Calls each observer, also after one that has thrown.
  template <class Call>
  void notify(const Call& call) {
    is_calling_ = true;
    for (PhaseObserver* observer : observers_) errors_.guard([&] { call(*observer); });
    is_calling_ = false;
  }
  /// Returns whether notify() is calling an observer.
  bool is_calling() const { return is_calling_; }

  /// Returns whether any observer needs the values of tasks.
  bool need_values() const;
  /// Returns the observers that require an action of all ranks: bit k stands for observer k.
  std::uint32_t in_need() const;
  /// Collective: lets the observers act that in_need() has returned on any rank.
  void act_on_all_ranks(std::uint32_t in_need);

 private:
  FirstError& errors_;
  std::vector<PhaseObserver*> observers_;
  bool is_calling_ = false;
};

}  // namespace plimsoll::runtime
