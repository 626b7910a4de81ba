#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <plimsoll/collectives/calls.hpp>
#include <plimsoll/collectives/comparison.hpp>

#include "collectives/analysis/typed_rows.hpp"
#include "collectives/model/distinct_rows.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

/// Matches the signatures of two profiles.
class Matcher {
 public:
  void add(const Profile& profile, std::uint64_t BeforeAfter<std::uint64_t>::*when,
           NumberList BeforeAfter<NumberList>::*lists) {
    for (const Lead& lead : profile.leads) {
      const CallPlaces places(profile, lead);
      for (const Signature& signature : lead.signatures)
        for (const auto& [remote_size, same_size] : places.by_remote_size(signature)) {
          Match& match = match_of(lead.rank, signature, remote_size);
          SignatureChange& change = match.change;
          NumberList calls;
          for (const CallPlace& place : same_size) calls.append(place.calls);
          calls = calls.ascending();
          change.first_call.*when =
              change.calls.*when == 0 ? calls.front() : std::min(change.first_call.*when, calls.front());
          change.calls.*when = collectives::add(change.calls.*when, calls.size());
          (match.lists.*lists).append(calls);
        }
    }
  }

  CountsVerdict verdict() const {
    auto worst = CountsVerdict::same;
    for (const Match& match : matches_) {
      const auto& calls = match.change.calls;
      const auto verdict = match.lists.before == match.lists.after ? CountsVerdict::same
                           : calls.before == calls.after           ? CountsVerdict::reordered
                           : calls.before > 0 && calls.after > 0   ? CountsVerdict::other_calls
                                                                   : CountsVerdict::different;
      worst = std::max(worst, verdict);
    }
    return worst;
  }

  std::vector<SignatureChange> changes() const {
    std::vector<SignatureChange> changes;
    for (const Match& match : matches_) changes.push_back(match.change);
    std::ranges::stable_sort(changes, {}, [](const SignatureChange& change) {
      const bool is_new = change.calls.before == 0;
      return std::tuple(change.lead, change.operation.index(), is_new,
                        is_new ? change.first_call.after : change.first_call.before);
    });
    return changes;
  }

 private:
  struct Match {
    const Signature* signature;
    std::uint32_t remote_size;
    SignatureChange change;
    BeforeAfter<NumberList> lists;
  };

  Match& match_of(std::uint32_t lead, const Signature& signature, std::uint32_t remote_size) {
    std::vector<std::size_t>& candidates = by_hash_[hash_of(signature) ^ lead];
    for (const std::size_t k : candidates)
      if (matches_[k].change.lead == lead && matches_[k].remote_size == remote_size &&
          same_counts(*matches_[k].signature, signature))
        return matches_[k];
    candidates.push_back(matches_.size());
    return matches_.emplace_back(Match{&signature,
                                       remote_size,
                                       {.lead = lead,
                                        .operation = signature.operation,
                                        .comm_size = signature.comm_size,
                                        .bytes = bytes_of(signature, signature.send, remote_size),
                                        .calls = {},
                                        .first_call = {}},
                                       {}});
  }

  std::vector<Match> matches_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> by_hash_;
};

using PatternKey = std::tuple<std::uint32_t, std::size_t, Shape>;

void add_patterns(const Profile& profile, std::uint64_t BeforeAfter<std::uint64_t>::*when,
                  std::map<PatternKey, PatternChange>& changes) {
  for (const LeadPatterns& lead : find_patterns(profile))
    for (const Pattern& pattern : lead.patterns) {
      PatternChange& change = changes[{lead.lead, lead.operation.index(), pattern.shape}];
      change.lead = lead.lead;
      change.operation = lead.operation;
      change.shape = pattern.shape;
      change.calls.*when = add(change.calls.*when, pattern.calls.size());
      change.bytes.*when = add(change.bytes.*when, pattern.bytes);
    }
}

}  // namespace

const char* to_string(CountsVerdict verdict) {
  switch (verdict) {
    case CountsVerdict::same: return "same counts";
    case CountsVerdict::reordered: return "same counts, but in other calls";
    case CountsVerdict::other_calls: return "same counts, but not as often";
    case CountsVerdict::different: return "different counts";
  }
  return "";
}

Comparison compare(const Profile& before, const Profile& after, const SummaryOptions& options) {
  for (const auto& [profile, name] : {std::pair(&before, "first"), std::pair(&after, "second")})
    if (recorded_calls(*profile) == 0)
      throw support::bad_input(fmt::format("the {} profile contains no counts", name), {},
                               "use profiles with counts (--record counts)");
  Comparison comparison{.summary = {summarize(before, options), summarize(after, options)}};
  Matcher matcher;
  matcher.add(before, &BeforeAfter<std::uint64_t>::before, &BeforeAfter<NumberList>::before);
  matcher.add(after, &BeforeAfter<std::uint64_t>::after, &BeforeAfter<NumberList>::after);
  comparison.verdict = matcher.verdict();
  comparison.signatures = matcher.changes();
  std::map<PatternKey, PatternChange> patterns;
  add_patterns(before, &BeforeAfter<std::uint64_t>::before, patterns);
  add_patterns(after, &BeforeAfter<std::uint64_t>::after, patterns);
  for (auto& [key, change] : patterns) comparison.patterns.push_back(std::move(change));
  return comparison;
}

MpiComparison compare(const MpiCalls& before, const MpiCalls& after) {
  MpiComparison comparison{.summary = {summarize(before), summarize(after)}, .functions = {}};
  std::map<std::string, MpiFunctionChange> changes;
  for (const MpiSummary::Function& function : comparison.summary.before.functions) {
    changes[function.name].calls.before = function.calls;
    changes[function.name].time_s.before = function.time.sum_s;
  }
  for (const MpiSummary::Function& function : comparison.summary.after.functions) {
    changes[function.name].calls.after = function.calls;
    changes[function.name].time_s.after = function.time.sum_s;
  }
  for (auto& [name, change] : changes) {
    change.name = name;
    comparison.functions.push_back(change);
  }
  std::ranges::stable_sort(comparison.functions, std::greater(), [](const MpiFunctionChange& change) {
    return std::abs(change.time_s.after - change.time_s.before);
  });
  return comparison;
}

}  // namespace plimsoll::collectives
