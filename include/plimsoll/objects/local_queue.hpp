#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <new>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include <plimsoll/objects/arguments.hpp>
#include <plimsoll/objects/element.hpp>
#include <plimsoll/objects/handler.hpp>
#include <plimsoll/objects/step.hpp>
#include <plimsoll/runtime/object.hpp>
#include <plimsoll/support/contract.hpp>

namespace plimsoll::PLIMSOLL_ABI::objects {

/// Message to an element that was on the rank of the sender. Its arguments were moved or copied, but not
/// packed.
struct LocalMessage {
  /// What the queue and the system do with the arguments of one handler.
  struct Type {
    std::uint32_t handler;
    void (*deliver)(LocalMessage& message, ElementBase& element);
    void (*pack)(const LocalMessage& message, std::span<std::byte> bytes);
    void (*destroy)(LocalMessage& message);
    Step (*step)(const LocalMessage& message);  ///< null: its messages do not belong to steps
  };

  explicit LocalMessage(const Type& message_type, std::uint32_t receivers = 0, std::uint64_t receiver = 0,
                        ObjectId sender = ObjectId::none)
      : type(&message_type), collection(receivers), number(receiver), from(sender) {}

  const Type* type;
  std::uint32_t collection;  ///< number of the receiver's collection
  bool may_drop = false;     ///< whether the message is dropped if the receiver does not exist any more
  std::uint64_t number;      ///< receiver
  ObjectId from;             ///< sending element; none: the program
  std::uint64_t bytes = 0;   ///< packed size of the arguments
};

/// LocalMessage with the arguments of a handler.
template <auto method>
struct LocalMessageOf : LocalMessage {
  using Handler = HandlerOf<method>;              ///< the receiving function
  using Arguments = typename Handler::Arguments;  ///< its arguments, as values

  template <class... Each>
  explicit LocalMessageOf(std::uint32_t receivers, std::uint64_t receiver, ObjectId sender, Each&&... each)
      : LocalMessage(type_of_method, receivers, receiver, sender),
        arguments(passed_as<Arguments>(std::forward<Each>(each)...)) {
    bytes = packed_bytes(arguments);
  }

  static LocalMessageOf& of(LocalMessage& message) { return static_cast<LocalMessageOf&>(message); }
  static void deliver(LocalMessage& message, ElementBase& element) {
    Handler::call(element, std::move(of(message).arguments));
  }
  static void pack(const LocalMessage& message, std::span<std::byte> packed) {
    objects::pack(static_cast<const LocalMessageOf&>(message).arguments, packed);
  }
  static void destroy(LocalMessage& message) { of(message).~LocalMessageOf(); }
  static Step step(const LocalMessage& message) {
    if constexpr (has_step<Arguments>)
      return std::get<0>(static_cast<const LocalMessageOf&>(message).arguments);
    return {};
  }
  inline static const Type type_of_method{Handler::number, &deliver, &pack, &destroy,
                                          has_step<Arguments> ? &step : nullptr};

  Arguments arguments;
};

/// First-in-first-out queue of messages of different sizes, in memory that it reuses.
class LocalQueue {
 public:
  LocalQueue() = default;
  LocalQueue(const LocalQueue&) = delete;
  LocalQueue& operator=(const LocalQueue&) = delete;
  ~LocalQueue() {
    while (!empty()) pop([](LocalMessage&) {});
  }

  bool empty() const { return first_ == end_; }

  /// Constructs a message at the end and returns it. If its constructor throws, the queue is unchanged.
  /// Amortised time: O(1).
  template <class Message, class... Each>
  Message& emplace(Each&&... each) {
    static_assert(alignof(Message) <= alignment && sizeof(Message) <= chunk_bytes - sizeof(Entry),
                  "the arguments of a message take more than 64 KiB: pass large arrays as std::vector");
    const std::size_t bytes = sizeof(Entry) + rounded(sizeof(Message));
    const std::size_t position = position_for(bytes);
    std::byte* const place = at(position);
    auto* const message = new (place + sizeof(Entry)) Message(std::forward<Each>(each)...);
    new (place) Entry{message, bytes};
    if (position != end_) new (at(end_)) Entry{nullptr, 0};
    end_ = position + bytes;
    return *message;
  }

  /// Calls `work(message)` with the first message, which it then destroys, even if `work` throws. `work` may
  /// add messages.
  template <class Work>
  void pop(Work&& work) {
    PLIMSOLL_EXPECT(!empty());
    if (entry().bytes == 0) first_ = next_chunk(first_);
    const Entry first = entry();
    first_ += first.bytes;
    struct Destroy {
      LocalQueue& queue;
      LocalMessage& message;
      ~Destroy() {
        message.type->destroy(message);
        queue.recycle();
      }
    } destroy{*this, *first.message};
    work(*first.message);
  }

 private:
  static constexpr std::size_t alignment = alignof(std::max_align_t);
  static constexpr std::size_t chunk_bytes = std::size_t{64} << 10;
  static constexpr std::size_t max_spare_chunks = 16;

  struct alignas(alignment) Entry {
    LocalMessage* message;
    std::size_t bytes;  // of the entry and the message; 0: the rest of the chunk is unused
  };

  static std::size_t rounded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }
  std::byte* at(std::size_t position) {
    return chunks_[position / chunk_bytes].get() + position % chunk_bytes;
  }
  Entry& entry() { return *std::launder(reinterpret_cast<Entry*>(at(first_))); }
  // Returns the position of the next message: end_, or the next chunk if this one is too short.
  std::size_t position_for(std::size_t bytes) {
    const std::size_t used = end_ % chunk_bytes;
    const std::size_t position = used != 0 && used + bytes > chunk_bytes ? next_chunk(end_) : end_;
    if (position / chunk_bytes == chunks_.size())
      chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(chunk_bytes));
    return position;
  }
  static std::size_t next_chunk(std::size_t position) { return (position / chunk_bytes + 1) * chunk_bytes; }
  // Moves chunks before the first message to the end.
  void recycle() {
    while (first_ >= chunk_bytes) {
      std::unique_ptr<std::byte[]> chunk = std::move(chunks_.front());
      chunks_.pop_front();
      first_ -= chunk_bytes;
      end_ -= chunk_bytes;
      if (chunks_.size() < end_ / chunk_bytes + max_spare_chunks) chunks_.push_back(std::move(chunk));
    }
  }

  // Positions count bytes from the beginning of the first chunk.
  std::deque<std::unique_ptr<std::byte[]>> chunks_;
  std::size_t first_ = 0;
  std::size_t end_ = 0;
};

}  // namespace plimsoll::objects
