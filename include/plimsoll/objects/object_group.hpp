#pragma once

#include <string>

#include <plimsoll/objects/collection.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

/// One object of type T, derived from Element<T>, on each rank. The members of a group receive messages like
/// the elements of a Collection, and never migrate: `group[{rank}].send<&Solver::add>(3)`.
template <class T>
class ObjGroup : public Collection<T> {
 public:
  /// Collective. Constructs this rank's member from these arguments.
  template <class... Each>
  explicit ObjGroup(ObjectSystem& system, const std::string& name, const Each&... arguments)
      : Collection<T>(
            system, {.bounds = {{system.rank_count()}}, .map = block_map, .migratable = false, .name = name},
            true) {
    this->create_all(arguments...);
  }

  /// Returns this rank's member.
  T& local() { return *this->find({this->system().rank()}); }
};

}  // namespace plimsoll::objects

namespace plimsoll::PLIMSOLL_ABI {
using objects::ObjGroup;
}  // namespace plimsoll
