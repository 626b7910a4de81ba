#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <plimsoll/balance/internal/exact_sum.hpp>
#include <plimsoll/balance/rank_rounds.hpp>
#include <plimsoll/mpi/communicator.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

/// Executor that runs the rank of this process, and delivers messages with MPI. All ranks of the communicator
/// run the same strategy.
class MpiRounds : public balance::RankRounds {
 public:
  /// The communicator must outlive the object.
  explicit MpiRounds(const mpi::Communicator& communicator) : communicator_(communicator) {}

  /// Calls `work`, which calls the other members. Collective. Wherever a rank throws, all ranks throw the
  /// error of the lowest rank that does, at the end of their round at the latest.
  void agreed(const std::function<void()>& work);

  std::int32_t ranks() const override { return communicator_.size(); }
  std::int32_t first_local_rank() const override { return communicator_.rank(); }
  std::int32_t local_ranks() const override { return 1; }
  void run(const Step& step) override;
  double sum(std::span<const double> values) override;
  double maximum(std::span<const double> values) override;
  balance::RoundTraffic traffic() override;

 private:
  /// Contribution of a rank to any collective call. All calls begin with the same reduction, so that a rank
  /// with an error need not know in which call the others are.
  struct Contribution {
    int failed_rank = std::numeric_limits<int>::max();
    bool sends = false;
    balance::ExactSum sum = {};
    double maximum = -std::numeric_limits<double>::infinity();
  };
  Contribution reduce(Contribution mine, const std::optional<Error>& error = {});
  static void merge(Contribution& left, const Contribution& right);

  const mpi::Communicator& communicator_;
  std::vector<std::vector<std::byte>> contents_;  // of received_
  std::vector<balance::RoundMessage> received_;
  balance::RoundTraffic traffic_;  // messages and bytes of this rank
  bool all_throw_ = false;         // whether the current exception is thrown on all ranks
};

}  // namespace plimsoll::runtime
