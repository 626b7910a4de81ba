#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/object.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

/// Returns a checksum of the serialised state of an element. It does not depend on the order of the bytes,
/// because an unordered container may have another order after it was read.
std::uint64_t state_checksum(std::span<const std::byte> bytes);

/// Checks that migrations neither lose nor duplicate elements.
class Conservation {
 public:
  using NameOf = std::function<std::string(runtime::ObjectId)>;  ///< returns the name of an element

  /// Notes the elements on this rank before the migrations.
  void begin(const std::vector<runtime::ObjectId>& here);
  /// Note an element that is created or destroyed on this rank until end().
  void created(runtime::ObjectId element) { ++surplus_[element]; }
  void destroyed(runtime::ObjectId element) { --surplus_[element]; }
  /// Compares these with the elements that are on this rank now, for all ranks together. Collective. Throws
  /// Error (system) on all ranks that names an element if it is on too few or too many ranks.
  void end(const mpi::Communicator& ranks, const std::vector<runtime::ObjectId>& here, const NameOf& name_of);

 private:
  // How often an element was on this rank, minus how often it is.
  std::unordered_map<runtime::ObjectId, std::int64_t> surplus_;
};

}  // namespace plimsoll::objects
