// usage: soak PHASES [SEED]
// Creates, destroys and migrates elements at random, sends them letters and broadcasts, and checks after each
// quiet that every letter was received once, by the right element, and that no element is lost, broken or on
// two ranks. All ranks draw the same random numbers, which depend on the seed and the phase only.
#include <mpi.h>

#include <exception>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plimsoll/runtime/node_lb_data.hpp>

#include "objects/elements/element_identity.hpp"
#include "objects/soak/walker.hpp"

namespace plimsoll::testing {
namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t next() { return mixed(seed_, ++drawn_); }
  int below(int limit) { return static_cast<int>(next() % static_cast<std::uint64_t>(limit)); }
  bool one_in(int count) { return below(count) == 0; }

 private:
  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
};

std::uint64_t position_of(ObjectId element) {
  return objects::element_key(object_number(element).value()).value().position;
}

Settings settings() {
  Settings its;
  its.lb_check = true;
  its.lb_quiet = true;
  its.sink = [](std::string_view message) { fmt::print("{}", message); };
  return its;
}

class Soak {
 public:
  explicit Soak(std::uint64_t seed) : seed_(seed) { World::current = &world_; }
  ~Soak() { World::current = nullptr; }
  Soak(const Soak&) = delete;
  Soak& operator=(const Soak&) = delete;

  void run(int phases) {
    for (int phase = 0; phase < phases; ++phase) {
      random_ = Random(mixed(seed_, static_cast<std::uint64_t>(phase)));
      targets_.clear();
      if (random_.one_in(4)) migrate_at_once();
      change_elements();
      send_letters();
      if (random_.one_in(2)) migrate();
      system_.run_until_quiet();
      check();

      reach_all();
      send_letters();
      broadcast();
      migrate();
      if (random_.one_in(2)) {
        system_.run_until_quiet();
        check();
      }
      constexpr const char* strategies[] = {"RandomLB", "RotateLB", "NoLB", "NoLB"};
      system_.balancer().set_strategy(strategies[random_.below(4)]);
      migrations_ += system_.next_phase().balancing.migrations;
      check_ranks();
      check_tasks();
      check();
    }
    report(phases);
  }

 private:
  void report(int phases) {
    const std::int64_t letters = recorder_.communicator().sum(letters_);
    if (system_.rank() == 0)
      fmt::print("soak: {} phases, {} chains of letters, {} migrations\n", phases, letters, migrations_);
  }

  bool is_my_turn() { return random_.below(system_.rank_count()) == system_.rank(); }
  int any_rank() { return random_.below(system_.rank_count()); }
  ElementProxy<Walker> walker(std::uint64_t number) { return walkers_[walkers_.bounds().index_of(number)]; }
  Walker* find(std::uint64_t number) { return walkers_.find(walkers_.bounds().index_of(number)); }

  /// Destroys elements and creates others, sometimes in the same place, or destroys all.
  void change_elements() {
    std::vector<std::uint64_t> dying;
    std::vector<std::uint64_t> absent;
    const bool all_die = random_.one_in(50);
    oracle_.reachable.clear();
    for (std::uint64_t number = 0; number < walkers_.bounds().count(); ++number) {
      if (!oracle_.elements.contains(number))
        absent.push_back(number);
      else if (all_die || random_.one_in(10))
        dying.push_back(number);
      else
        oracle_.reachable.push_back(number);
    }
    for (const std::uint64_t number : dying) destroy(number);
    for (const std::uint64_t number : absent)
      if (random_.one_in(8)) create(number, is_my_turn());
  }

  void destroy(std::uint64_t number) {
    oracle_.elements.erase(number);
    const std::uint64_t id = random_.next();
    const bool sends = is_my_turn();
    switch (random_.below(4)) {
      case 0:
        if (sends) walker(number).send<&Walker::destroy>();
        break;
      case 1: {
        const int hops = random_.below(5);
        const int rank = any_rank();
        oracle_.expect_chain(id, hops);
        if (sends) walker(number).send<&Walker::die>(id, hops, rank);
        break;
      }
      case 2:
        if (Walker* const mine = find(number)) mine->destroy();
        break;
      default: {
        Walker* const mine = find(number);
        if (mine != nullptr) mine->destroy();
        create(number, mine != nullptr);
      }
    }
  }

  void create(std::uint64_t number, bool is_here) {
    const std::uint64_t birth = random_.next();
    const int hops = random_.below(4) - 1;
    oracle_.elements[number] = {.birth = birth};
    oracle_.expect_chain(birth, hops);
    if (is_here) walkers_.insert(walkers_.bounds().index_of(number), birth, hops);
  }

  void reach_all() {
    oracle_.reachable.clear();
    for (const auto& [number, life] : oracle_.elements) oracle_.reachable.push_back(number);
  }

  void send_letters() {
    for (int left = random_.below(40); left > 0; --left) {
      const std::uint64_t id = random_.next();
      const int hops = random_.one_in(20) ? 12 : random_.below(5);
      oracle_.expect_chain(id, hops);
      if (!is_my_turn()) continue;
      ++letters_;
      world_.send({id, hops});
    }
  }

  void broadcast() {
    for (int left = random_.below(5); left > 0; --left) {
      const Letter letter(random_.next(), 0);
      const int kind = random_.below(4);
      const bool sends = is_my_turn();
      if (kind == 0) {
        broadcast_to_section(letter, sends);
        continue;
      }
      oracle_.expect_broadcast(letter);
      if (kind == 1) {
        walkers_.broadcast_collective<&Walker::hear>(letter);
      } else if (kind == 2 || oracle_.reachable.empty()) {
        if (sends) walkers_.broadcast<&Walker::hear>(letter);
      } else {
        const std::uint64_t number = oracle_.reachable[random_.next() % oracle_.reachable.size()];
        if (sends) walker(number).send<&Walker::shout>(letter.id);
      }
    }
  }

  void broadcast_to_section(const Letter& letter, bool sends) {
    std::vector<Index<2>> members;
    for (auto& [number, life] : oracle_.elements) {
      if (!random_.one_in(4)) continue;
      life.received.add(letter);
      members.push_back(walkers_.bounds().index_of(number));
    }
    if (sends) walkers_.section(members).broadcast<&Walker::hear>(letter);
  }

  /// Migrates elements before any element works in the phase.
  void migrate_at_once() {
    reach_all();
    for (const std::uint64_t number : oracle_.reachable) {
      const int rank = any_rank();
      if (Walker* const mine = find(number)) mine->migrate_to(rank);
      targets_[number] = rank;
    }
    system_.run_until_quiet();
    check_ranks();
    targets_.clear();
  }

  /// Requests migrations at the end of the phase, by messages or directly. The last request of an element
  /// counts.
  void migrate() {
    for (const std::uint64_t number : oracle_.reachable) {
      if (!random_.one_in(6)) continue;
      const std::pair<int, int> ranks{any_rank(), any_rank()};
      const bool sends = is_my_turn();
      targets_[number] = ranks.second;
      if (random_.one_in(2)) {
        if (sends) walker(number).send<&Walker::go>(ranks.first, ranks.second);
      } else if (Walker* const mine = find(number)) {
        mine->go(ranks.first, ranks.second);
      }
    }
  }

  /// Checks that elements are where they wanted to go, whatever the strategy has decided.
  void check_ranks() {
    for (const auto& [number, rank] : targets_)
      expect((find(number) != nullptr) == (rank == system_.rank()), "wrong rank", number);
  }

  /// Checks that no element has tasks on two ranks in the phase that has ended.
  void check_tasks() {
    const runtime::NodeLBData& data = recorder_.node_lb_data();
    std::vector<std::int64_t> tasks(walkers_.bounds().count());
    for (const lbdata::EntityIndex entity : data.phases().back().tasks.entity)
      if (data.entities().migratable(entity))
        ++tasks.at(position_of(ObjectId{data.entities().number(entity).bits}));
    MPI_Allreduce(MPI_IN_PLACE, tasks.data(), static_cast<int>(tasks.size()), MPI_INT64_T, MPI_SUM,
                  MPI_COMM_WORLD);
    for (std::uint64_t number = 0; number < tasks.size(); ++number)
      expect(tasks[number] <= 1, "tasks on two ranks", number);
  }

  void check() {
    walkers_.for_each_local([&](const Walker& walker) {
      const auto expected = oracle_.elements.find(walkers_.bounds().number_of(walker.index()));
      expect(expected != oracle_.elements.end(), "unexpected element", walker.birth);
      walker.check(expected->second);
    });
    expect(members_.local().received == oracle_.members[static_cast<std::size_t>(system_.rank())],
           "wrong letters of member", 0);
    const std::int64_t count =
        recorder_.communicator().sum(static_cast<std::int64_t>(walkers_.local_count()));
    expect(count == std::ssize(oracle_.elements), "wrong number of elements",
           static_cast<std::uint64_t>(count));
  }

  std::uint64_t seed_;
  Random random_{0};
  std::int64_t letters_ = 0;  // chains that this rank has started
  std::int64_t migrations_ = 0;
  LoadRecorder recorder_{MPI_COMM_WORLD, settings()};
  ObjectSystem system_{recorder_};
  Collection<Walker> walkers_{system_, {.bounds = {{12, 9}}, .is_dense = false, .map = hash_map}};
  ObjGroup<Member> members_{system_, "members"};
  Oracle oracle_{system_.rank_count()};
  std::map<std::uint64_t, int> targets_;  // ranks of elements that migrate, by position
  World world_{oracle_, walkers_, members_};
};

}  // namespace
}  // namespace plimsoll::testing

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    const int phases = std::stoi(arguments.at(0));
    const std::uint64_t seed = arguments.size() > 1 ? std::stoull(arguments[1]) : 1;
    plimsoll::testing::Soak(seed).run(phases);
  } catch (const std::exception& error) {
    fmt::print(stderr, "soak: {}\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
