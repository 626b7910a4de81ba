#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

/// Communicator on which calls were made, and its members.
struct CallPlace {
  const Communicator* communicator = nullptr;  ///< null if unknown
  /// Rank in MPI_COMM_WORLD of each rank of the communicator; empty if unknown. A communicator of all ranks
  /// whose lead is rank 0 is assumed to have the members of MPI_COMM_WORLD, unless the profile contains other
  /// members.
  const std::vector<std::uint32_t>* members = nullptr;
  NumberList calls;
  bool counted_elsewhere = false;  ///< is_counted_elsewhere()

  /// Returns the size of the remote group of an inter-communicator; 0 for other communicators.
  std::uint32_t remote_size() const {
    return communicator == nullptr ? 0 : static_cast<std::uint32_t>(communicator->remote_members.size());
  }
};

/// Finds the communicators on which a lead's calls were made. This requires a search because calls with equal
/// counts on two communicators share one count set. Refers to the lead. Builds member lists on demand, so
/// only one thread at a time may use an object of this class.
class CallPlaces {
 public:
  CallPlaces(const Profile& profile, const Lead& lead);

  /// Returns the calls of a count set, grouped by communicator. Calls whose communicator is unknown come
  /// last.
  std::vector<CallPlace> of(const Signature& signature) const;
  /// Returns the same, by CallPlace::remote_size(). A rank sends the same data in all calls of a group.
  std::map<std::uint32_t, std::vector<CallPlace>> by_remote_size(const Signature& signature) const;
  /// Returns a communicator and its members, without calls.
  CallPlace of_communicator(std::uint32_t id, std::uint32_t comm_size) const;
  /// Returns the communicator and members of one call.
  CallPlace of_call(const Signature& signature, std::uint64_t call) const;
  /// Returns the total number of listed communicator members, at most 2^25. Members beyond this limit are
  /// treated as unknown.
  std::uint64_t listed_members() const { return listed_members_; }

 private:
  struct CommunicatorCalls {
    NumberList::Run calls;
    std::size_t communicator;
  };
  CallPlace place(std::size_t communicator, std::uint32_t comm_size) const;
  CallPlace unknown_place(std::uint32_t comm_size) const;
  /// Lists the members of a communicator if the limit allows it. Returns whether its members are listed.
  bool expand_members(std::size_t communicator) const;

  const Lead& lead_;
  std::vector<bool> counted_elsewhere_;  // by communicator
  // Members per communicator; empty if not yet listed.
  mutable std::vector<std::vector<std::uint32_t>> members_;
  mutable std::uint64_t listed_members_ = 0;
  std::vector<std::uint32_t> world_;  // ranks 0, 1, 2 ...; only for rank 0
  std::array<std::vector<CommunicatorCalls>, Operation::count> communicator_calls_;  // ascending
};

}  // namespace plimsoll::collectives
