#pragma once

#include <cereal/types/vector.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string_view>
#include <vector>

#include <plimsoll/objects.hpp>
#include <plimsoll/support/hash.hpp>

namespace plimsoll::testing {

/// Returns a number that looks random, from two others.
inline std::uint64_t mixed(std::uint64_t first, std::uint64_t second) {
  return support::mix_splitmix64(support::mix_splitmix64(first + support::splitmix64_step) + second);
}

/// Message whose content follows from its number and its hops, so that the receiver can check it.
struct Letter {
  std::uint64_t id = 0;
  int hops = 0;  ///< that it still makes after its receiver
  std::vector<std::uint64_t> words;

  Letter() = default;
  Letter(std::uint64_t id_, int hops_) : id(id_), hops(hops_), words(word_count()) {
    for (std::size_t k = 0; k < words.size(); ++k) words[k] = mixed(id, k);
  }

  /// Number that a receiver adds to the sum of what it has received.
  std::uint64_t value() const { return mixed(id, 1'000'000 + static_cast<std::uint64_t>(hops)); }
  bool is_intact() const { return words == Letter(id, hops).words; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(id, hops, words);
  }

 private:
  // Most letters are short or empty, some fill a buffer, and a few have up to 320 KiB.
  std::size_t word_count() const {
    const std::uint64_t random = value();
    const std::uint64_t limit = random % 100 == 0 ? 40'960 : random % 10 == 1 ? 4'096 : 20;
    return random / 1'000 % limit;
  }
};

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

struct Walker;
struct Member;

/// What the elements of a rank need to send letters on.
struct World {
  const Oracle& oracle;
  Collection<Walker>& walkers;
  ObjGroup<Member>& members;

  static inline World* current = nullptr;

  /// Sends a letter to its receiver.
  void send(const Letter& letter) const;
};

inline void expect(bool is_true, std::string_view what, std::uint64_t number) {
  if (is_true) return;
  fmt::print(stderr, "soak: {} ({})\n", what, number);
  std::abort();
}

inline void receive(Received& received, const Letter& letter) {
  expect(letter.is_intact(), "broken letter", letter.id);
  received.add(letter);
  if (letter.hops > 0) World::current->send({letter.id, letter.hops - 1});
}

/// Element that counts what it receives, and carries data that must survive migrations.
struct Walker : Element<Walker, 2> {
  Received received;
  std::uint64_t birth = 0;
  std::vector<std::uint64_t> luggage;
  bool is_leaving = false;

  Walker() = default;
  /// Sends a chain of letters, unless `hops` is negative.
  Walker(std::uint64_t birth_, int hops) : birth(birth_), luggage(luggage_of(birth_)) {
    if (hops >= 0) World::current->send({birth, hops});
  }

  void take(const Letter& letter) { receive(received, letter); }
  void hear(const Letter& letter) {
    expect(letter.is_intact(), "broken broadcast", letter.id);
    received.add(letter);
  }
  /// Broadcasts from a handler.
  void shout(std::uint64_t id) { collection().broadcast<&Walker::hear>(Letter(id, 0)); }
  void go(int first, int then) {
    migrate_to(first);
    migrate_to(then);
  }
  /// Sends a last chain, and dies although it also wants to migrate.
  void die(std::uint64_t id, int hops, int rank) {
    migrate_to(rank);
    destroy();
    World::current->send({id, hops});
  }

  void about_to_migrate() override { is_leaving = true; }
  void just_migrated() override {
    expect(is_leaving, "about_to_migrate() was not called", birth);
    is_leaving = false;
  }
  void check(const Oracle::Life& expected) const {
    expect(!is_leaving, "just_migrated() was not called", birth);
    expect(birth == expected.birth, "wrong element", number());
    expect(luggage == luggage_of(birth), "lost data", number());
    expect(received == expected.received, "wrong letters of element", number());
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(received, birth, luggage, is_leaving);
  }

 private:
  static std::vector<std::uint64_t> luggage_of(std::uint64_t birth) {
    std::vector<std::uint64_t> luggage(birth % 50 == 0 ? 20'000 : birth % 100);
    for (std::size_t k = 0; k < luggage.size(); ++k) luggage[k] = mixed(birth, k);
    return luggage;
  }
};

struct Member : Element<Member> {
  Received received;
  void take(const Letter& letter) { receive(received, letter); }
};

inline void World::send(const Letter& letter) const {
  const Receiver to = oracle.receiver(letter);
  if (to.is_member)
    members[{static_cast<std::int64_t>(to.number)}].template send<&Member::take>(letter);
  else
    walkers[walkers.bounds().index_of(to.number)].template send<&Walker::take>(letter);
}

}  // namespace plimsoll::testing
