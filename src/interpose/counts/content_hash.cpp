#include "interpose/counts/content_hash.hpp"

#include <algorithm>
#include <climits>
#include <vector>

#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

constexpr std::int64_t piece_bytes = 64 << 10;
constexpr std::int64_t max_checked_bytes = 4 << 10;

// Buffers below this address do not exist. Calls with a null pointer are erroneous, and MPI reports them.
constexpr std::uintptr_t lowest_address = 4096;

std::uintptr_t address_in(const Message& message, std::int64_t offset_bytes) {
  return reinterpret_cast<std::uintptr_t>(message.begin) + static_cast<std::uintptr_t>(offset_bytes);
}

/// Properties of a type.
struct Shape {
  MPI_Count size = 0;
  MPI_Count extent = 0;
  MPI_Count true_lower_bound = 0;
  bool dense = false;  ///< whether elements are contiguous bytes without gaps, in the order of the type map
};

/// Hashes the messages of one call. Remembers the shape of the last type.
class MessagesHasher {
 public:
  explicit MessagesHasher(MPI_Comm comm) : comm_(comm) {}

  /// Adds the size of a message and its data. Returns whether this was possible.
  bool add(const Message& message) {
    if (message.count < 0 || (message.count > 0 && !find_shape(message.type))) return false;
    std::int64_t bytes = 0;
    if (message.count > 0 && __builtin_mul_overflow(message.count, shape_.size, &bytes)) return false;
    hash_.add(std::as_bytes(std::span(&bytes, 1)));
    if (bytes == 0) return true;
    if (address_in(message, shape_.true_lower_bound) < lowest_address) return false;
    if (!shape_.dense) return add_packed(message);
    hash_.add({message.begin, static_cast<std::size_t>(bytes)});
    return true;
  }

  std::uint64_t value() const { return std::max<std::uint64_t>(hash_.value(), 1); }

 private:
  bool find_shape(MPI_Datatype type) {
    if (type == MPI_DATATYPE_NULL) return false;
    if (type == type_) return true;
    MPI_Count lower_bound = 0;
    MPI_Count true_extent = 0;
    if (PMPI_Type_size_x(type, &shape_.size) != MPI_SUCCESS || shape_.size < 0 ||
        PMPI_Type_get_extent_x(type, &lower_bound, &shape_.extent) != MPI_SUCCESS ||
        PMPI_Type_get_true_extent_x(type, &shape_.true_lower_bound, &true_extent) != MPI_SUCCESS)
      return false;
    type_ = type;
    const bool may_be_dense = lower_bound == 0 && shape_.true_lower_bound == 0 &&
                              shape_.extent == shape_.size && true_extent == shape_.size;
    shape_.dense = may_be_dense && shape_.size <= max_checked_bytes && packs_unchanged();
    return true;
  }

  /// Returns whether MPI packs each byte of an element to its own position. A type with this size and extent
  /// may still have other bytes first, or some bytes twice and gaps.
  bool packs_unchanged() {
    std::vector<unsigned char> element(static_cast<std::size_t>(shape_.size));
    for (const int shift : {0, 8}) {  // both bytes of its position identify a byte
      for (std::size_t k = 0; k < element.size(); ++k) element[k] = static_cast<unsigned char>(k >> shift);
      if (!pack(element.data(), 1)) return false;
      if (!std::ranges::equal(std::as_bytes(std::span(element)), packed_)) return false;
      if (element.size() <= 256) break;
    }
    return true;
  }

  bool add_packed(const Message& message) {
    const std::int64_t at_once = std::max<std::int64_t>(piece_bytes / shape_.size, 1);
    for (std::int64_t done = 0; done < message.count; done += at_once) {
      const std::uintptr_t address = address_in(message, done * shape_.extent);
      if (!pack(reinterpret_cast<const void*>(address), std::min(at_once, message.count - done)))
        return false;
      hash_.add(packed_);
    }
    return true;
  }

  /// Copies the data of elements to packed_. MPI_Pack of MPICH rejects MPI_BOTTOM. A type that is shifted by
  /// one byte has the same data at address 1.
  bool pack(const void* elements, std::int64_t count) {
    if (elements != nullptr) return pack(elements, count, type_);
    const MPI_Aint shift = -1;
    MPI_Datatype shifted = MPI_DATATYPE_NULL;
    if (PMPI_Type_create_hindexed_block(1, 1, &shift, type_, &shifted) != MPI_SUCCESS) return false;
    PMPI_Type_commit(&shifted);
    const bool packed = pack(reinterpret_cast<const void*>(1), count, shifted);
    PMPI_Type_free(&shifted);
    return packed;
  }

  bool pack(const void* elements, std::int64_t count, MPI_Datatype type) {
    const std::int64_t bytes = count * shape_.size;
    int capacity = 0;
    int position = 0;
    if (bytes > INT_MAX || PMPI_Pack_size(static_cast<int>(count), type, comm_, &capacity) != MPI_SUCCESS ||
        capacity < bytes)
      return false;
    packed_.resize(static_cast<std::size_t>(capacity));
    if (PMPI_Pack(elements, static_cast<int>(count), type, packed_.data(), capacity, &position, comm_) !=
            MPI_SUCCESS ||
        position != bytes)
      return false;
    packed_.resize(static_cast<std::size_t>(position));
    return true;
  }

  MPI_Comm comm_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  Shape shape_;
  std::vector<std::byte> packed_;
  support::RunningHash hash_;
};

}  // namespace

ContentHasher::ContentHasher() {
  PMPI_Comm_split(MPI_COMM_SELF, 0, 0, &comm_);
  if (comm_ != MPI_COMM_NULL) PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
}

void ContentHasher::release() {
  if (comm_ != MPI_COMM_NULL) PMPI_Comm_free(&comm_);
}

std::uint64_t ContentHasher::hash_of(std::span<const Message> messages) const {
  MessagesHasher hasher(comm_);
  for (const Message& message : messages)
    if (!hasher.add(message)) return 0;
  return hasher.value();
}

}  // namespace plimsoll::interpose
