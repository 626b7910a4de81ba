#include "pelayout/timing/timing_formats.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <new>

#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/format.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "pelayout/timing/esmf_run.hpp"
#include "pelayout/timing/tar_members.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

constexpr std::size_t start_bytes = 4096;

/// The timing profile is first: texts of no known format are read as one.
constexpr std::array run_formats = {
    RunFormat{.matches = is_timing_profile,
              .parse = [](std::string_view text, const std::string& path,
                          const RunFacts&) { return parse_timing_file(text, path); }},
    RunFormat{.matches = is_timing_statistics,
              .parse = [](std::string_view text, const std::string& path,
                          const RunFacts& facts) { return parse_timing_statistics(text, path, facts); },
              .yields_to_profile = true},
    RunFormat{.matches = is_esmf_profile,
              .parse = [](std::string_view text, const std::string& path,
                          const RunFacts& facts) { return run_of(parse_esmf_profile(text, path), facts); },
              .yields_to_profile = true},
    RunFormat{.matches = is_oasis_balance, .parse = parse_oasis_balance, .yields_to_profile = true},
    RunFormat{.matches = is_fms_clocks, .parse = parse_fms_clocks, .yields_to_profile = true},
};

/// Returns the format of the text of a run; null for other texts.
const RunFormat* run_format_of(std::string_view text) {
  const auto format =
      std::ranges::find_if(run_formats, [&](const RunFormat& each) { return each.matches(text); });
  return format == run_formats.end() ? nullptr : &*format;
}

void read_archive(const std::string& path, const std::function<void(const RunText&)>& use) {
  bool any = false;
  for_each_tar_member(read_gzip_or_plain(path), path, [&](const std::string& name, std::string_view content) {
    const RunFormat* const format = run_format_of(content);
    if (format == nullptr) return;
    any = true;
    use({.path = path + ":" + name, .text = content, .format = *format});
  });
  if (!any)
    throw support::bad_input("no timing profile, GPTL statistics or ESMF profile in the archive", path,
                             "use archives such as timing.<log id>.tar.gz with model_timing_stats");
}

constexpr std::string_view word = "_timing";
constexpr std::string_view digits = "0123456789";

/// Returns the text after "_timing" in current file names. Empty for other names.
std::string_view after_timing_word(std::string_view name) {
  const std::size_t place = name.find(word);
  if (place == 0 || place == std::string_view::npos) return {};
  return name.substr(place + word.size());
}

/// Returns the digits of "_0001" at the front of a text, which runs with several drivers have in their file
/// names; empty for other texts.
std::string_view driver_digits(std::string_view text) {
  constexpr std::size_t length = 4;
  const bool present =
      text.size() > length + 1 && text[0] == '_' && text.find_first_not_of(digits, 1) == length + 1;
  return present ? text.substr(1, length) : std::string_view{};
}

bool is_number(std::string_view text) {
  return text.find_first_not_of(digits) == std::string_view::npos;
}

constexpr std::size_t step_bytes = std::size_t{64} << 10;
// Bytes per step when only the start of a file is read. zlib discards its buffer when it finds damage, and
// small steps limit this loss.
constexpr std::size_t start_step_bytes = 256;

/// A file read by zlib: gzip files are decompressed, others are read unchanged.
class GzipFile {
 public:
  GzipFile(const std::string& path, std::size_t buffer_bytes) : path_(path) {
    support::Descriptor opened = support::open_input_file(path);
    descriptor_ = opened.number();
    file_.reset(::gzdopen(descriptor_, "rb"));
    if (!file_) throw std::bad_alloc();
    opened.release();  // now owned and closed by zlib
    ::gzbuffer(file_.get(), static_cast<unsigned>(buffer_bytes));
  }

  /// Appends at most `bytes` to a text; returns whether more may follow. Throws Error for a damaged file.
  bool append_to(std::string& text, std::size_t bytes) {
    const std::size_t size = text.size();
    text.resize(size + bytes);
    const int got = ::gzread(file_.get(), text.data() + size, static_cast<unsigned>(bytes));
    text.resize(size + static_cast<std::size_t>(std::max(got, 0)));
    check();
    return text.size() == size + bytes;
  }

  /// Returns the limit on the text: `max_bytes`, or less for a small compressed file.
  std::uint64_t max_text_bytes(std::uint64_t max_bytes) const {
    struct stat status {};
    if (::gzdirect(file_.get()) != 0 || ::fstat(descriptor_, &status) != 0) return max_bytes;
    return std::min(max_bytes,
                    gzip_allowance_bytes + max_gzip_ratio * static_cast<std::uint64_t>(status.st_size));
  }

  /// Throws Error if data follow the last gzip stream; zlib itself ignores them. A stream ends with checksum
  /// and size of its text (RFC 1952).
  void check_end(std::string_view text) const {
    if (::gzdirect(file_.get()) != 0) return;
    std::array<unsigned char, 8> end{};
    if (::lseek(descriptor_, -static_cast<off_t>(end.size()), SEEK_END) < 0 ||
        ::read(descriptor_, end.data(), end.size()) != static_cast<ssize_t>(end.size()))
      throw support::system_error("reading failed", path_, errno);
    const auto number_at = [&](std::size_t k) {
      return end[k] | end[k + 1] << 8 | end[k + 2] << 16 | static_cast<std::uint32_t>(end[k + 3]) << 24;
    };
    const std::size_t size = number_at(4);
    if (size > text.size()) throw broken();
    const std::string_view last = text.substr(text.size() - size);
    const auto checksum = ::crc32_z(0, reinterpret_cast<const Bytef*>(last.data()), last.size());
    if (checksum != number_at(0)) throw broken();
  }

 private:
  void check() const {
    int code = Z_OK;
    ::gzerror(file_.get(), &code);
    if (code == Z_OK || code == Z_STREAM_END) return;
    if (code == Z_MEM_ERROR) throw std::bad_alloc();
    if (code == Z_ERRNO) throw support::system_error("reading failed", path_, errno);
    if (code == Z_BUF_ERROR)
      throw support::TruncatedError(
          {.what = "truncated gzip file", .file = path_, .suggestion = "copy it again"});
    throw broken();
  }

  Error broken() const { return support::bad_input("corrupt gzip file", path_, "copy it again"); }

  struct Close {
    void operator()(gzFile file) const { ::gzclose_r(file); }
  };

  std::string path_;
  std::unique_ptr<gzFile_s, Close> file_;
  int descriptor_ = -1;  ///< descriptor of the file
};

}  // namespace

TimingFormat format_of(const std::string& path) {
  const std::string start = read_start_of_gzip_or_plain(path, start_bytes);
  const RunFormat* const format = run_format_of(start);
  return {.run_format = format, .is_archive = format == nullptr && is_tar(start)};
}

TimingFormat format_of_whole(const std::string& path) {
  return {.run_format = run_format_of(read_gzip_or_plain(path))};
}

void for_each_run_text(const std::string& path, TimingFormat format,
                       const std::function<void(const RunText&)>& use) {
  if (format.is_archive) return read_archive(path, use);
  const std::string text = read_gzip_or_plain(path);
  const RunFormat* const run_format = format.run_format;
  use({.path = path, .text = text, .format = run_format == nullptr ? run_formats.front() : *run_format});
}

bool names_timing_of(std::string_view name, const std::string& case_start) {
  std::string_view rest = after_timing_word(name);
  if (const std::string_view driver = driver_digits(rest); !driver.empty())
    rest.remove_prefix(1 + driver.size());
  return name.starts_with("timing." + case_start) || rest.starts_with("." + case_start);
}

bool names_statistics(std::string_view name) {
  if (name.find("timing") == std::string_view::npos) return false;
  return name.find("_stats") != std::string_view::npos || name.ends_with(".tar.gz") ||
         name.ends_with(".tgz") || name.ends_with(".tar");
}

std::string_view run_time_in(std::string_view path) {
  constexpr std::size_t half = 6;
  const auto is_digit = [&](std::size_t place) {
    return place < path.size() && is_number(path.substr(place, 1));
  };
  for (std::size_t dash = path.rfind('-'); dash != std::string_view::npos && dash >= half;
       dash = path.rfind('-', dash - 1)) {
    const std::size_t begin = dash - half;
    const std::string_view time = path.substr(begin, 2 * half + 1);
    const bool is_whole = time.size() == 2 * half + 1 && !is_digit(begin - 1) && !is_digit(dash + half + 1);
    if (is_whole && is_number(time.substr(0, half)) && is_number(time.substr(half + 1))) return time;
  }
  return {};
}

std::int64_t driver_in(std::string_view path) {
  const std::string_view name = path.substr(path.find_last_of("/:") + 1);
  const std::string_view driver = driver_digits(after_timing_word(name));
  return support::parse_number<std::int64_t>(driver).value_or(0);
}

std::string read_gzip_or_plain(const std::string& path, std::uint64_t max_bytes) {
  GzipFile file(path, step_bytes);
  std::string text;
  for (bool more = true; more;) {
    more = file.append_to(text, step_bytes);
    if (const std::uint64_t limit = file.max_text_bytes(max_bytes); text.size() > limit)
      throw support::SizeLimitError(
          {.what = fmt::format("contains more than {} of text", support::format_bytes(limit)),
           .file = path,
           .suggestion = "check that this is the correct file"});
  }
  file.check_end(text);
  return text;
}

std::string read_start_of_gzip_or_plain(const std::string& path, std::size_t bytes) {
  GzipFile file(path, start_step_bytes);
  std::string text;
  try {
    while (text.size() < bytes && file.append_to(text, std::min(start_step_bytes, bytes - text.size()))) {
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_input) throw;
  }
  return text;
}

}  // namespace plimsoll::pelayout
