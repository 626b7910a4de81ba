#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "objects/soak/walker.hpp"

namespace plimsoll::testing {

/// What an element or a member of a group has received since it was created.
struct Received {
  std::int64_t letters = 0;
  std::uint64_t sum = 0;

  void add(const Letter& letter) {
    ++letters;
    sum += letter.value();
  }
  bool operator==(const Received&) const = default;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(letters, sum);
  }
};

/// Receiver of a letter: an element, or the member of the group on a rank.
struct Receiver {
  bool is_member = false;
  std::uint64_t number = 0;
};

/// Knows what all elements and members of the group should have received. Every rank has the same oracle,
/// which expects each letter before it is sent.
class Oracle {
 public:
  explicit Oracle(int ranks) : members(static_cast<std::size_t>(ranks)) {}

  struct Life {
    std::uint64_t birth = 0;  ///< number that the element was created with
    Received received;
  };
  std::map<std::uint64_t, Life> elements;  ///< by position
  std::vector<Received> members;           ///< by rank

  /// Elements that letters may be sent to until the next quiet: those that are neither new nor about to be
  /// destroyed.
  std::vector<std::uint64_t> reachable;

  /// Returns to whom a letter goes next.
  Receiver receiver(const Letter& letter) const {
    const std::uint64_t chosen = letter.value() % (reachable.size() + members.size());
    if (chosen < reachable.size()) return {.number = reachable[chosen]};
    return {.is_member = true, .number = chosen - reachable.size()};
  }
  /// Expects a letter that starts a chain: each receiver sends the rest of it on.
  void expect_chain(std::uint64_t id, int hops) {
    for (; hops >= 0; --hops) {
      const Letter letter(id, hops);
      const Receiver to = receiver(letter);
      (to.is_member ? members[to.number] : elements.at(to.number).received).add(letter);
    }
  }
  void expect_broadcast(const Letter& letter) {
    for (auto& [number, life] : elements) life.received.add(letter);
  }
};

}  // namespace plimsoll::testing
