// The elements of the collection. In each step, a worker sends a message to each of its neighbours, waits for
// theirs, and works.
#pragma once

#include <cereal/types/vector.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/objects.hpp>

#include "problem.hpp"

// Uses the processor for this time. Time that other processes use it does not count.
inline void work(double time_us) {
  const auto processor_time_us = [] {
    std::timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e6 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_nsec);
  };
  const double end_us = processor_time_us() + time_us;
  while (processor_time_us() < end_us) continue;
}

class Worker : public plimsoll::Element<Worker> {
 public:
  Worker() = default;  // for a worker that arrives from another rank: serialize() fills it
  explicit Worker(const Problem& problem)
      : problem_(problem),
        neighbours_(neighbours_of(number(), problem.elements, problem.topology)),
        state_(first_state(number())) {}

  // Does this number of steps, together with all other workers.
  void advance(int steps) {
    last_step_ = step_ + steps;
    send();
    step_while_ready();
  }

  // Takes a message: 1,000 bytes, which repeat the state of the sender.
  void receive(int step, int from, const std::vector<std::uint64_t>& message) {
    const auto neighbour = std::ranges::find(neighbours_, from);
    // A neighbour may be one step ahead of this worker, but not more, because it waits for this worker.
    expect(step == step_ || step == step_ + 1, step, from, "is of the wrong step");
    expect(neighbour != neighbours_.end(), step, from, "is not from a neighbour");
    expect(message == message_of(message.at(0)), step, from, "has changed");
    Inbox& inbox = inbox_of_[step % 2];
    expect(std::ranges::find(inbox.senders, from) == inbox.senders.end(), step, from, "has arrived twice");
    inbox.senders.push_back(from);
    inbox.sum += message[0];
    step_while_ready();
  }

  void just_migrated() override { ++migrations_; }

  int step() const { return step_; }
  std::uint64_t state() const { return state_; }
  std::int64_t migrations() const { return migrations_; }

  // Workers migrate between two calls of advance(), when they have no messages of their neighbours.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(problem_, neighbours_, step_, state_, migrations_);
  }

 private:
  // Messages of one step.
  struct Inbox {
    std::vector<int> senders;
    std::uint64_t sum = 0;
  };

  int number() const { return static_cast<int>(index()[0]); }
  static std::vector<std::uint64_t> message_of(std::uint64_t state) {
    return std::vector<std::uint64_t>(125, state);
  }
  void expect(bool condition, int step, int from, const char* problem) const {
    if (condition) return;
    throw std::runtime_error("message of " + std::to_string(from) + " in step " + std::to_string(step) + " " +
                             problem + ": the receiver is in step " + std::to_string(step_));
  }

  void send() {
    for (const int neighbour : neighbours_)
      collection()[{neighbour}].send<&Worker::receive>(step_, number(), message_of(state_));
  }

  void step_while_ready() {
    while (step_ < last_step_ && inbox_of_[step_ % 2].senders.size() == neighbours_.size()) {
      const Inbox inbox = std::exchange(inbox_of_[step_ % 2], {});
      work(problem_.work_us(number(), step_));
      state_ = next_state(state_, inbox.sum);
      ++step_;
      if (step_ < last_step_) send();
    }
  }

  Problem problem_;
  std::vector<int> neighbours_;
  int step_ = 0;       // steps done
  int last_step_ = 0;  // of the phase
  std::uint64_t state_ = 0;
  std::int64_t migrations_ = 0;
  std::array<Inbox, 2> inbox_of_;  // of even and odd steps
};
