#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/rank_rounds.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

/// Executor that simulates all ranks on the threads of this process. Results do not depend on the number of
/// threads.
class SimulatedRounds : public RankRounds {
 public:
  /// `threads`: number of threads; 0: one per processor.
  explicit SimulatedRounds(std::int32_t ranks, unsigned threads = 0);

  std::int32_t ranks() const override { return ranks_; }
  std::int32_t first_local_rank() const override { return 0; }
  std::int32_t local_ranks() const override { return ranks_; }
  void run(const Step& step) override;
  double sum(std::span<const double> values) override;
  double maximum(std::span<const double> values) override;
  RoundTraffic traffic() override { return traffic_; }

 private:
  struct Sent {
    std::int32_t receiver;
    std::int32_t sender;
    std::size_t begin;  // in the bytes of the same mailbag
    std::size_t size;
  };
  /// Messages of consecutive ranks in one round.
  struct Mailbag {
    std::vector<Sent> sent;
    std::vector<std::byte> bytes;
  };
  class BagOutbox;

  void deliver();

  std::int32_t ranks_;
  unsigned threads_;
  std::vector<Mailbag> delivered_;      // content of received_
  std::vector<Mailbag> sending_;        // messages of the current round
  std::vector<RoundMessage> received_;  // by receiver
  std::vector<std::size_t> begin_;      // first message of each receiver in received_
  RoundTraffic traffic_;
};

}  // namespace plimsoll::balance
