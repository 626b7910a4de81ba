#include "collectives/files/signature_collector.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace plimsoll::PLIMSOLL_ABI::collectives {

SignatureCollector::Overlap SignatureCollector::overlap_with(const Signature& signature) {
  const Owners& owned = owners(signature);
  Overlap overlap;
  for (const NumberList::Run& run : signature.calls.runs()) {
    auto next = owned.upper_bound(run.first);
    if (next != owned.begin() && std::prev(next)->second.last >= run.first) --next;
    for (; next != owned.end() && next->first <= run.last; ++next) {
      const std::uint64_t first = std::max(run.first, next->first);
      if (overlap.calls == 0) {
        overlap.first_call = first;
        overlap.signature = next->second.signature;
      }
      overlap.with_several |= next->second.signature != overlap.signature;
      overlap.calls += std::min(run.last, next->second.last) - first + 1;
    }
  }
  return overlap;
}

void SignatureCollector::own(std::size_t signature, const NumberList& calls) {
  Owners& owned = owners(signatures_[signature]);
  for (const NumberList::Run& run : calls.runs()) owned[run.first] = {run.last, signature};
}

void SignatureCollector::replace_calls(std::size_t signature, NumberList calls) {
  Owners& owned = owners(signatures_[signature]);
  for (const NumberList::Run& run : signatures_[signature].calls.runs())
    owned.erase(owned.lower_bound(run.first), owned.upper_bound(run.last));
  own(signature, calls);
  signatures_[signature].calls = std::move(calls);
}

void SignatureCollector::add(Signature signature, std::uint64_t line, Findings& findings) {
  const Overlap overlap = overlap_with(signature);
  if (overlap.calls == 0) {
    signatures_.push_back(std::move(signature));
    own(signatures_.size() - 1, signatures_.back().calls);
    return;
  }
  const Signature& there = signatures_[overlap.signature];
  if (!overlap.with_several && same_counts(there, signature)) {
    if (overlap.calls == signature.calls.size()) return;
    if (overlap.calls == there.calls.size()) {
      replace_calls(overlap.signature, std::move(signature.calls));
      return;
    }
  }
  findings.add(Severity::error, line,
               fmt::format("{} call {} appeared earlier with different counts", signature.operation.name(),
                           overlap.first_call),
               "the first counts are kept; check whether files of several runs are mixed");
}

void SignatureCollector::add_call(Signature signature, Findings& findings) {
  call_by_call_ = true;
  if (overlap_with(signature).calls > 0) return add(std::move(signature), 0, findings);
  const std::size_t position = by_counts_.find_or_add(signatures_, signature);
  const NumberList calls = signature.calls;
  if (position == signatures_.size())
    signatures_.push_back(std::move(signature));
  else
    signatures_[position].calls.append(calls);
  own(position, calls);
}

std::vector<Signature> SignatureCollector::take() {
  if (call_by_call_) {
    std::ranges::stable_sort(signatures_, {}, [](const Signature& signature) {
      return std::pair(signature.operation.index(), signature.calls.min());
    });
  }
  return std::move(signatures_);
}

}  // namespace plimsoll::collectives
