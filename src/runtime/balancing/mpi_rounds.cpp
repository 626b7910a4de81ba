#include "runtime/balancing/mpi_rounds.hpp"

#include <utility>

#include <plimsoll/balance/internal/exact_sum.hpp>
#include <plimsoll/mpi/sparse_exchange.hpp>
#include <plimsoll/support/contract.hpp>

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

void MpiRounds::run(const Step& step) {
  std::vector<std::vector<std::byte>> contents;
  std::vector<int> senders;
  mpi::exchange_messages(
      communicator_,
      [&](mpi::Messages& messages) {
        MessageOutbox outbox(messages, communicator_.rank(), traffic_);
        step(0, received_, outbox);
      },
      [&](int sender, mpi::Unpacker& message) {
        contents.push_back(message.array<std::byte>());
        senders.push_back(sender);
      });
  contents_ = std::move(contents);
  received_.clear();
  for (std::size_t message = 0; message < senders.size(); ++message)
    received_.push_back({senders[message], contents_[message]});
  ++traffic_.rounds;
}

double MpiRounds::sum(std::span<const double> values) {
  PLIMSOLL_EXPECT(values.size() == 1);
  ++traffic_.reductions;
  balance::ExactSum mine;
  mine.add(values[0]);
  return communicator_
      .all_reduce<[](balance::ExactSum& left, const balance::ExactSum& right) { left.add(right); }>(mine)
      .value();
}

double MpiRounds::maximum(std::span<const double> values) {
  PLIMSOLL_EXPECT(values.size() == 1);
  ++traffic_.reductions;
  return communicator_.max(values[0]);
}

balance::RoundTraffic MpiRounds::traffic() const {
  balance::RoundTraffic all = traffic_;
  all.messages = communicator_.sum(traffic_.messages);
  all.bytes = communicator_.sum(traffic_.bytes);
  return all;
}

}  // namespace plimsoll::runtime
