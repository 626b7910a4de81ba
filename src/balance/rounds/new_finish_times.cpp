#include "balance/rounds/new_finish_times.hpp"

#include <algorithm>
#include <limits>

#include "balance/search/loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

constexpr double infinite_finish_time = std::numeric_limits<double>::infinity();

/// Sends the sum of the loads to each of their ranks.
void send_sums(std::vector<ReturnedObject>& objects, Outbox& outbox) {
  std::ranges::stable_sort(objects, {}, &ReturnedObject::from);
  for (std::size_t begin = 0; begin < objects.size();) {
    double sum = 0;
    std::size_t end = begin;
    for (; end < objects.size() && objects[end].from == objects[begin].from; ++end) sum += objects[end].load;
    outbox.send(objects[begin].from, std::span<const double>(&sum, 1));
    begin = end;
  }
}

double sum_of(Inbox received) {
  double sum = 0;
  for (const RoundMessage& message : received) sum += message.items<double>().front();
  return sum;
}

double finish_before(const LocalRank& rank) {
  if (!rank.available && !rank.objects.empty()) return infinite_finish_time;
  return rank.overhead + rank.load() / rank.speed;
}

}  // namespace

NewFinishTimes::NewFinishTimes(RankRounds& rounds, std::span<const LocalRank> ranks)
    : rounds_(rounds), ranks_(ranks), finish_(ranks.size()), origins_(ranks.size()) {
  rounds_.run([&](std::int32_t local, Inbox, Outbox& outbox) {
    const LocalRank& rank = ranks_[at(local)];
    double load = 0;
    std::vector<ReturnedObject> leaving;
    for (const LocalObject& object : rank.objects) {
      if (object.new_rank == rounds_.first_local_rank() + local)
        load += object.load;
      else
        leaving.push_back({object.new_rank, object.load});
    }
    const bool must_leave = !rank.available && leaving.size() < rank.objects.size();
    finish_[at(local)] = must_leave ? infinite_finish_time : rank.overhead + load / rank.speed;
    send_sums(leaving, outbox);
  });
  rounds_.run([&](std::int32_t local, Inbox received, Outbox&) {
    finish_[at(local)] += sum_of(received) / ranks_[at(local)].speed;
    origins_[at(local)].reserve(received.size());
    for (const RoundMessage& message : received) origins_[at(local)].push_back(message.sender);
  });
}

double NewFinishTimes::operator[](std::int32_t local) const {
  return finish_[at(local)];
}

std::span<const std::int32_t> NewFinishTimes::origins(std::int32_t local) const {
  return origins_[at(local)];
}

double NewFinishTimes::maximum_before() {
  std::vector<double> values(ranks_.size());
  std::ranges::transform(ranks_, values.begin(), finish_before);
  return rounds_.maximum(values);
}

void NewFinishTimes::take_back(std::int32_t local, std::vector<ReturnedObject> objects, Outbox& outbox) {
  for (const ReturnedObject& object : objects) finish_[at(local)] += object.load / ranks_[at(local)].speed;
  send_sums(objects, outbox);
}

void NewFinishTimes::give_back(std::int32_t local, Inbox received) {
  finish_[at(local)] -= sum_of(received) / ranks_[at(local)].speed;
}

}  // namespace plimsoll::balance
