#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <plimsoll/support/version.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

/// The call stacks of a thread that lead to MPI calls, as a tree: the root is the function that asks, and the
/// parent of a return address is the frame that it called.
///
/// A frame has a fixed size at a given return address, unless its function allocates variable amounts of
/// stack. The tree remembers these sizes, so that a known stack is read with one comparison per frame. Only
/// an unknown stack is unwound, by the tables of the compiler. If a size turns out to vary, stacks end at
/// this frame. Works on x86-64; on other processors, no stack is found.
class CallerTree {
 public:
  using Node = std::uint32_t;
  static constexpr Node none = 0;
  static constexpr std::size_t max_nodes = std::size_t{1} << 14;

  CallerTree() : nodes_(1), slots_(64) {}

  /// Returns the node of the outermost known frame among the `callers` functions that led to the call which
  /// returns to `return_address` in the stack of this thread; `none` if this call is not found. A known stack
  /// takes a few ns per frame, a new one some µs. May throw std::bad_alloc.
  [[gnu::noinline]] Node find(const void* return_address, std::uint32_t callers);

  /// Returns the node of the last of `addresses`, which follow each other from a node outwards, and need not
  /// be places in the stack. Adds at most max_nodes.
  Node extend(Node node, std::span<const std::uintptr_t> addresses);

  /// Returns the address to which the frame of a node returns.
  std::uintptr_t address(Node node) const { return nodes_[node].address; }
  /// Returns the node of the frame that it called; `none` for the innermost frame.
  Node callee(Node node) const { return nodes_[node].parent; }

 private:
  struct Entry {
    std::uintptr_t address = 0;
    Node parent = none;
    Node latest_child = none;
    std::uint32_t words_to_next = 0;  ///< from its place in the stack to that of the next address; 0: unknown
  };
  struct Walk {
    Node node = none;  ///< the outermost frame that was found, after the call was found
    bool complete = true;
  };
  /// A return address and its place in the stack.
  struct Frame {
    const std::uintptr_t* place;
    std::uintptr_t address;
  };

  Walk walk(const std::uintptr_t* place, std::uintptr_t call, std::uint32_t callers);
  /// Unwinds the stack from a place on. Returns whether the tree has changed.
  bool learn(const std::uintptr_t* place, std::uint32_t callers);
  bool add(std::span<const Frame> frames);
  Node child(Node parent, std::uintptr_t address);
  Node add_child(Node parent, std::uintptr_t address);
  std::uint32_t& slot_of(Node parent, std::uintptr_t address);

  std::vector<Entry> nodes_;          ///< the first one is the root
  std::vector<std::uint32_t> slots_;  ///< hash table of nodes, at most half full; its size is a power of two
  int vain_attempts_ = 0;             ///< unwindings without a result, one after another
};

}  // namespace plimsoll::interpose
