#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <unordered_set>
#include <vector>

#include <plimsoll/collectives/internal/frame_names.hpp>
#include <plimsoll/collectives/internal/sums_file.hpp>
#include <plimsoll/support/internal/threads.hpp>

#include "collectives/recording/mapped_file.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

constexpr std::uint64_t largest_part = std::uint64_t{16} << 20;

void store_last(std::uint64_t& place, std::uint64_t value) {
  std::atomic_ref(place).store(value, std::memory_order_release);
}

rank_sums::BlockHeader& header_of(std::byte* content) {
  return *reinterpret_cast<rank_sums::BlockHeader*>(content - sizeof(rank_sums::BlockHeader));
}

template <class Record>
std::span<const std::byte> raw_bytes(const Record& record) {
  return std::as_bytes(std::span(&record, 1));
}

std::span<const std::byte> raw_bytes(const std::string& text) {
  return std::as_bytes(std::span(text));
}

}  // namespace

struct SumsFile::State {
  State(const std::string& folder, const RankIdentity& identity)
      : file(fmt::format("{}/plimsoll-{:x}.rank{}.calls", folder, identity.run_id, identity.world_rank),
             {.file = "the file of MPI calls", .loss = "later MPI calls are lost if the program is killed"}) {
  }

  /// Reserves a block and returns its content. Throws Error (system).
  std::byte* reserve(std::uint64_t content_bytes) {
    const std::uint64_t bytes =
        round_up(sizeof(rank_sums::BlockHeader) + content_bytes, rank_sums::alignment);
    if (bytes > part_end - used) map_part(bytes);
    std::byte* const content = begin_block(bytes);
    header_of(content).content_bytes = content_bytes;
    blocks.push_back(content);
    return content;
  }

  void map_part(std::uint64_t block_bytes) {
    const std::uint64_t size = std::max(next_part, round_up(block_bytes, MappedFile::smallest_part));
    std::byte* const mapped = file.map(part_end, size, part_end + size);
    if (used < part_end) begin_block(part_end - used);  // stays unused
    part = mapped;
    part_begin = part_end;
    part_end += size;
    next_part = std::min(2 * next_part, largest_part);
  }

  std::byte* begin_block(std::uint64_t bytes) {
    std::byte* const block = part + (used - part_begin);
    used += bytes;
    store_last(reinterpret_cast<rank_sums::BlockHeader*>(block)->bytes, rank_log::checked(bytes));
    return block + sizeof(rank_sums::BlockHeader);
  }

  /// Appends a block whose content is final.
  void append(rank_sums::Kind kind, std::uint32_t number,
              std::initializer_list<std::span<const std::byte>> parts) {
    std::uint64_t bytes = 0;
    for (const auto each : parts) bytes += each.size();
    std::byte* const content = reserve(bytes);
    std::byte* end = content;
    for (const auto each : parts) end = std::ranges::copy(each, end).out;
    header_of(content).check = rank_sums::check_of(rank_sums::head_of(kind, number), {content, bytes});
    store_last(header_of(content).head, rank_sums::head_of(kind, number));
  }

  /// Adds the checksum to a block that is published and lacks one.
  static void complete(std::byte* content) {
    rank_sums::BlockHeader& header = header_of(content);
    if (header.head == 0 || header.check != 0) return;
    store_last(header.check, rank_sums::check_of(header.head, {content, header.content_bytes}));
  }

  /// Completes `progress` last: it tells that all others are complete.
  void seal() {
    const std::lock_guard lock(mutex);
    auto* const last = reinterpret_cast<std::byte*>(progress);
    for (std::byte* const content : blocks)
      if (content != last) complete(content);
    progress->used_bytes = used;
    complete(last);
  }

  std::uint32_t number_of_module(const std::string& path) {
    const auto number = static_cast<std::uint32_t>(std::ranges::find(modules, path) - modules.begin());
    if (number == modules.size()) {
      append(rank_sums::Kind::module, number, {raw_bytes(path)});
      modules.push_back(path);
    }
    return number;
  }

  /// Runs a step that extends the file. After its failure, the file does not grow any more.
  template <class Step>
  void extend(Step&& step) noexcept {
    const support::NoCancellation no_cancellation;
    const std::lock_guard lock(mutex);
    if (!error.empty()) return;
    try {
      step();
    } catch (const std::exception& failure) {
      error = failure.what();
      store_last(progress->lacks_calls, 1);
    }
  }

  std::mutex mutex;
  MappedFile file;
  std::byte* part = nullptr;  ///< latest mapped part
  std::uint64_t part_begin = 0;
  std::uint64_t part_end = 0;
  std::uint64_t next_part = MappedFile::smallest_part;
  std::uint64_t used = 0;
  rank_sums::Progress* progress = nullptr;
  std::vector<std::byte*> blocks;  ///< contents of all of them
  std::vector<std::string> modules;
  std::unordered_set<std::uint64_t> places;
  std::string error;
};

SumsFile::SumsFile(const std::string& folder, const RankIdentity& identity,
                   std::span<const char* const> functions)
    : state_(std::make_unique<State>(folder, identity)) {
  try {
    const rank_sums::RankRecord rank = {.magic = rank_sums::magic,
                                        .run_id = identity.run_id,
                                        .job = identity.job,
                                        .pid = identity.pid,
                                        .world_rank = identity.world_rank,
                                        .world_size = identity.world_size};
    std::string names;
    for (const char* const name : functions) names.append(name).push_back('\0');
    state_->append(rank_sums::Kind::rank, 0, {raw_bytes(rank), raw_bytes(identity.host)});
    std::byte* const progress = state_->reserve(sizeof(rank_sums::Progress));
    state_->progress = reinterpret_cast<rank_sums::Progress*>(progress);
    publish(progress, rank_sums::Kind::progress, 0);
    state_->append(rank_sums::Kind::functions, 0, {raw_bytes(names)});
  } catch (...) {
    remove();
    throw;
  }
}

SumsFile::~SumsFile() = default;

std::byte* SumsFile::allocate(std::uint64_t bytes) noexcept {
  std::byte* memory = nullptr;
  state_->extend([&] { memory = state_->reserve(bytes); });
  return memory;
}

void SumsFile::publish(std::byte* content, rank_sums::Kind kind, std::uint32_t number) noexcept {
  store_last(header_of(content).head, rank_sums::head_of(kind, number));
}

void SumsFile::add_place(std::uint64_t address) noexcept {
  state_->extend([&] {
    if (!state_->places.insert(address).second) return;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the address comes from a pointer
    const auto code = module_of(reinterpret_cast<const void*>(address));
    if (!code) return;
    const rank_sums::PlaceRecord place = {.address = address,
                                          .offset = code->offset,
                                          .module = state_->number_of_module(code->module_path),
                                          .padding = 0};
    state_->append(rank_sums::Kind::place, static_cast<std::uint32_t>(state_->places.size()),
                   {raw_bytes(place)});
  });
}

rank_sums::Progress& SumsFile::progress() {
  return *state_->progress;
}

void SumsFile::seal() noexcept {
  state_->seal();
}

void SumsFile::remove() noexcept {
  if (state_->file.is_ours()) unlink(path().c_str());
}

void SumsFile::leave_to_parent() noexcept {
  state_->file.close();
}

const std::string& SumsFile::path() const {
  return state_->file.path();
}

std::string SumsFile::error() const {
  const std::lock_guard lock(state_->mutex);
  return state_->error;
}

}  // namespace plimsoll::collectives
