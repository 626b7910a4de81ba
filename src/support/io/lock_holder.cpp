#include "support/io/lock_holder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <fstream>
#include <iterator>
#include <optional>

#include <plimsoll/support/internal/process.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

namespace plimsoll::PLIMSOLL_ABI::support {

namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts)};
}

std::string first_line(const std::string& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

std::string link_target(const char* path) {
  std::array<char, 64> text{};
  const ssize_t size = ::readlink(path, text.data(), text.size());
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : "";
}

/// Returns an identifier of this machine; empty if the system does not provide it.
std::string this_machine() {
  const std::string boot = first_line("/proc/sys/kernel/random/boot_id");
  return boot.empty() ? boot : boot + " " + link_target("/proc/self/ns/pid");
}

/// Returns the start time of a living process: the 22nd field of /proc/<process>/stat. The second field, the
/// program's name, may contain spaces and brackets. Returns nothing if the system does not show it, for
/// example for other users' processes (hidepid).
std::optional<std::string> start_of(long process) {
  const std::string line = first_line(fmt::format("/proc/{}/stat", process));
  const std::size_t end_of_name = line.rfind(')');
  if (end_of_name == std::string::npos) return std::nullopt;
  std::string_view rest = std::string_view(line).substr(end_of_name + 1);
  if (take_word(rest) == "Z") return "";  // zombie: has ended, but its parent has not waited for it
  for (int field = 4; field < 22; ++field) take_word(rest);
  return std::string(take_word(rest));
}

}  // namespace

LockHolder LockHolder::self() {
  const std::string host = host_name();
  return {.host = host.empty() ? "an unknown host" : host,
          .program = program_invocation_short_name,
          .process = ::getpid(),
          .since = utc_now(),
          .machine = this_machine(),
          .started = start_of(::getpid()).value_or("")};
}

LockHolder LockHolder::parse(std::string_view text) {
  LockHolder holder;
  for (LineReader lines(text); !lines.at_end(); lines.advance()) {
    std::string_view line = lines.line();
    const std::string_view key = take_word(line);
    const std::string_view value = trimmed(line);
    if (key == "host") holder.host = printable(value);
    if (key == "program") holder.program = printable(value);
    if (key == "process") holder.process = parse_number<long>(value).value_or(0);
    if (key == "since") holder.since = printable(value);
    if (key == "machine") holder.machine = value;
    if (key == "started") holder.started = value;
    if (key == "lock") holder.has_system_lock = value == "system";
    if (key == "believed_s") holder.believed = std::chrono::seconds(parse_number<int>(value).value_or(60));
  }
  return holder;
}

std::string LockHolder::text() const {
  return fmt::format(
      "host {}\nprogram {}\nprocess {}\nsince {}\nmachine {}\nstarted {}\nlock {}\nbelieved_s {}\n", host,
      program, process, since, machine, started, has_system_lock ? "system" : "file", believed.count());
}

bool LockHolder::is_of_this_machine() const {
  return !machine.empty() && machine == this_machine();
}

bool LockHolder::is_alive_here() const {
  if (process <= 0) return false;
  const auto began = start_of(process);
  const bool exists = ::kill(static_cast<pid_t>(process), 0) == 0 || errno == EPERM;
  return exists && (!began || *began == started);
}

std::string LockHolder::name() const {
  if (process <= 0) return "another program";
  return fmt::format("{} (process {} on {}, since {})", program, process, host, since);
}

}  // namespace plimsoll::support
