#include "collectives/profile_file/fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "collectives/model/number_codes.hpp"
#include "collectives/profile_file/little_endian.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

constexpr std::size_t group_size = 64;
constexpr std::size_t word_bytes = sizeof(std::uint64_t);
/// The bits of a group, and room for a word that begins in its last byte.
using GroupBits = std::array<std::byte, (group_size + 2) * word_bytes>;

constexpr std::size_t bytes_of(std::size_t numbers, unsigned bits) {
  return (numbers * bits + 7) / 8;
}

void set_bits(std::uint64_t value, std::size_t position, GroupBits& group) {
  std::byte* const bytes = group.data() + position / 8;
  const unsigned shift = position % 8;
  store_little_endian(load_little_endian<std::uint64_t>(bytes) | value << shift, bytes);
  if (shift > 0) {
    std::byte& last = bytes[word_bytes];
    last |= static_cast<std::byte>(value >> (64 - shift));
  }
}

std::uint64_t bits_at(std::size_t position, unsigned bits, const GroupBits& group) {
  const std::byte* const bytes = group.data() + position / 8;
  const unsigned shift = position % 8;
  std::uint64_t value = load_little_endian<std::uint64_t>(bytes) >> shift;
  if (bits + shift > 64) value |= std::to_integer<std::uint64_t>(bytes[word_bytes]) << (64 - shift);
  return bits == 64 ? value : value & ((std::uint64_t{1} << bits) - 1);
}

}  // namespace

void FieldWriter::signed_number(std::int64_t number) {
  this->number(folded_distance(static_cast<std::uint64_t>(number)));
}

void FieldWriter::word(std::uint64_t word) {
  std::array<std::byte, word_bytes> bytes;
  store_little_endian(word, bytes.data());
  output_.put(bytes);
}

void FieldWriter::text(std::string_view text) {
  number(text.size());
  output_.put(std::as_bytes(std::span(text)));
}

void FieldWriter::list(const NumberList& list) {
  number(list.size());
  if (list.empty()) return;
  number(list.code().size());
  output_.put(std::as_bytes(list.code()));
  number(list.last_run().first);
  number(list.last_run().size() - 1);
}

void FieldWriter::numbers(std::span<const std::int64_t> numbers) {
  for (; !numbers.empty(); numbers = numbers.subspan(std::min(group_size, numbers.size()))) {
    const auto group = numbers.first(std::min(group_size, numbers.size()));
    const auto [smallest, largest] = std::ranges::minmax(group);
    const auto difference = [smallest = static_cast<std::uint64_t>(smallest)](std::int64_t number) {
      return static_cast<std::uint64_t>(number) - smallest;
    };
    const auto bits = static_cast<unsigned>(std::bit_width(difference(largest)));
    signed_number(smallest);
    output_.put(static_cast<std::byte>(bits));
    GroupBits coded{};
    if (bits > 0)
      for (std::size_t k = 0; k < group.size(); ++k) set_bits(difference(group[k]), k * bits, coded);
    output_.put(std::span(coded).first(bytes_of(group.size(), bits)));
  }
}

void FieldWriter::numbers(std::span<const std::uint64_t> numbers) {
  // The standard allows access to unsigned numbers as signed ones.
  this->numbers(std::span(reinterpret_cast<const std::int64_t*>(numbers.data()), numbers.size()));
}

std::uint64_t FieldReader::number(std::uint64_t most, std::string_view what) {
  const std::uint64_t read = number();
  if (read > most) fail(fmt::format("invalid {} {}: expected up to {}", what, read, most));
  return read;
}

std::int64_t FieldReader::signed_number() {
  return static_cast<std::int64_t>(unfolded_distance(number()));
}

std::uint64_t FieldReader::word() {
  std::array<std::byte, word_bytes> bytes;
  input_.get(bytes);
  return load_little_endian<std::uint64_t>(bytes.data());
}

std::string FieldReader::text() {
  std::string text(number(input_.remaining(), "size of a text"), '\0');
  input_.get(std::as_writable_bytes(std::span(text)));
  return text;
}

NumberList FieldReader::list(std::uint64_t largest) {
  const std::uint64_t size = number(max_list_size_, "length of a list");
  if (size == 0) return {};
  std::vector<std::uint8_t> code(number(input_.remaining(), "size of a list"));
  input_.get(std::as_writable_bytes(std::span(code)));
  NumberList::Run last{number(), 0};
  last.last = last.first + number(UINT64_MAX - last.first, "size of a run");
  std::optional<NumberList> list = NumberList::from_code(std::move(code), last, size);
  if (!list || list->size() != size) fail(fmt::format("invalid list of {} numbers", size));
  if (list->max() > largest)
    fail(fmt::format("a list contains {}: expected numbers up to {}", list->max(), largest));
  return *std::move(list);
}

template <class Number>
std::vector<Number> FieldReader::read_numbers(std::uint64_t count) {
  if (count / max_numbers_per_byte > input_.remaining())
    fail(fmt::format("{} numbers do not fit into the rest of the file", count));
  take(count);
  std::vector<Number> numbers;
  numbers.reserve(count);
  GroupBits coded{};
  while (count > 0) {
    const std::size_t size = std::min<std::uint64_t>(count, group_size);
    const auto smallest = static_cast<std::uint64_t>(signed_number());
    const auto bits = std::to_integer<unsigned>(input_.get());
    if (bits > 64) fail(fmt::format("numbers of {} bits: expected up to 64", bits));
    input_.get(std::span(coded).first(bytes_of(size, bits)));
    for (std::size_t k = 0; k < size; ++k)
      numbers.push_back(static_cast<Number>(smallest + (bits == 0 ? 0 : bits_at(k * bits, bits, coded))));
    count -= size;
  }
  return numbers;
}

std::vector<std::int64_t> FieldReader::numbers(std::uint64_t count) {
  return read_numbers<std::int64_t>(count);
}

std::vector<std::uint64_t> FieldReader::unsigned_numbers(std::uint64_t count) {
  return read_numbers<std::uint64_t>(count);
}

void FieldReader::take(std::uint64_t numbers) {
  if (numbers > budget_.left()) fail("too many numbers: the limit for all files is exceeded");
  budget_.take(numbers, 0);
}

}  // namespace plimsoll::collectives
