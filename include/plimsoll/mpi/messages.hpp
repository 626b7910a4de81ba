#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <plimsoll/support/error.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

class Communicator;

/// Whether the bytes of a value say all about it. Those of a pointer or a view only say where it is.
template <class Value>
inline constexpr bool is_sent_as_bytes =
    std::is_trivially_copyable_v<Value> && !std::is_pointer_v<Value> && !std::ranges::enable_view<Value>;

/// Packs values and arrays into the bytes of a message. All ranks must represent them in the same way, which
/// MPI programs on one kind of processor do.
class Packer {
 public:
  /// Reserves memory for this number of bytes.
  void reserve(std::size_t bytes) { bytes_.reserve(bytes); }
  template <class Value>
  void value(const Value& value) {
    static_assert(is_sent_as_bytes<Value>);
    append(&value, sizeof value);
  }
  /// Packs an array, with its length.
  template <class Value>
  void array(std::span<const Value> values) {
    static_assert(is_sent_as_bytes<Value>);
    value(values.size());
    append(values.data(), values.size_bytes());
  }
  template <class Value>
  void array(const std::vector<Value>& values) {
    array(std::span<const Value>(values));
  }
  void text(std::string_view text) { array(std::span<const char>(text)); }
  /// Packs values of any number and of these types: trivially copyable ones, strings, pairs and vectors of
  /// them, and structures with a member function `template <class Archive> void serialize(Archive&)`.
  template <class... Values>
  void operator()(const Values&... values) {
    (add(values), ...);
  }
  const std::vector<std::byte>& bytes() const { return bytes_; }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  template <class Value>
  void add(const Value& each) {
    if constexpr (std::is_trivially_copyable_v<Value>)
      value(each);
    else
      const_cast<Value&>(each).serialize(*this);
  }
  void add(const std::string& each) { text(each); }
  template <class Value>
  void add(const std::vector<Value>& values) {
    if constexpr (std::is_trivially_copyable_v<Value>) return array(values);
    value(values.size());
    for (const Value& each : values) add(each);
  }
  template <class First, class Second>
  void add(const std::pair<First, Second>& each) {
    (*this)(each.first, each.second);
  }
  void append(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }

  std::vector<std::byte> bytes_;
};

/// Unpacks what a Packer packed, in the same order. Throws Error (bad_input) beyond the end of the bytes.
class Unpacker {
 public:
  explicit Unpacker(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class Value>
  Value value() {
    static_assert(is_sent_as_bytes<Value>);
    Value value;
    std::memcpy(&value, next(sizeof value), sizeof value);
    return value;
  }
  /// Unpacks an array and appends it to `values`.
  template <class Value>
  void append_to(std::vector<Value>& values) {
    static_assert(is_sent_as_bytes<Value>);
    const std::size_t count = length(sizeof(Value));
    const std::size_t old_size = values.size();
    values.resize(old_size + count);
    if (count > 0) std::memcpy(values.data() + old_size, next(count * sizeof(Value)), count * sizeof(Value));
  }
  template <class Value>
  std::vector<Value> array() {
    std::vector<Value> values;
    append_to(values);
    return values;
  }
  std::string text() {
    const std::size_t size = length(1);
    return {reinterpret_cast<const char*>(next(size)), size};
  }
  bool at_end() const { return bytes_.empty(); }
  /// Unpacks what the same function of Packer packed. Vectors must be empty.
  template <class... Values>
  void operator()(Values&... values) {
    (read(values), ...);
  }

 private:
  template <class Value>
  void read(Value& each) {
    if constexpr (std::is_trivially_copyable_v<Value>)
      each = value<Value>();
    else
      each.serialize(*this);
  }
  void read(std::string& each) { each = text(); }
  template <class Value>
  void read(std::vector<Value>& values) {
    if constexpr (std::is_trivially_copyable_v<Value>) return append_to(values);
    for (auto count = value<std::size_t>(); count > 0; --count) read(values.emplace_back());
  }
  template <class First, class Second>
  void read(std::pair<First, Second>& each) {
    (*this)(each.first, each.second);
  }
  std::size_t length(std::size_t element_bytes) {
    const auto count = value<std::size_t>();
    if (count > bytes_.size() / element_bytes) too_short();
    return count;
  }
  const std::byte* next(std::size_t size) {
    if (size > bytes_.size()) too_short();
    const std::byte* begin = bytes_.data();
    bytes_ = bytes_.subspan(size);
    return begin;
  }
  [[noreturn]] static void too_short() {
    throw support::bad_input("message between ranks is too short",
                             "run the same version of the program on all ranks");
  }

  std::span<const std::byte> bytes_;
};

/// Maximum bytes of one MPI message, because counts of MPI-3 are 32-bit integers.
inline constexpr std::size_t max_piece_bytes = std::size_t{1} << 30;

/// Sends any number of bytes. Data longer than `piece_bytes` are sent in pieces of that size; sender and
/// receiver must use the same `piece_bytes`. May wait for the receiver, like MPI_Send. All functions in this
/// file that send or receive throw Error: system if MPI fails, usage if `piece_bytes` is 0 or above
/// max_piece_bytes.
void send(const Communicator& communicator, std::span<const std::byte> bytes, int to, int tag,
          std::size_t piece_bytes = max_piece_bytes);

/// Receives the data of one send(). `from` may be MPI_ANY_SOURCE and `tag` MPI_ANY_TAG.
std::vector<std::byte> receive(const Communicator& communicator, int from, int tag,
                               std::size_t piece_bytes = max_piece_bytes);

/// Sends data whose size the receiver knows. Otherwise like send().
void send_content(const Communicator& communicator, std::span<const std::byte> bytes, int to, int tag,
                  std::size_t piece_bytes = max_piece_bytes);
/// Receives the data of one send_content() into `bytes`, which have their size. Otherwise like receive().
void receive_content(const Communicator& communicator, std::span<std::byte> bytes, int from, int tag,
                     std::size_t piece_bytes = max_piece_bytes);

/// Broadcasts the bytes of `root` into `bytes`, which has the same size on all ranks. Collective.
void broadcast(const Communicator& communicator, std::span<std::byte> bytes, int root,
               std::size_t piece_bytes = max_piece_bytes);

// Both functions transfer any number of bytes and keep the data of only one rank in memory on `root`: a rank
// sends its data only when the other side has memory for them. If a callback throws or memory is exhausted,
// the communication is finished first, then the error is thrown on that rank alone. Callers whose ranks must
// all know call agree() or agreed() (communicator.hpp).

/// Calls `consume(rank, bytes)` on `root` with the bytes of each rank, in the order of ranks. Collective. If
/// `consume` throws, it is not called for the ranks that follow, and the exception is rethrown on `root`. The
/// bytes are valid until `consume` returns.
void gather(const Communicator& communicator, std::span<const std::byte> mine, int root,
            const std::function<void(int rank, std::span<const std::byte> bytes)>& consume);

/// Returns on each rank the bytes that `part_of(rank)` returns on `root`. Collective. `root` calls it once
/// per rank, in the order of ranks. If it throws, the ranks that follow receive no bytes, and the exception
/// is rethrown on `root`.
std::vector<std::byte> scatter(const Communicator& communicator,
                               const std::function<std::vector<std::byte>(int rank)>& part_of, int root);

}  // namespace plimsoll::mpi
