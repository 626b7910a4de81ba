#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/balance/rank_rounds.hpp>
#include <plimsoll/mpi/communicator.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Executor that runs the rank of this process, and delivers messages with MPI. All ranks of the communicator
/// run the same strategy.
class MpiRounds : public balance::RankRounds {
 public:
  /// The communicator must outlive the object.
  explicit MpiRounds(const mpi::Communicator& communicator) : communicator_(communicator) {}

  std::int32_t ranks() const override { return communicator_.size(); }
  std::int32_t first_local_rank() const override { return communicator_.rank(); }
  std::int32_t local_ranks() const override { return 1; }
  void run(const Step& step) override;
  double sum(std::span<const double> values) override;
  double maximum(std::span<const double> values) override;
  balance::RoundTraffic traffic() const override;

 private:
  const mpi::Communicator& communicator_;
  std::vector<std::vector<std::byte>> contents_;  // of received_
  std::vector<balance::RoundMessage> received_;
  balance::RoundTraffic traffic_;  // messages and bytes of this rank
};

}  // namespace plimsoll::runtime
