#include "runtime/balancing/mpi_rounds.hpp"

#include <algorithm>
#include <utility>

#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/mpi/sparse_exchange.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::runtime {

namespace {

class MessageOutbox : public balance::Outbox {
 public:
  MessageOutbox(mpi::Messages& messages, std::int32_t self, balance::RoundTraffic& traffic)
      : messages_(messages), self_(self), traffic_(traffic) {}

 private:
  void send_bytes(std::span<const std::int32_t> receivers, std::span<const std::byte> bytes) override {
    for (const std::int32_t receiver : receivers) {
      messages_[receiver].array(bytes);
      if (receiver == self_) continue;
      ++traffic_.messages;
      traffic_.bytes += static_cast<std::int64_t>(bytes.size());
    }
  }

  mpi::Messages& messages_;
  std::int32_t self_;
  balance::RoundTraffic& traffic_;
};

}  // namespace

void MpiRounds::merge(Contribution& left, const Contribution& right) {
  left.failed_rank = std::min(left.failed_rank, right.failed_rank);
  left.sends = left.sends || right.sends;
  left.sum.add(right.sum);
  left.maximum = std::max(left.maximum, right.maximum);
}

MpiRounds::Contribution MpiRounds::reduce(Contribution mine, const std::optional<Error>& error) {
  if (error) mine.failed_rank = communicator_.rank();
  const Contribution all = communicator_.all_reduce<&MpiRounds::merge>(mine);
  if (all.failed_rank < communicator_.size()) {
    all_throw_ = true;
    mpi::throw_error_of(communicator_, all.failed_rank, error);
  }
  return all;
}

void MpiRounds::agreed(const std::function<void()>& work) {
  std::optional<Error> error;
  all_throw_ = false;
  try {
    work();
  } catch (...) {
    if (all_throw_) throw;
    error = support::current_error();
  }
  reduce({}, error);  // other ranks may fail after their last round
}

void MpiRounds::run(const Step& step) {
  std::vector<mpi::Parcel> outgoing;
  std::optional<Error> error;
  try {
    mpi::Messages messages;
    MessageOutbox outbox(messages, communicator_.rank(), traffic_);
    step(0, received_, outbox);
    outgoing = parcels_of(messages);
  } catch (...) {
    error = support::current_error();
  }
  const bool any_sends = reduce({.sends = !outgoing.empty()}, error).sends;
  std::vector<mpi::Parcel> incoming;
  if (any_sends) {
    incoming = mpi::exchange_before_agreement(communicator_, std::move(outgoing), error);
    if (error) throw *error;  // the next collective call agrees on it
  }
  contents_.clear();
  std::vector<int> senders;
  for (const mpi::Parcel& parcel : incoming) {
    for (mpi::Unpacker message(parcel.bytes); !message.at_end();) {
      contents_.push_back(message.array<std::byte>());
      senders.push_back(parcel.rank);
    }
  }
  received_.clear();
  for (std::size_t message = 0; message < senders.size(); ++message)
    received_.push_back({senders[message], contents_[message]});
  ++traffic_.rounds;
}

double MpiRounds::sum(std::span<const double> values) {
  PLIMSOLL_EXPECT(values.size() == 1);
  ++traffic_.reductions;
  Contribution mine;
  mine.sum.add(values[0]);
  return reduce(mine).sum.value();
}

double MpiRounds::maximum(std::span<const double> values) {
  PLIMSOLL_EXPECT(values.size() == 1);
  ++traffic_.reductions;
  return reduce({.maximum = values[0]}).maximum;
}

balance::RoundTraffic MpiRounds::traffic() {
  const auto sum_of = [&](std::int64_t mine) {
    Contribution contribution;
    contribution.sum.add(static_cast<double>(mine));
    return static_cast<std::int64_t>(reduce(contribution).sum.value());
  };
  balance::RoundTraffic all = traffic_;
  all.messages = sum_of(traffic_.messages);
  all.bytes = sum_of(traffic_.bytes);
  return all;
}

}  // namespace plimsoll::runtime
