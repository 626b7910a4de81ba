#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/collectives/internal/rank_calls.hpp>

#include "interpose/callers/caller_tree.hpp"
#include "interpose/callers/python_frames.hpp"
#include "interpose/sums/function.hpp"
#include "interpose/sums/sum_table.hpp"

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// Number of functions above an MPI call to record, as set by the user. It remains the same during recording.
inline constinit std::uint32_t recorded_callers = 0;

using collectives::CallerSums;

/// The calls of one thread, in sums by their callers.
class CallersOfThread {
 public:
  /// `thread` is a number that other threads of the process do not have.
  explicit CallersOfThread(std::uint32_t thread) : thread_(thread) {}

  /// Adds a call. Returns a number of its stack, which other threads do not use; 0 if it is unknown.
  std::uint64_t add_call(Function function, const void* return_address, const CallerSums& call_sums) {
    if (recorded_callers == 0) return 0;
    const auto call = reinterpret_cast<std::uintptr_t>(return_address);
    const CallerTree::Node found = tree_.find(return_address, recorded_callers);
    if (found == CallerTree::none) return 0;
    const CallerTree::Node node = with_python(found, call);
    Calls& calls = sums_[{node, static_cast<std::uint32_t>(function)}];
    calls.return_address = call;
    calls.sums.add(call_sums);
    return number_of(node);
  }

  /// Calls visit(stack, function, addresses, sums) for each function and stack: the return addresses of the
  /// calls and of their callers, from the call outwards.
  template <class Visit>
  void for_each(Visit&& visit) const {
    sums_.for_each([&](const auto& key, const Calls& calls) {
      std::vector<std::uintptr_t> addresses;
      auto node = static_cast<CallerTree::Node>(key.place);
      for (; tree_.address(node) != calls.return_address; node = tree_.callee(node))
        addresses.push_back(tree_.address(node));
      addresses.push_back(calls.return_address);
      std::ranges::reverse(addresses);
      visit(number_of(static_cast<CallerTree::Node>(key.place)), static_cast<Function>(key.kind), addresses,
            calls.sums);
    });
  }

 private:
  struct Calls {
    std::uintptr_t return_address = 0;
    CallerSums sums;
  };

  std::uint64_t number_of(CallerTree::Node node) const { return std::uint64_t{thread_} << 32 | node; }

  /// Replaces the frames from the innermost one of a Python interpreter on by those of Python functions.
  CallerTree::Node with_python(CallerTree::Node outermost, std::uintptr_t call) {
    const PythonCode& python = code_of_python();
    if (python.is_empty()) return outermost;
    CallerTree::Node inside = CallerTree::none;
    std::uint32_t callers_inside = 0;
    for (auto node = outermost; tree_.address(node) != call; node = tree_.callee(node)) {
      ++callers_inside;
      if (!python.contains(tree_.address(node))) continue;
      inside = tree_.callee(node);
      callers_inside = 0;
    }
    if (inside == CallerTree::none) return outermost;
    std::array<std::uintptr_t, collectives::max_callers> places;
    return tree_.extend(inside, std::span(places).first(read_python_frames(
                                    std::span(places).first(recorded_callers - callers_inside))));
  }

  std::uint32_t thread_;
  CallerTree tree_;
  SumTable<Calls> sums_;  ///< by node of the tree and Function
};

}  // namespace plimsoll::interpose
