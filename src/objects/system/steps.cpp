// Messages that belong to steps (ElementBase::when()). Those of later steps wait in their receiver, and
// return to the queue when it accepts their step.
//
// Reports at the end of the program what has not been delivered.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "objects/elements/awaited_steps.hpp"
#include "objects/system/system_parts.hpp"

namespace plimsoll::PLIMSOLL_ABI::objects {

namespace {

/// Describes the step that an element accepts.
std::string awaited(const AwaitedSteps& steps, std::uint32_t function) {
  const std::optional<Step> step = steps.step(function);
  return step ? fmt::format("step {}", step->number) : "no step, because it has not called when()";
}

AwaitedSteps& steps_of(std::unique_ptr<AwaitedSteps>& steps) {
  if (steps == nullptr) steps = std::make_unique<AwaitedSteps>();
  return *steps;
}

}  // namespace

void ElementBase::await_step(std::uint32_t function, Step step, std::optional<std::int64_t> count,
                             std::uint32_t then) {
  ObjectSystem::Parts& parts = *system_->parts_;
  AwaitedSteps& steps = steps_of(steps_);
  steps.await(function, step, count, then);
  std::vector<EarlyMessage> due = steps.take(function);
  parts.n_early -= static_cast<std::int64_t>(due.size());
  for (EarlyMessage& message : due)
    parts.queue.emplace<PackedLocalMessage>(message.envelope, message.arguments,
                                            std::vector<std::uint64_t>{number_});
  if (count == 0 && !parts.is_arriving)
    parts.queue.emplace<PackedLocalMessage>(Envelope{.number = number_,
                                                     .from = id_,
                                                     .collection = collection_->number_,
                                                     .function = then,
                                                     .origin = system_->rank()},
                                            std::span<const std::byte>());
}

std::uint64_t CollectionBase::early_messages() const {
  std::uint64_t count = 0;
  table_.for_each(
      [&](const ElementBase& element) { count += element.steps_ ? element.steps_->early_count() : 0; });
  return count;
}

/// Returns whether an element accepts a message now. Otherwise keeps it, or notes that its step is over.
bool ObjectSystem::Parts::is_due(ElementBase& element, const Envelope& envelope,
                                 std::span<const std::byte> arguments) {
  Step step;
  if (!function_has_step(envelope.function) || arguments.size() < sizeof step) return true;
  std::memcpy(&step, arguments.data(), sizeof step);  // the first argument
  switch (steps_of(element.steps_).time_of(envelope.function, step)) {
    case AwaitedSteps::Time::due: return true;
    case AwaitedSteps::Time::early: keep_early(element, envelope, step, arguments); break;
    case AwaitedSteps::Time::late: note_late(element, envelope.function, step); break;
  }
  return false;
}

bool ObjectSystem::Parts::is_due(ElementBase& element, const LocalMessage& message) {
  if (message.type->step == nullptr) return true;
  const Step step = message.type->step(message);
  if (steps_of(element.steps_).time_of(message.type->handler, step) == AwaitedSteps::Time::due) return true;
  std::vector<std::byte> arguments(message.bytes);
  message.type->pack(message, arguments);
  return is_due(element,
                {.number = message.number,
                 .from = message.from,
                 .collection = message.collection,
                 .function = message.type->handler,
                 .origin = ranks.rank(),
                 .may_drop = message.may_drop},
                arguments);
}

void ObjectSystem::Parts::keep_early(ElementBase& element, const Envelope& envelope, Step step,
                                     std::span<const std::byte> arguments) {
  EarlyMessage message{.envelope = envelope, .arguments = {arguments.begin(), arguments.end()}};
  message.envelope.is_forwarded = false;
  const std::uint64_t limit = element.collection_->properties_.max_early_bytes;
  if (element.steps_->early_bytes() + message.bytes() <= limit) {
    element.steps_->keep(step, std::move(message));
    ++n_early;
    return;
  }
  if (error) return;
  error = support::usage_error(
      fmt::format("phase {}: {} has more than {} bytes of early messages: a message for {} of step {} "
                  "arrived, but it accepts {}",
                  recorder.phase(), name_of(*element.collection_, element.number_), limit,
                  name_of_function<DeliverPacked>(envelope.function), step.number,
                  awaited(*element.steps_, envelope.function)),
      "check that the element calls when(), let senders wait for it, or set max_early_bytes of its "
      "collection");
}

void ObjectSystem::Parts::note_late(const ElementBase& element, std::uint32_t function, Step step) {
  if (error) return;
  error = support::usage_error(
      fmt::format("phase {}: {} got a message for {} of step {}, but it accepts {}{}", recorder.phase(),
                  name_of(*element.collection_, element.number_), name_of_function<DeliverPacked>(function),
                  step.number, step < element.steps_->step(function) ? "" : "no more messages of ",
                  awaited(*element.steps_, function)),
      "check the step of the message and, in when(), the number of messages per step");
}

/// Forgets the early messages of an element that ends.
std::vector<EarlyMessage> ObjectSystem::Parts::take_early(ElementBase& element) {
  if (element.steps_ == nullptr) return {};
  std::vector<EarlyMessage> taken = element.steps_->take_all();
  n_early -= static_cast<std::int64_t>(taken.size());
  return taken;
}

/// Describes an early message on this rank.
std::string ObjectSystem::Parts::first_early() const {
  std::string text;
  for (const CollectionBase* const collection : collections) {
    if (collection == nullptr) continue;
    collection->table_.for_each([&](const ElementBase& element) {
      if (!text.empty() || element.steps_ == nullptr) return;
      const auto first = element.steps_->first_early();
      if (!first) return;
      text =
          fmt::format("{} has one for {} of step {}, but accepts {}", name_of(*collection, element.number_),
                      name_of_function<DeliverPacked>(first->function), first->step.number,
                      awaited(*element.steps_, first->function));
    });
  }
  return text;
}

/// Prepares the report of the messages that would be lost if the program ended now. Collective.
void ObjectSystem::Parts::note_undelivered(std::int64_t early, std::int64_t dropped) {
  undelivered.clear();
  if (early > 0) {
    const int first_rank =
        ranks.all_reduce<[](int& left, const int& right) { left = std::min(left, right); }>(
            n_early > 0 ? ranks.rank() : ranks.size());
    const std::string first = ranks.broadcast(n_early > 0 ? first_early() : "", first_rank);
    undelivered.push_back(fmt::format(
        "warning: {} message{} of later steps {} not been delivered at the end: {}; check that each element "
        "calls when() for all steps in which it is sent messages",
        early, early == 1 ? "" : "s", early == 1 ? "has" : "have", first));
  }
  if (dropped > 0)
    undelivered.push_back(fmt::format(
        "{} message{} to elements that did not exist {} dropped (send_or_drop, drop_undeliverable)", dropped,
        dropped == 1 ? "" : "s", dropped == 1 ? "was" : "were"));
}

void ObjectSystem::Parts::report_undelivered() const noexcept try {
  if (ranks.rank() != 0) return;
  const runtime::Settings& settings = recorder.settings();
  for (const std::string& line : undelivered) settings.sink ? settings.sink(line) : support::say(line);
} catch (...) {
  // The sink of the program failed, which must not end the program.
}

/// Returns the steps of an element for its migration or for a checkpoint, if it has any.
std::vector<std::byte> ObjectSystem::Parts::packed_steps(const ElementBase& element) {
  return element.steps_ == nullptr ? std::vector<std::byte>() : element.steps_->packed();
}

/// Replaces the steps that the constructor of an arriving element has set.
void ObjectSystem::Parts::set_steps(ElementBase& element, std::span<const std::byte> packed) {
  element.steps_.reset();
  if (packed.empty()) return;
  element.steps_ = std::make_unique<AwaitedSteps>(
      AwaitedSteps::unpacked(packed, element.collection_->number_, element.number_));
  n_early += static_cast<std::int64_t>(element.steps_->early_count());
}

}  // namespace plimsoll::objects
