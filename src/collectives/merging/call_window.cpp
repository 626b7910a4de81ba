#include <algorithm>
#include <vector>

#include <plimsoll/collectives/profile.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

NumberList within(const NumberList& calls, NumberList::Run window) {
  NumberList kept;
  for (const NumberList::Run& run : calls.runs())
    if (run.last >= window.first && run.first <= window.last)
      kept.append({std::max(run.first, window.first), std::min(run.last, window.last)});
  return kept;
}

template <class Value>
void keep(PerRank<Value>& values, NumberList::Run window) {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < values.calls.size(); ++k) {
    if (values.calls[k] < window.first || values.calls[k] > window.last) continue;
    values.calls[kept] = values.calls[k];
    std::copy_n(values.values.begin() + static_cast<std::ptrdiff_t>(k * values.comm_size), values.comm_size,
                values.values.begin() + static_cast<std::ptrdiff_t>(kept * values.comm_size));
    ++kept;
  }
  values.calls.resize(kept);
  values.values.resize(kept * values.comm_size);
}

// Returns the range of IDs of the calls to keep; none if the first is larger than the last.
NumberList::Run window_of(const Lead& lead, Operation operation, std::uint64_t first, std::uint64_t limit) {
  std::vector<NumberList::Run> runs;
  for (const Communicator& communicator : lead.communicators)
    for (const Communicator::Calls& calls : communicator.calls)
      if (calls.operation == operation)
        for (const NumberList::Run& run : calls.ids.runs())
          if (run.last >= first) runs.push_back({std::max(run.first, first), run.last});
  std::ranges::sort(runs, {}, &NumberList::Run::first);
  if (limit == 0) return {1, 0};
  for (const NumberList::Run& run : runs) {
    if (limit <= run.size()) return {first, run.first + limit - 1};
    limit -= run.size();
  }
  return {first, UINT64_MAX};
}

void keep_window(Lead& lead, Operation operation, NumberList::Run window) {
  for (std::vector<Signature>* signatures : {&lead.signatures, &lead.displacements}) {
    for (Signature& signature : *signatures)
      if (signature.operation == operation) signature.calls = within(signature.calls, window);
    std::erase_if(*signatures, [](const Signature& signature) { return signature.calls.empty(); });
  }
  for (Communicator& communicator : lead.communicators) {
    for (Communicator::Calls& calls : communicator.calls)
      if (calls.operation == operation) calls.ids = within(calls.ids, window);
    std::erase_if(communicator.calls, [](const Communicator::Calls& calls) { return calls.ids.empty(); });
  }
  const auto keep_in = [&](auto& list) {
    for (auto& values : list)
      if (values.operation == operation) keep(values, window);
    std::erase_if(list, [](const auto& values) { return values.calls.empty(); });
  };
  for (std::vector<RankValues>* list : {&lead.execution_s, &lead.late_arrival_s, &lead.begin_s})
    keep_in(*list);
  keep_in(lead.hashes);
  for (Backtrace& backtrace : lead.backtraces) {
    if (!(backtrace.operation == operation)) continue;
    for (Backtrace::Context& context : backtrace.contexts) context.calls = within(context.calls, window);
    std::erase_if(backtrace.contexts,
                  [](const Backtrace::Context& context) { return context.calls.empty(); });
  }
  std::erase_if(lead.backtraces, [](const Backtrace& backtrace) { return backtrace.contexts.empty(); });
}

}  // namespace

void keep_window(Profile& profile, Operation operation, std::uint64_t first, std::uint64_t limit) {
  for (Lead& lead : profile.leads) keep_window(lead, operation, window_of(lead, operation, first, limit));
}

}  // namespace plimsoll::collectives
