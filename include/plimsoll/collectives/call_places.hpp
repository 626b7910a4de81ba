#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::inline v0_1::collectives {

/// Where calls were made.
struct CallPlace {
  const Communicator* communicator = nullptr;  ///< null if not known
  /// Rank in MPI_COMM_WORLD of each rank of the communicator; empty if not known. Those of all ranks led by
  /// rank 0 are taken for MPI_COMM_WORLD's if nothing tells otherwise.
  const std::vector<std::uint32_t>* members = nullptr;
  NumberList calls;

  bool is_inter() const { return communicator != nullptr && !communicator->remote_members.empty(); }
};

/// Finds the communicators that the calls of a lead were on: equal counts on two of them are one signature.
/// Refers to the lead. Makes lists of members when they are asked for, so one thread at a time may ask.
class CallPlaces {
 public:
  CallPlaces(const Profile& profile, const Lead& lead);

  /// The calls of a signature by communicator, those of which it is not known last.
  std::vector<CallPlace> of(const Signature& signature) const;
  /// That of a communicator, without calls.
  CallPlace of_communicator(std::uint32_t id, std::uint32_t comm_size) const;
  /// That of one call.
  CallPlace of_call(const Signature& signature, std::uint64_t call) const;
  /// How many members of communicators are listed so far, at most 2^25: beyond that they are not known.
  std::uint64_t listed_members() const { return listed_members_; }

 private:
  struct CommunicatorCalls {
    NumberList::Run calls;
    std::size_t communicator;
  };
  CallPlace place(std::size_t communicator, std::uint32_t comm_size) const;
  CallPlace unknown_place(std::uint32_t comm_size) const;
  /// Whether the members are listed now.
  bool expand_members(std::size_t communicator) const;

  const Lead& lead_;
  mutable std::vector<std::vector<std::uint32_t>> members_;  // of each communicator; empty if not yet listed
  mutable std::uint64_t listed_members_ = 0;
  std::vector<std::uint32_t> world_;  // 0, 1, 2 ...; only for rank 0
  std::array<std::vector<CommunicatorCalls>, Operation::count> communicator_calls_;  // ascending
};

}  // namespace plimsoll::collectives
