#include "balance/rounds/simulated_rounds.hpp"

#include <algorithm>
#include <utility>

#include <plimsoll/balance/internal/exact_sum.hpp>
#include <plimsoll/support/internal/threads.hpp>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

/// Ranks per mailbag: enough work for a thread, and independent of the number of threads.
constexpr std::int32_t ranks_per_bag = 256;
constexpr std::size_t alignment = 16;

}  // namespace

class SimulatedRounds::BagOutbox : public Outbox {
 public:
  BagOutbox(Mailbag& bag, std::int32_t ranks) : bag_(bag), ranks_(ranks) {}
  void set_sender(std::int32_t sender) { sender_ = sender; }

 private:
  void send_bytes(std::span<const std::int32_t> receivers, std::span<const std::byte> bytes) override {
    const std::size_t begin = bag_.bytes.size();
    bag_.bytes.insert(bag_.bytes.end(), bytes.begin(), bytes.end());
    bag_.bytes.resize((bag_.bytes.size() + alignment - 1) / alignment * alignment);
    for (const std::int32_t receiver : receivers) {
      PLIMSOLL_EXPECT(receiver >= 0 && receiver < ranks_);
      bag_.sent.push_back({receiver, sender_, begin, bytes.size()});
    }
  }

  Mailbag& bag_;
  std::int32_t ranks_;
  std::int32_t sender_ = 0;
};

SimulatedRounds::SimulatedRounds(std::int32_t ranks, unsigned threads)
    : ranks_(ranks), threads_(threads), begin_(at(ranks) + 1) {
  const std::int32_t bags = (ranks + ranks_per_bag - 1) / ranks_per_bag;
  sending_.resize(at(bags));
  delivered_.resize(at(bags));
}

void SimulatedRounds::run(const Step& step) {
  support::parallel_for(sending_.size(), threads_, [&](std::size_t index) {
    Mailbag& bag = sending_[index];
    bag.sent.clear();
    bag.bytes.clear();
    BagOutbox outbox(bag, ranks_);
    const std::int32_t first = static_cast<std::int32_t>(index) * ranks_per_bag;
    for (std::int32_t rank = first; rank < std::min(first + ranks_per_bag, ranks_); ++rank) {
      outbox.set_sender(rank);
      step(rank, std::span(received_).subspan(begin_[at(rank)], begin_[at(rank) + 1] - begin_[at(rank)]),
           outbox);
    }
  });
  deliver();
}

/// Sorts the messages by receiver, with a counting sort, which keeps the order of the senders.
void SimulatedRounds::deliver() {
  std::swap(delivered_, sending_);
  std::ranges::fill(begin_, 0);
  for (const Mailbag& bag : delivered_) {
    for (const Sent& message : bag.sent) {
      ++begin_[at(message.receiver) + 1];
      if (message.receiver == message.sender) continue;
      ++traffic_.messages;
      traffic_.bytes += static_cast<std::int64_t>(message.size);
    }
  }
  for (std::size_t rank = 1; rank < begin_.size(); ++rank) begin_[rank] += begin_[rank - 1];
  received_.resize(begin_.back());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (const Mailbag& bag : delivered_)
    for (const Sent& message : bag.sent)
      received_[next[at(message.receiver)]++] = {message.sender,
                                                 std::span(bag.bytes).subspan(message.begin, message.size)};
  ++traffic_.rounds;
}

double SimulatedRounds::sum(std::span<const double> values) {
  PLIMSOLL_EXPECT(values.size() == at(ranks_));
  ++traffic_.reductions;
  ExactSum sum;
  for (const double value : values) sum.add(value);
  return sum.value();
}

double SimulatedRounds::maximum(std::span<const double> values) {
  PLIMSOLL_EXPECT(values.size() == at(ranks_));
  ++traffic_.reductions;
  return std::ranges::max(values);
}

}  // namespace plimsoll::balance
