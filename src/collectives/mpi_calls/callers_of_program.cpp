#include <algorithm>
#include <functional>

#include <plimsoll/collectives/internal/callers_of_program.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

void CallersOfProgram::add(const CallsOfStack& calls, const RankCalls& rank, CodePlaces& places) {
  const auto place_of = [&](const CallsOfStack::Address& address) {
    return places.number_of({rank.modules[address.module], address.offset});
  };
  const CodePlaces::Number call = place_of(calls.addresses[0]);
  std::vector<CodePlaces::Number> callers;
  CodePlaces::Number outermost = call;
  for (std::uint32_t k = 1; k < calls.depth && !places.is_in_main(outermost); ++k) {
    outermost = place_of(calls.addresses[k]);
    callers.push_back(outermost);
  }
  if (!callers.empty()) stacks_[{rank.functions[calls.function], call}][callers].add(calls.sums);
}

CallersOfProgram::Stacks CallersOfProgram::few_stacks(Stacks stacks) {
  for (std::size_t depth = max_callers; depth > 0 && stacks.size() > MpiCalls::max_stacks; --depth) {
    Stacks shorter;
    for (const auto& [callers, sums] : stacks)
      shorter[{callers.begin(),
               callers.begin() + static_cast<std::ptrdiff_t>(std::min(depth, callers.size()))}]
          .add(sums);
    stacks.swap(shorter);
  }
  return stacks;
}

std::vector<MpiCalls::Stack> CallersOfProgram::of(const std::string& function, CodePlaces::Number place,
                                                  const CodePlaces& places) const {
  std::vector<MpiCalls::Stack> stacks;
  const auto found = stacks_.find({function, place});
  if (found == stacks_.end()) return stacks;
  for (const auto& [callers, sums] : few_stacks(found->second)) {
    MpiCalls::Stack& stack = stacks.emplace_back();
    for (const CodePlaces::Number caller : callers) stack.locations.push_back(places.location(caller));
    stack.calls = sums.calls;
    stack.time_s = seconds(sums.time_ns);
    stack.sent_bytes = sums.sent_bytes;
    stack.received_bytes = sums.received_bytes;
    if (sums.waits.are_all_of(sums.calls, sums.failed_calls)) stack.waited_s = seconds(sums.waits.waited_ns);
  }
  std::ranges::stable_sort(stacks, std::greater(), &MpiCalls::Stack::time_s);
  if (stacks.size() > MpiCalls::max_stacks) stacks.resize(MpiCalls::max_stacks);
  return stacks;
}

}  // namespace plimsoll::collectives
