#include "collectives/merging/sums_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <map>
#include <string_view>
#include <utility>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

using SumsKind = rank_sums::Kind;

// Larger values are damage: no program reaches them, and their sums over ranks would overflow.
constexpr std::uint64_t max_sum = std::uint64_t{1} << 58;
constexpr std::size_t max_functions = 4096;
constexpr std::size_t max_name_bytes = 64;

template <class Record>
Record load_from(std::span<const char> bytes, std::size_t position = 0) {
  Record record;
  std::memcpy(&record, bytes.data() + position, sizeof record);
  return record;
}

struct Block {
  SumsKind kind = SumsKind::unused;
  std::uint32_t number = 0;
  std::uint64_t bytes = 0;  ///< with header
  bool has_check = false;
  std::span<const char> content;

  template <class Record>
  std::optional<Record> record() const {
    return content.size() >= sizeof(Record) ? std::optional(load_from<Record>(content)) : std::nullopt;
  }
};

/// Returns whether the content of a kind never changes, and always has a checksum.
bool is_final(SumsKind kind) {
  return kind == SumsKind::rank || kind == SumsKind::functions || kind == SumsKind::module ||
         kind == SumsKind::place;
}

[[noreturn]] void reject(const std::string& name, std::uint64_t byte) {
  throw Error(ErrorKind::bad_input, {.what = "the file of MPI calls is damaged",
                                     .file = name,
                                     .byte = byte,
                                     .suggestion = "check the disk of the file"});
}

/// Reads the block at the beginning of `bytes`; nothing if that is not a block. The kind of unused and of
/// damaged blocks is `unused`; sets `is_damaged` for the latter.
std::optional<Block> read_block(std::span<const char> bytes, bool& is_damaged) {
  if (bytes.size() < sizeof(rank_sums::BlockHeader)) return std::nullopt;
  const auto header = load_from<rank_sums::BlockHeader>(bytes);
  const auto size = rank_log::unchecked(header.bytes);
  if (!size || *size < sizeof header || *size % rank_sums::alignment != 0 || *size > bytes.size())
    return std::nullopt;
  Block block = {.bytes = *size, .content = {}};
  if (header.head == 0) return block;
  const auto head = rank_log::unchecked(header.head);
  const bool fits = header.content_bytes <= *size - sizeof header;
  if (fits) block.content = bytes.subspan(sizeof header, header.content_bytes);
  if (head && fits) {
    block.kind = static_cast<SumsKind>(*head & 0xff);
    block.number = static_cast<std::uint32_t>(*head >> 8);
  }
  block.has_check = header.check != 0 || is_final(block.kind);
  is_damaged =
      !head || !fits ||
      (block.has_check && header.check != rank_sums::check_of(header.head, std::as_bytes(block.content)));
  if (is_damaged) block.kind = SumsKind::unused;
  return block;
}

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names;
  for (std::size_t end = 0; (end = text.find('\0')) != text.npos && names.size() < max_functions;
       text.remove_prefix(end + 1))
    names.emplace_back(text.substr(0, end));
  return names;
}

bool is_function(std::string_view name) {
  return name.starts_with("MPI_") && name.size() <= max_name_bytes &&
         std::ranges::all_of(name, [](char letter) {
           return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                  (letter >= '0' && letter <= '9') || letter == '_';
         });
}

template <class... Values>
bool are_possible(Values... values) {
  return ((values <= max_sum) && ...);
}

bool is_possible(const SiteSums& sums) {
  return sums.calls > 0 &&
         are_possible(sums.calls, sums.failed_calls, sums.sent_bytes, sums.received_bytes, sums.time_ns);
}
bool is_possible(const SiteRecord& site) {
  return is_possible(site.sums) && are_possible(site.sums.outside_ns, site.previous.after_ns);
}
bool is_possible(const MessageSums& sums) {
  return sums.messages > 0 && are_possible(sums.messages, sums.bytes);
}
bool is_possible(const MeasuredWaits& waits) {
  return waits.calls > 0 && are_possible(waits.calls, waits.time_ns, waits.waited_ns);
}

bool is_possible(const FunctionSums& sums) {
  std::uint64_t calls = 0;
  for (std::size_t number = 0; number < SizeClasses::classes; ++number) {
    if (!are_possible(sums.sizes[number].calls, sums.sizes[number].time_ns)) return false;
    calls += sums.sizes[number].calls;
  }
  return calls > 0 && sums.windows.are_possible();
}

/// The valid blocks of a file. Throws Error (bad_input) for damage in a sealed file, or in its `progress`,
/// which tells whether the file is sealed; else adds a finding for damage.
class Blocks {
 public:
  Blocks(std::span<const char> bytes, const std::string& name, std::vector<support::Diagnostic>& findings) {
    std::optional<std::size_t> damage;     // position of the first damaged block
    std::optional<std::size_t> unchecked;  // and of the first one whose content may change
    std::size_t position = 0;
    while (position < bytes.size()) {
      bool is_damaged = false;
      const auto block = read_block(bytes.subspan(position), is_damaged);
      if (!block) break;
      if (is_damaged && !damage) damage = position;
      if (block->kind != SumsKind::unused) {
        valid_[{block->kind, block->number}] = *block;
        if (!block->has_check && !unchecked) unchecked = position;
      }
      position += block->bytes;
    }
    const Block* const found = find(SumsKind::progress);
    const auto progress = found ? found->record<rank_sums::Progress>() : std::nullopt;
    if (!progress) reject(name, damage.value_or(position));
    progress_ = *progress;
    const std::span<const char> rest = bytes.subspan(position);
    const bool is_cut =
        position < progress_.used_bytes || std::ranges::any_of(rest, [](char byte) { return byte != 0; });
    const bool is_sealed = found->has_check;
    if (is_sealed && !damage) damage = unchecked;
    if (is_sealed && (damage || is_cut)) reject(name, damage.value_or(position));
    if (is_cut || damage)
      findings.push_back({.severity = support::Severity::warning,
                          .check = "merge",
                          .what = is_cut ? "the file of MPI calls is damaged or cut; the rest is skipped"
                                         : "parts of the file of MPI calls are damaged, and skipped",
                          .file = name,
                          .byte = is_cut ? position : *damage,
                          .suggestion = "check the disk of the file"});
  }

  const rank_sums::Progress& progress() const { return progress_; }

  const Block* find(SumsKind kind) const {
    const auto found = valid_.find({kind, 0});
    return found == valid_.end() ? nullptr : &found->second;
  }
  template <class Visit>
  void for_each(SumsKind kind, Visit&& visit) const {
    for (auto block = valid_.lower_bound({kind, 0}); block != valid_.end() && block->first.first == kind;
         ++block)
      visit(block->second);
  }

 private:
  std::map<std::pair<SumsKind, std::uint32_t>, Block> valid_;
  rank_sums::Progress progress_ = {};
};

using SumsKey = std::pair<std::uint64_t, std::uint32_t>;  // place and kind of an entry

/// Sums of the entries of all tables of one kind.
template <class Sums>
struct Table {
  std::map<SumsKey, Sums> sums;
  std::uint32_t tables_in_use = 0;
  std::uint64_t impossible = 0;

  Table(const Blocks& blocks, SumsKind kind) {
    blocks.for_each(kind, [&](const Block& block) {
      const std::uint64_t before = entries_;
      using Entry = rank_sums::Entry<Sums>;
      for (std::size_t at = 0; at + sizeof(Entry) <= block.content.size(); at += sizeof(Entry))
        add(load_from<Entry>(block.content, at));
      tables_in_use += entries_ > before;
    });
  }

 private:
  void add(const rank_sums::Entry<Sums>& entry) {
    if (entry.check == 0 || entry.sums == Sums{}) return;
    if (entry.check == rank_sums::check_of_key(entry.place, entry.kind) && is_possible(entry.sums)) {
      sums[{entry.place, entry.kind}].add(entry.sums);
      ++entries_;
    } else {
      ++impossible;
    }
  }
  std::uint64_t entries_ = 0;
};

/// Adds the sites whose function is known, in the order of their addresses.
void add_sites(const Blocks& blocks, RankCalls& calls, std::uint64_t& impossible) {
  std::map<std::uint64_t, rank_sums::PlaceRecord> places;
  blocks.for_each(SumsKind::place, [&](const Block& block) {
    if (const auto place = block.record<rank_sums::PlaceRecord>()) places[place->address] = *place;
  });
  std::map<std::uint32_t, std::uint32_t> modules;
  blocks.for_each(SumsKind::module, [&](const Block& block) {
    modules[block.number] = static_cast<std::uint32_t>(calls.modules.size());
    calls.modules.emplace_back(block.content.begin(), block.content.end());
  });
  const auto unknown = static_cast<std::uint32_t>(calls.modules.size());
  calls.modules.emplace_back("unknown");

  const Table<SiteRecord> sites(blocks, SumsKind::sites);
  const Table<MeasuredWaits> waits(blocks, SumsKind::waits);
  impossible += sites.impossible + waits.impossible;
  calls.process.threads = sites.tables_in_use;
  std::map<SumsKey, std::uint32_t> numbers;  // of the sites
  for (const auto& [key, recorded] : sites.sums) {
    const auto& [address, function] = key;
    const SiteSums& sums = recorded.sums;
    if (function >= calls.functions.size() || !is_function(calls.functions[function])) {
      ++impossible;
      continue;
    }
    RankCalls::Site site = {function, unknown, address, sums, {}};
    if (const auto place = places.find(address);
        place != places.end() && modules.contains(place->second.module)) {
      site.module = modules[place->second.module];
      site.offset = place->second.offset;
    }
    // The file of a running program may have been read between the stores of one call.
    site.sums.failed_calls = std::min(sums.failed_calls, sums.calls);
    site.sums.longest_call_ns = std::min(sums.longest_call_ns, sums.time_ns);
    if (const auto waited = waits.sums.find(key); waited != waits.sums.end()) {
      site.waits = waited->second;
      site.waits.waited_ns = std::min(site.waits.waited_ns, sums.time_ns);
    }
    site.after_previous_ns = std::min(recorded.previous.after_ns, sums.outside_ns);
    numbers[key] = static_cast<std::uint32_t>(calls.sites.size());
    calls.sites.push_back(site);
  }
  for (const auto& [key, number] : numbers) {
    const SumKey& previous = sites.sums.at(key).previous.place;
    const auto found = numbers.find({previous.place, previous.kind});
    if (found != numbers.end()) calls.sites[number].previous = found->second;
  }
}

void add_functions(const Blocks& blocks, RankCalls& calls, std::uint64_t& impossible) {
  const Table<FunctionSums> functions(blocks, SumsKind::calls);
  impossible += functions.impossible;
  for (const auto& [key, sums] : functions.sums) {
    const std::uint32_t function = key.second;
    if (function < calls.functions.size() && is_function(calls.functions[function]))
      calls.of_functions.push_back({function, sums});
    else
      ++impossible;
  }
}

void add_messages(const Blocks& blocks, std::uint32_t ranks, RankCalls& calls, std::uint64_t& impossible) {
  const Table<MessageSums> messages(blocks, SumsKind::messages);
  impossible += messages.impossible;
  for (const auto& [key, sums] : messages.sums) {
    const auto& [peer, direction] = key;
    if (peer < ranks && direction <= static_cast<std::uint32_t>(rank_sums::Direction::from_peer))
      calls.messages.push_back({static_cast<std::uint32_t>(peer),
                                direction == static_cast<std::uint32_t>(rank_sums::Direction::to_peer),
                                sums});
    else
      ++impossible;
  }
}

/// Returns the recorded time: until now if recording has ended, else until the end of the last call.
std::uint64_t recorded_ns(const Blocks& blocks) {
  const rank_sums::Progress& progress = blocks.progress();
  std::uint64_t last_ns = 0;
  blocks.for_each(SumsKind::thread, [&](const Block& block) {
    if (const auto thread = block.record<rank_sums::ThreadRecord>())
      last_ns = std::max(last_ns, thread->last_ns);
  });
  std::uint64_t ns = progress.before_ns;
  if (progress.begin_ns != 0 && last_ns > progress.begin_ns) ns += last_ns - progress.begin_ns;
  return ns <= max_sum ? ns : 0;
}

/// Reports a file whose first block is not that of this format.
[[noreturn]] void reject_start(std::span<const char> bytes, const std::string& name) {
  constexpr int version_at = 56;
  bool is_damaged = false;
  const auto block = read_block(bytes, is_damaged);
  const auto rank = block && !is_damaged ? block->record<rank_sums::RankRecord>() : std::nullopt;
  const std::uint64_t difference = rank ? rank->magic ^ rank_sums::magic : 0;
  if (difference != 0 && difference << (64 - version_at) == 0)
    throw support::bad_input(fmt::format("the file of MPI calls has format version {}: expected version {}",
                                         static_cast<char>(rank->magic >> version_at),
                                         static_cast<char>(rank_sums::magic >> version_at)),
                             name, "use the version of Plimsoll that recorded the file");
  reject(name, 0);
}

}  // namespace

std::optional<SumsHeader> read_sums_header(std::span<const char> bytes) {
  bool is_damaged = false;
  const auto block = read_block(bytes, is_damaged);
  if (!block || block->kind != SumsKind::rank) return std::nullopt;
  const auto rank = block->record<rank_sums::RankRecord>();
  if (!rank || rank->magic != rank_sums::magic || rank->world_size > rank_sums::max_ranks ||
      rank->world_rank >= rank->world_size)
    return std::nullopt;
  SumsHeader header = {*rank, {}};
  header.host.assign(block->content.begin() + sizeof(rank_sums::RankRecord), block->content.end());
  return header;
}

std::optional<SumsHeader> sums_header_of(const std::filesystem::path& path) {
  std::error_code unknown;
  const std::string name = path.filename().string();
  if (!name.starts_with("plimsoll-") || !name.ends_with(".calls") ||
      !std::filesystem::is_regular_file(path, unknown))
    return std::nullopt;
  std::array<char, sums_header_bytes> bytes{};
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), bytes.size());
  return read_sums_header({bytes.data(), static_cast<std::size_t>(file.gcount())});
}

RankSums read_rank_sums(std::span<const char> bytes, const std::string& name,
                        std::vector<support::Diagnostic>& findings) {
  const auto header = read_sums_header(bytes);
  if (!header) reject_start(bytes, name);
  const Blocks blocks(bytes, name, findings);
  RankSums result = {.header = *header, .calls = {}};
  result.calls.host = header->host;
  if (const Block* const functions = blocks.find(SumsKind::functions))
    result.calls.functions = split_names({functions->content.data(), functions->content.size()});
  std::uint64_t impossible = 0;
  add_sites(blocks, result.calls, impossible);
  add_functions(blocks, result.calls, impossible);
  add_messages(blocks, header->world_size, result.calls, impossible);
  if (impossible > 0)
    findings.push_back({.severity = support::Severity::warning,
                        .check = "merge",
                        .what = fmt::format("impossible sums of MPI calls are skipped: {}", impossible),
                        .file = name});
  result.finalized = blocks.progress().finalized == 1;
  if (blocks.progress().lacks_calls == 0)
    result.calls.process.wall_ns = recorded_ns(blocks);
  else
    findings.push_back({.severity = support::Severity::warning,
                        .check = "merge",
                        .what = "the file of MPI calls could not grow: it lacks calls, and the recorded time "
                                "of the rank is unknown",
                        .file = name,
                        .suggestion = "check the free disk space"});
  return result;
}

}  // namespace plimsoll::collectives
