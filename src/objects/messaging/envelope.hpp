#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plimsoll/objects/handler.hpp>
#include <plimsoll/objects/local_queue.hpp>
#include <plimsoll/objects/reduction.hpp>
#include <plimsoll/runtime/object.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

/// Header of a message between ranks, in front of the arguments.
struct Envelope {
  enum class Kind : std::uint8_t {
    send,            ///< to one element
    broadcast,       ///< to all elements of a collection
    broadcast_here,  ///< part of a broadcast that all ranks have sent: to the elements on this rank
    call,            ///< to a rank
    call_all,        ///< to all ranks
    section,         ///< to the elements whose numbers precede the arguments
    create,          ///< creates an element
    location,        ///< tells that an element is on the rank `origin`
    reduce,          ///< merged contributions of elements of the collection
    cancelled,       ///< nothing: the arguments could not be packed
  };

  /// How a message that did not find its receiver is sent on: to the directory rank, then to the rank that
  /// the directory names, then to the home, where an element may have been created again. A rank never sends
  /// it back to an earlier stage, so that a message to an element that does not exist has an end.
  enum class Stage : std::uint8_t { to_directory, to_declared_rank, to_home };

  std::uint64_t number = 0;  ///< position of the receiver; of a section: number of receivers
  runtime::ObjectId from = runtime::ObjectId::none;  ///< sending element; none: the program
  std::uint32_t collection = 0;
  std::uint32_t function = 0;  ///< number of the handler, the creator or the function of a rank
  std::int32_t origin = 0;     ///< rank of the sender
  Kind kind = Kind::send;
  bool is_forwarded = false;
  Stage stage = Stage::to_directory;
  bool may_drop = false;  ///< whether the message is dropped, without error, if the receiver does not exist
};

/// Writes an envelope to the beginning of a message and returns the rest.
inline std::span<std::byte> put(const Envelope& envelope, std::span<std::byte> message) {
  std::memcpy(message.data(), &envelope, sizeof envelope);
  return message.subspan(sizeof envelope);
}

/// Message in the local queue to this rank, to all elements of a collection on it, to some of them, or to an
/// element that may be under construction on it.
struct PackedLocalMessage : LocalMessage {
  struct Content {
    Envelope envelope;
    std::vector<std::byte> arguments;
    std::vector<std::uint64_t> members;  ///< of a section; empty for other messages
  };

  PackedLocalMessage(const Envelope& envelope, std::span<const std::byte> arguments,
                     std::vector<std::uint64_t> members = {})
      : LocalMessage(type_of_message),
        content{envelope, {arguments.begin(), arguments.end()}, std::move(members)} {}

  static void destroy(LocalMessage& message) {
    static_cast<PackedLocalMessage&>(message).~PackedLocalMessage();
  }
  static constexpr Type type_of_message{0, nullptr, nullptr, &destroy, nullptr};

  Content content;
};

/// Returns the function with a number from add_function(). Throws Error (bad_input) for an unknown number.
template <class Function>
Function function_of(std::uint32_t number);

/// Returns the name of a function that was added with its type, with the types of its parameters.
template <class Function>
std::string name_of_function(std::uint32_t number);

/// Whether the messages that call a member function belong to steps.
bool function_has_step(std::uint32_t number);
/// Returns the key of a member function, which is the same in all programs of one compiler.
const std::string& key_of_function(std::uint32_t number);
/// Returns the number of the member function with a key, if the program has it. Cost: O(functions).
std::optional<std::uint32_t> function_of_key(const std::string& key);

/// Returns a hash of the names of all functions, which is the same on all ranks of one executable.
std::uint64_t hash_of_functions();

}  // namespace plimsoll::objects
