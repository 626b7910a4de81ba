#include "interpose/callers/caller_tree.hpp"

#include <pthread.h>
#include <unwind.h>

#include <array>

#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

// Frames of the profiler and of MPI's Fortran interface between the function that asks and the call.
constexpr std::uint32_t max_inner_frames = 24;
constexpr int max_vain_attempts = 8;

/// The stack of a thread.
struct Stack {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  bool contains(const std::uintptr_t* place) const {
    const auto address = reinterpret_cast<std::uintptr_t>(place);
    return begin <= address && address < end;
  }
};

Stack stack_of_this_thread() {
  Stack stack;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return stack;
  void* begin = nullptr;
  std::size_t size = 0;
  if (pthread_attr_getstack(&attributes, &begin, &size) == 0)
    stack = {reinterpret_cast<std::uintptr_t>(begin), reinterpret_cast<std::uintptr_t>(begin) + size};
  pthread_attr_destroy(&attributes);
  return stack;
}

const Stack& stack() {
  static thread_local const Stack stack = stack_of_this_thread();
  return stack;
}

}  // namespace

CallerTree::Node CallerTree::find(const void* return_address, std::uint32_t callers) {
#ifdef __x86_64__
  // The return address of this function follows the saved frame pointer (System V ABI, AMD64, 3.2.2).
  const auto* const place = static_cast<const std::uintptr_t*>(__builtin_frame_address(0)) + 1;
  const auto call = reinterpret_cast<std::uintptr_t>(return_address);
  if (!stack().contains(place)) return none;  // of a user-level thread
  Walk found = walk(place, call, callers);
  if (!found.complete && nodes_.size() < max_nodes && vain_attempts_ < max_vain_attempts) {
    vain_attempts_ = learn(place, callers) ? 0 : vain_attempts_ + 1;
    found = walk(place, call, callers);
  }
  return found.node;
#else
  static_cast<void>(return_address), static_cast<void>(callers);
  return none;
#endif
}

CallerTree::Walk CallerTree::walk(const std::uintptr_t* place, std::uintptr_t call, std::uint32_t callers) {
  const Stack& bounds = stack();
  Walk walk;
  Node node = none;
  std::uint32_t frames_left = max_inner_frames;
  bool reached = false;
  while (bounds.contains(place)) {
    node = child(node, *place);
    if (node == none) return {walk.node, false};
    if (!reached && *place == call) {
      reached = true;
      frames_left = callers + 1;
    }
    if (reached) walk.node = node;
    const std::uint32_t words = nodes_[node].words_to_next;
    if (--frames_left == 0 || words == 0) break;
    place += words;
  }
  return walk;
}

bool CallerTree::learn(const std::uintptr_t* place, std::uint32_t callers) {
  struct Unwinding {
    const std::uintptr_t* first;
    std::size_t wanted;
    std::size_t count = 0;
    std::array<Frame, 64> frames;
  } unwinding{.first = place, .wanted = max_inner_frames + callers + 1, .frames = {}};
  const auto add_frame = [](_Unwind_Context* context, void* argument) {
    auto& [first, wanted, count, frames] = *static_cast<Unwinding*>(argument);
    // The stack pointer of the frame is above the return address that it pushed.
    const auto* const at = reinterpret_cast<const std::uintptr_t*>(_Unwind_GetCFA(context)) - 1;
    if (at < first) return _URC_NO_REASON;
    const std::uintptr_t address = _Unwind_GetIP(context);
    // A frame of a signal handler has none.
    if (!stack().contains(at) || *at != address || count == frames.size() || count == wanted)
      return _URC_END_OF_STACK;
    frames[count++] = {at, address};
    return _URC_NO_REASON;
  };
  _Unwind_Backtrace(add_frame, &unwinding);
  const bool begins_here = unwinding.count > 0 && unwinding.frames[0].place == place;
  return begins_here && add(std::span(unwinding.frames).first(unwinding.count));
}

bool CallerTree::add(std::span<const Frame> frames) {
  bool changed = false;
  Node parent = none;
  for (std::size_t k = 0; k < frames.size() && nodes_.size() < max_nodes; ++k) {
    const auto words =
        k + 1 < frames.size() ? static_cast<std::uint32_t>(frames[k + 1].place - frames[k].place) : 0;
    Node node = child(parent, frames[k].address);
    if (node == none) {
      node = add_child(parent, frames[k].address);
      nodes_[node].words_to_next = words;
      changed = true;
    }
    std::uint32_t& known = nodes_[node].words_to_next;
    if (known == 0) break;
    if (words != 0 && words != known) {  // the size of the frame varies
      known = 0;
      return true;
    }
    parent = node;
  }
  return changed;
}

CallerTree::Node CallerTree::extend(Node node, std::span<const std::uintptr_t> addresses) {
  for (const std::uintptr_t address : addresses) {
    Node next = child(node, address);
    if (next == none && nodes_.size() == max_nodes) break;
    if (next == none) next = add_child(node, address);
    node = next;
  }
  return node;
}

CallerTree::Node CallerTree::child(Node parent, std::uintptr_t address) {
  const Node latest = nodes_[parent].latest_child;
  if (latest != none && nodes_[latest].address == address) return latest;
  const Node found = slot_of(parent, address);
  if (found != none) nodes_[parent].latest_child = found;
  return found;
}

CallerTree::Node CallerTree::add_child(Node parent, std::uintptr_t address) {
  const auto node = static_cast<Node>(nodes_.size());
  nodes_.push_back({.address = address, .parent = parent});
  if (2 * nodes_.size() > slots_.size()) {
    slots_.assign(2 * slots_.size(), none);
    for (Node k = 1; k < node; ++k) slot_of(nodes_[k].parent, nodes_[k].address) = k;
  }
  slot_of(parent, address) = node;
  return node;
}

std::uint32_t& CallerTree::slot_of(Node parent, std::uintptr_t address) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t k = support::mix_bits(address + parent * support::splitmix64_step) & mask;
  while (slots_[k] != none && (nodes_[slots_[k]].parent != parent || nodes_[slots_[k]].address != address))
    k = (k + 1) & mask;
  return slots_[k];
}

}  // namespace plimsoll::interpose
