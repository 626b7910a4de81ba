#include "collectives/recording/mapped_log.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>

#include <plimsoll/support/internal/threads.hpp>

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

constexpr std::uint64_t smallest_window = MappedFile::smallest_part;
constexpr std::uint64_t largest_window = std::uint64_t{1} << 20;

std::byte* copied(std::span<const std::byte> bytes, std::byte* to) {
  return std::ranges::copy(bytes, to).out;
}

}  // namespace

MappedLog::MappedLog(std::string path)
    : file_(std::move(path), {.file = "the log", .loss = "later calls are not recorded"}) {
  try {
    make_room(smallest_window);
  } catch (...) {
    unlink(file_.path().c_str());
    throw;
  }
}

MappedLog::~MappedLog() {
  finish();
}

void MappedLog::finish() {
  if (!current_.bytes) return;
  if (!is_ours()) return abandon();
  unmap(previous_);
  unmap(current_);
  file_.truncate(used_);  // readers ignore zeros at its end
}

void MappedLog::abandon() {
  current_ = {};
  previous_ = {};
  file_.close();
}

MappedLog::Position MappedLog::append_bytes(rank_log::Kind kind, std::span<const std::byte> record,
                                            std::initializer_list<std::span<const std::byte>> parts,
                                            std::uint64_t room) {
  std::uint64_t content = record.size();
  for (const auto part : parts) content += part.size();
  content = round_up(content, 8);
  const std::uint64_t bytes = content + sizeof(std::uint64_t) + round_up(room, 8);
  if (!can_grow()) return nowhere;
  if (used_ + bytes > current_.begin + current_.size) {
    try {
      make_room(bytes);
    } catch (const Error& error) {
      error_ = error.what();
      return nowhere;
    }
  }

  std::byte* const place = current_.bytes + (used_ - current_.begin);
  constexpr std::size_t header_bytes = sizeof(rank_log::RecordHeader);
  std::byte* end = copied(record.subspan(header_bytes), place + header_bytes);
  for (const auto part : parts) end = copied(part, end);
  const rank_log::RecordHeader header = {kind, static_cast<std::uint32_t>(bytes)};
  *reinterpret_cast<std::uint64_t*>(place + content) =
      rank_log::check_of(header, {place + header_bytes, content - header_bytes});
  publish(*reinterpret_cast<std::uint64_t*>(place), std::bit_cast<std::uint64_t>(header));
  return std::exchange(used_, used_ + bytes);
}

void MappedLog::make_room(std::uint64_t bytes) {
  const support::NoCancellation no_cancellation;
  if (bytes > UINT32_MAX)
    throw support::system_error("log record too large", path(), EFBIG, "later calls are not recorded");
  Window window;
  window.begin = used_ / smallest_window * smallest_window;
  window.size = std::max(next_window_, round_up(used_ - window.begin + bytes, smallest_window));
  window.bytes = file_.map(window.begin, window.size, window.begin + window.size);
  unmap(previous_);
  previous_ = std::exchange(current_, window);
  next_window_ = std::min(2 * next_window_, largest_window);
}

void MappedLog::unmap(Window& window) {
  if (window.bytes) munmap(window.bytes, window.size);
  window = {};
}

}  // namespace plimsoll::collectives
