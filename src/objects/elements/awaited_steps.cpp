#include "objects/elements/awaited_steps.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

namespace {

using EarlyOfStep = std::multimap<std::int64_t, EarlyMessage>;

void pack_early(mpi::Packer& packer, const EarlyOfStep& early) {
  packer.value(early.size());
  for (const auto& [step, message] : early) {
    packer(step, message.envelope.from, message.envelope.origin, message.envelope.kind,
           message.envelope.may_drop);
    packer.array(message.arguments);
  }
}

std::uint32_t find_function(const std::string& key) {
  if (const std::optional<std::uint32_t> number = function_of_key(key)) return *number;
  throw support::bad_input("early messages of an element are for a member function that is missing", {},
                           "use the program that wrote the checkpoint");
}

}  // namespace

void AwaitedSteps::await(std::uint32_t function, Step step, std::optional<std::int64_t> count,
                         std::uint32_t then) {
  Gate& gate = gates_[function];
  if (gate.is_awaited && step.number <= gate.step)
    throw support::usage_error(fmt::format("when() for step {} of {} after step {}", step.number,
                                           name_of_function<DeliverPacked>(function), gate.step),
                               "call it once per step, with rising steps");
  if (gate.is_counted && gate.missing > 0)
    throw support::usage_error(
        fmt::format("when() for step {} of {}, but step {} lacks {} messages", step.number,
                    name_of_function<DeliverPacked>(function), gate.step, gate.missing),
        "call it after the step is complete");
  if (count && *count < 0)
    throw support::usage_error(fmt::format("when() with invalid number of messages {}", *count),
                               "use 0 or more");
  gate.step = step.number;
  gate.missing = count.value_or(0);
  gate.then = then;
  gate.is_awaited = true;
  gate.is_counted = count.has_value();
}

AwaitedSteps::Time AwaitedSteps::time_of(std::uint32_t function, Step step) const {
  const auto found = gates_.find(function);
  if (found == gates_.end() || !found->second.is_awaited || step.number > found->second.step)
    return Time::early;
  const Gate& gate = found->second;
  const bool is_complete = gate.is_counted && gate.missing == 0;
  return step.number == gate.step && !is_complete ? Time::due : Time::late;
}

std::optional<Step> AwaitedSteps::step(std::uint32_t function) const {
  const auto found = gates_.find(function);
  if (found == gates_.end() || !found->second.is_awaited) return {};
  return Step(found->second.step);
}

std::optional<std::uint32_t> AwaitedSteps::count_message(std::uint32_t function) {
  Gate& gate = gates_.at(function);
  if (!gate.is_counted || --gate.missing > 0) return {};
  return gate.then;
}

void AwaitedSteps::keep(Step step, EarlyMessage message) {
  ++early_count_;
  early_bytes_ += message.bytes();
  gates_[message.envelope.function].early.emplace(step.number, std::move(message));
}

std::vector<EarlyMessage> AwaitedSteps::take(std::uint32_t function) {
  Gate& gate = gates_.at(function);
  const auto [begin, end] = gate.early.equal_range(gate.step);
  std::vector<EarlyMessage> taken;
  for (auto each = begin; each != end; ++each) {
    --early_count_;
    early_bytes_ -= each->second.bytes();
    taken.push_back(std::move(each->second));
  }
  gate.early.erase(begin, end);
  return taken;
}

std::vector<EarlyMessage> AwaitedSteps::take_all() {
  std::vector<EarlyMessage> taken;
  for (auto& [function, gate] : gates_)
    for (auto& [step, message] : std::exchange(gate.early, {})) taken.push_back(std::move(message));
  early_count_ = 0;
  early_bytes_ = 0;
  return taken;
}

std::optional<AwaitedSteps::First> AwaitedSteps::first_early() const {
  for (const auto& [function, gate] : gates_)
    if (!gate.early.empty()) return First{function, gate.early.begin()->first};
  return {};
}

std::vector<std::byte> AwaitedSteps::packed() const {
  mpi::Packer packer;
  packer.value(gates_.size());
  for (const auto& [function, gate] : gates_) {
    packer.text(key_of_function(function));
    packer.text(gate.is_counted ? key_of_function(gate.then) : "");
    packer(gate.step, gate.missing, gate.is_awaited);
    pack_early(packer, gate.early);
  }
  return packer.take();
}

AwaitedSteps AwaitedSteps::unpacked(std::span<const std::byte> bytes, std::uint32_t collection,
                                    std::uint64_t number) {
  mpi::Unpacker unpacker(bytes);
  AwaitedSteps steps;
  for (auto gates = unpacker.value<std::size_t>(); gates > 0; --gates) {
    const std::uint32_t function = find_function(unpacker.text());
    Gate& gate = steps.gates_[function];
    const std::string then = unpacker.text();
    gate.is_counted = !then.empty();
    if (gate.is_counted) gate.then = find_function(then);
    unpacker(gate.step, gate.missing, gate.is_awaited);
    for (auto early = unpacker.value<std::size_t>(); early > 0; --early) {
      const auto step = unpacker.value<std::int64_t>();
      EarlyMessage message{.envelope = {.number = number, .collection = collection, .function = function},
                           .arguments = {}};
      unpacker(message.envelope.from, message.envelope.origin, message.envelope.kind,
               message.envelope.may_drop);
      message.arguments = unpacker.array<std::byte>();
      steps.keep(step, std::move(message));
    }
  }
  return steps;
}

void AwaitedSteps::forget_senders(int rank) {
  for (auto& [function, gate] : gates_) {
    for (auto& [step, message] : gate.early) {
      message.envelope.from = runtime::ObjectId::none;
      message.envelope.origin = rank;
    }
  }
}

}  // namespace plimsoll::objects
