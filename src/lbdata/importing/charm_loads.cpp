#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "lbdata/importing/object_loads.hpp"

namespace plimsoll::PLIMSOLL_ABI::lbdata {

namespace {

// Format: the database of Charm++ as CentralLB packs it (+LBDump, version 3), in the byte order of the
// machine that wrote it, without padding.

constexpr std::size_t machine_bytes = 16;
constexpr std::int32_t dump_version = 3;
// Bytes of records, so that a number of them cannot ask for much more memory than the file has.
constexpr std::size_t processor_bytes = 41;
constexpr std::size_t object_bytes = 32;
constexpr std::size_t place_bytes = 4;
constexpr std::size_t message_bytes = 29;
constexpr std::size_t receiver_bytes = 12;

/// Takes numbers from the front of a dump.
class DumpReader {
 public:
  DumpReader(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  template <class Number>
  Number take(const char* what) {
    static_assert(std::is_trivially_copyable_v<Number>);
    Number number;
    std::memcpy(&number, skip(sizeof number, what), sizeof number);
    return number;
  }
  const char* skip(std::size_t size, const char* what) {
    if (bytes_.size() - place_ < size) throw invalid(fmt::format("the file ends before {}", what));
    place_ += size;
    return bytes_.data() + place_ - size;
  }
  std::uint64_t take_count(const char* what, std::size_t record_bytes) {
    const auto number = take<std::uint64_t>(what);
    if (!may_have(number, record_bytes))
      throw invalid(fmt::format("{} {} do not fit in the rest of the file", number, what));
    return number;
  }
  /// Whether so many records fit in the rest of the file.
  bool may_have(std::uint64_t records, std::size_t record_bytes) const {
    return records <= (bytes_.size() - place_) / record_bytes;
  }
  bool at_end() const { return place_ == bytes_.size(); }

  Error invalid(std::string what) const {
    return Error(
        ErrorKind::bad_input,
        {.what = std::move(what),
         .file = file_,
         .byte = place_,
         .suggestion = "specify a file that a 64-bit little-endian build of Charm++ wrote with +LBDump, "
                       "with loads in double precision and without user data"});
  }

 private:
  std::string_view bytes_;
  const std::string& file_;
  std::size_t place_ = 0;
};

/// Reads the identity of an object: its collection and its number.
std::int64_t take_object(DumpReader& dump, const char* what) {
  dump.take<std::int32_t>(what);
  const auto id = dump.take<std::uint64_t>(what);
  if (id > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    throw dump.invalid(fmt::format("{} has the number {}, beyond 2^63 - 1", what, id));
  return static_cast<std::int64_t>(id);
}

std::uint64_t skip_processors(DumpReader& dump) {
  const std::uint64_t n_processors = dump.take_count("processors", processor_bytes);
  if (n_processors == 0) throw dump.invalid("the file has no processors");
  for (std::uint64_t k = 0; k < n_processors; ++k) {
    for (const char* time : {"the time of a processor", "its idle time", "its background load", "its speed"})
      if (!std::isfinite(dump.take<double>(time)))
        throw dump.invalid(fmt::format("{} is not a number", time));
    dump.take<std::uint8_t>("the availability of a processor");
    dump.take<std::int32_t>("its number of objects");
    dump.take<std::int32_t>("its number");
  }
  return n_processors;
}

/// Returns the bytes of an object: 13 bits, times a power of 256. 0 means that the program has not set them.
double size_in(std::uint16_t code) {
  constexpr int mantissa_bits = 13;
  return std::ldexp(code & ((1 << mantissa_bits) - 1), 8 * (code >> mantissa_bits));
}

std::vector<ObjectLoad> take_objects(DumpReader& dump) {
  std::vector<ObjectLoad> loads(dump.take_count("objects", object_bytes));
  std::set<std::int64_t> numbers;
  for (ObjectLoad& load : loads) {
    dump.take<std::int32_t>("the manager of an object");
    load.object = take_object(dump, "an object");
    if (!numbers.insert(load.object).second)
      throw dump.invalid(fmt::format("two objects have the number {}", load.object));
    dump.take<std::int32_t>("the index of an object in the database");
    load.load_s = dump.take<double>("the load of an object");
    if (!(load.load_s >= 0 && load.load_s <= max_imported_amount))
      throw dump.invalid(fmt::format("the load of object {} is {}", load.object, load.load_s));
    load.migratable = dump.take<std::uint8_t>("whether an object may migrate") != 0;
    dump.take<std::uint8_t>("whether an object migrates asynchronously");
    const double bytes = size_in(dump.take<std::uint16_t>("the size of an object"));
    if (bytes > 0) load.user_defined = fmt::format(R"({{"task_serialized_bytes":{}}})", bytes);
  }
  return loads;
}

void take_places(DumpReader& dump, std::uint64_t n_processors, std::vector<ObjectLoad>& loads) {
  if (dump.take_count("processors of objects", place_bytes) != loads.size())
    throw dump.invalid("the number of processors of objects is not the number of objects");
  for (ObjectLoad& load : loads) {
    load.rank = dump.take<std::int32_t>("the processor of an object");
    if (load.rank < 0 || static_cast<std::uint64_t>(load.rank) >= n_processors)
      throw dump.invalid(
          fmt::format("object {} is on processor {} of {}", load.object, load.rank, n_processors));
  }
}

enum class Receiver : std::uint8_t { processor = 1, object = 2, objects = 3 };

/// Reads the receivers of messages; none if a processor receives them.
std::vector<std::int64_t> take_receivers(DumpReader& dump) {
  switch (static_cast<Receiver>(dump.take<std::uint8_t>("the kind of a receiver"))) {
    case Receiver::processor: dump.take<std::int32_t>("a receiving processor"); return {};
    case Receiver::object: {
      const std::int64_t receiver = take_object(dump, "a receiver");
      dump.take<std::int32_t>("the last processor of a receiver");
      return {receiver};
    }
    case Receiver::objects: {
      const auto n = dump.take<std::int32_t>("the number of receivers");
      if (n < 0 || !dump.may_have(static_cast<std::uint64_t>(n), receiver_bytes))
        throw dump.invalid(fmt::format("{} receivers do not fit in the rest of the file", n));
      std::vector<std::int64_t> receivers(static_cast<std::size_t>(n));
      for (std::int64_t& receiver : receivers) receiver = take_object(dump, "a receiver");
      return receivers;
    }
  }
  throw dump.invalid("unknown kind of receiver");
}

std::vector<ObjectEdge> take_messages(DumpReader& dump) {
  std::vector<ObjectEdge> edges;
  const std::uint64_t n_edges = dump.take_count("messages", message_bytes);
  for (std::uint64_t k = 0; k < n_edges; ++k) {
    const auto processor = dump.take<std::int32_t>("the sending processor");
    const std::int64_t sender = take_object(dump, "a sender");
    const std::vector<std::int64_t> receivers = take_receivers(dump);
    const auto messages = dump.take<std::int32_t>("a number of messages");
    const auto bytes = dump.take<std::int32_t>("a number of bytes");
    if (messages < 0 || bytes < 0) throw dump.invalid("a number of messages or bytes is negative");
    if (processor >= 0) continue;  // the processor itself sends
    for (const std::int64_t receiver : receivers)
      edges.push_back(
          {.from = sender, .to = receiver, .messages = messages, .bytes = static_cast<double>(bytes)});
  }
  return edges;
}

}  // namespace

ObjectLoads charm_loads(std::string_view text, const std::string& file) {
  DumpReader dump(text, file);
  dump.skip(machine_bytes, "the description of the machine");
  if (const auto version = dump.take<std::int32_t>("the version"); version != dump_version)
    throw dump.invalid(fmt::format("version {}, not {}", version, dump_version));
  dump.take<std::int32_t>("the number of processors");
  dump.take<std::int32_t>("the number of migratable objects");
  const std::uint64_t n_processors = skip_processors(dump);
  ObjectLoads result;
  result.loads = take_objects(dump);
  take_places(dump, n_processors, result.loads);
  result.edges = take_messages(dump);
  if (!dump.at_end()) throw dump.invalid("data after the messages");
  result.n_ranks = static_cast<std::int64_t>(n_processors);
  return result;
}

}  // namespace plimsoll::lbdata
