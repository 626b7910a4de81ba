#include <fmt/format.h>

#include <cstdint>
#include <iterator>

#include <plimsoll/balance/internal/refusal_text.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::balance {

namespace {

using Reason = Refusal::Reason;
using support::format_seconds;

constexpr support::Named<Reason> reason_names[] = {{"none", Reason::none},
                                                   {"first_phases", Reason::first_phases},
                                                   {"even", Reason::even},
                                                   {"heaviest_object", Reason::heaviest_object},
                                                   {"uncertain", Reason::uncertain},
                                                   {"decision", Reason::decision},
                                                   {"no_placement", Reason::no_placement},
                                                   {"price", Reason::price},
                                                   {"budget", Reason::budget}};

std::string text_of(const MigrationVolume& volume) {
  std::string text =
      fmt::format("{} object{}", support::format_count(static_cast<std::uint64_t>(volume.objects)),
                  volume.objects == 1 ? "" : "s");
  if (volume.bytes > 0) text += ", " + support::format_bytes(static_cast<std::uint64_t>(volume.bytes));
  return text + " on one rank";
}

/// Returns the expected gain as a phrase.
std::string gain_of(const Refusal& refusal) {
  return fmt::format("a gain of {} per phase over {:.0f} phase{}", format_seconds(refusal.gain_s),
                     refusal.phases, refusal.phases == 1 ? "" : "s");
}

std::string sentence(const Refusal& refusal, bool is_disturbed) {
  switch (refusal.reason) {
    case Reason::none: return "";
    case Reason::first_phases: return "the first phases are only measured";
    case Reason::even:
      return fmt::format("the loads of the last phases are even: the maximum is {}, the mean {}{}",
                         format_seconds(refusal.max_load_s), format_seconds(refusal.bound_s),
                         is_disturbed ? ", without the time in which other processes had the cores" : "");
    case Reason::heaviest_object:
      return fmt::format("one object has a load of {}, which is the maximum load of a rank; split it",
                         format_seconds(refusal.bound_s));
    case Reason::uncertain:
      return fmt::format(
          "noise may explain the imbalance: of the maximum load of {}, {} are sure; no placement is below "
          "{}{}",
          format_seconds(refusal.max_load_s), format_seconds(refusal.assured_load_s),
          format_seconds(refusal.bound_s),
          is_disturbed ? "; other processes use the cores: --vt_lb_loads=cpu measures without them" : "");
    case Reason::decision:
      return fmt::format("{} is less than the {} of a decision", gain_of(refusal),
                         format_seconds(refusal.price_s));
    case Reason::no_placement: return "the strategy found no placement that migrates objects and gains time";
    case Reason::price:
      return fmt::format("{} is less than the price of {} ({})", gain_of(refusal),
                         format_seconds(refusal.price_s), text_of(refusal.volume));
    case Reason::budget:
      return fmt::format(
          "the price of {} ({}) exceeds {}, which is 3 % of the time so far without costs that "
          "are not saved yet",
          format_seconds(refusal.price_s),
          refusal.volume.objects == 0 ? "a decision" : text_of(refusal.volume),
          format_seconds(refusal.budget_s));
  }
  return "";
}

}  // namespace

lbdata::NotBalanced describe(const Refusal& refusal, bool is_disturbed) {
  lbdata::NotBalanced result{.reason = std::string(support::name_of(reason_names, refusal.reason)),
                             .text = sentence(refusal, is_disturbed),
                             .numbers = {{"max_load", refusal.max_load_s},
                                         {"assured_load", refusal.assured_load_s},
                                         {"bound", refusal.bound_s}}};
  const bool compares_gain = refusal.reason == Reason::decision || refusal.reason == Reason::price ||
                             refusal.reason == Reason::budget;
  if (compares_gain) {
    result.numbers["gain"] = refusal.gain_s;
    result.numbers["phases"] = refusal.phases;
    result.numbers["price"] = refusal.price_s;
  }
  if (refusal.reason == Reason::price || refusal.reason == Reason::budget) {
    result.numbers["budget"] = refusal.budget_s;
    result.numbers["elapsed"] = refusal.elapsed_s;
    result.numbers["objects"] = static_cast<double>(refusal.volume.objects);
    result.numbers["bytes"] = refusal.volume.bytes;
  }
  if (refusal.phases_to_wait > 0) {
    result.numbers["phases_to_wait"] = refusal.phases_to_wait;
    result.numbers["awaited_gain"] = refusal.awaited_gain_s;
  }
  return result;
}

lbdata::NotBalanced below_threshold(double imbalance, double min_imbalance) {
  return {.reason = "threshold",
          .text = fmt::format("the imbalance of the loads is not above lb_when={}", min_imbalance),
          .numbers = {{"imbalance", imbalance}, {"min_imbalance", min_imbalance}}};
}

lbdata::NotBalanced not_scheduled() {
  return {.reason = "schedule", .text = "the settings run no strategy after this phase", .numbers = {}};
}

}  // namespace plimsoll::balance
