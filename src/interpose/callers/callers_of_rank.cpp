#include "interpose/callers/callers_of_rank.hpp"

#include <map>
#include <utility>

#include "interpose/callers/python_frames.hpp"
#include "interpose/sums/rank_calls.hpp"
#include "interpose/sums/thread_record.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

std::vector<CallsOfStack> callers_of_this_rank(WaitTable& waits, std::vector<std::string>& modules) {
  std::map<std::pair<Function, std::vector<std::uintptr_t>>, CallerSums> sums;
  for (const ThreadRecord* const thread : all_thread_records())
    thread->callers().for_each([&](std::uint64_t stack, Function function,
                                   const std::vector<std::uintptr_t>& addresses, const CallerSums& calls) {
      CallerSums& of_stack = sums[{function, addresses}];
      of_stack.add(calls);
      of_stack.waits.add(waits[{stack, static_cast<std::uint32_t>(function)}]);
    });
  std::map<std::uintptr_t, CallsOfStack::Address> known;
  const auto address_of = [&](std::uintptr_t address) {
    const auto [found, is_new] = known.try_emplace(address);
    if (is_new) {
      const auto python = python_code(address);
      const auto code = python ? *python : code_address(address);
      found->second = {number_of(code.module_path, modules), code.offset};
    }
    return found->second;
  };
  std::vector<CallsOfStack> stacks;
  for (const auto& [stack, calls] : sums) {
    CallsOfStack& own = stacks.emplace_back();
    own.function = static_cast<std::uint32_t>(stack.first);
    own.sums = calls;
    for (const std::uintptr_t address : stack.second)
      if (own.depth < own.addresses.size()) own.addresses[own.depth++] = address_of(address);
  }
  return stacks;
}

}  // namespace plimsoll::interpose
