#include "pelayout/timing/run_texts.hpp"

#include <plimsoll/pelayout/timing_file.hpp>
#include <plimsoll/support/error.hpp>

#include "pelayout/timing/gzip_text.hpp"
#include "pelayout/timing/tar_members.hpp"

namespace plimsoll::PLIMSOLL_ABI::pelayout {

namespace {

constexpr std::size_t start_bytes = 4096;

TimingFormat format_of_text(std::string_view text) {
  if (is_timing_profile(text)) return TimingFormat::profile;
  if (is_timing_statistics(text)) return TimingFormat::statistics;
  return is_tar(text) ? TimingFormat::archive : TimingFormat::other;
}

void read_archive(const std::string& path, const std::function<void(const RunText&)>& use) {
  bool any = false;
  for_each_tar_member(read_gzip_or_plain(path), path, [&](const std::string& name, std::string_view content) {
    const TimingFormat format = format_of_text(content);
    if (format != TimingFormat::profile && format != TimingFormat::statistics) return;
    any = true;
    use({.path = path + ":" + name, .text = content, .format = format});
  });
  if (!any)
    throw support::bad_input("no timing profile or GPTL statistics in the archive", path,
                             "use archives such as timing.<log id>.tar.gz with model_timing_stats");
}

}  // namespace

TimingFormat format_of(const std::string& path) {
  return format_of_text(read_start_of_gzip_or_plain(path, start_bytes));
}

void for_each_run_text(const std::string& path, TimingFormat format,
                       const std::function<void(const RunText&)>& use) {
  if (format == TimingFormat::archive) return read_archive(path, use);
  const std::string text = read_gzip_or_plain(path);
  use({.path = path, .text = text, .format = format});
}

}  // namespace plimsoll::pelayout
