// The file of MPI calls (docs/reference/mpi-calls-file.md).
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>

#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/json_view.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "collectives/files/file_names.hpp"
#include "collectives/mpi_calls/functions_in_file.hpp"
#include "collectives/mpi_calls/json_values.hpp"
#include "collectives/mpi_calls/parts_in_file.hpp"
#include "collectives/mpi_calls/site_callers.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

// Values of the members "format" and "version".
constexpr const char* mpi_calls_format = "plimsoll MPI calls";
constexpr std::int64_t mpi_calls_version = 1;

using support::JsonView;

std::uint32_t number_of(const JsonView& value) {
  return static_cast<std::uint32_t>(value.whole_number(0, std::numeric_limits<std::uint32_t>::max()));
}

bool truth_of(const JsonView& value) {
  if (const auto truth = value.get<bool>()) return *truth;
  throw value.error("expected true or false");
}

MpiCalls::WorkBefore work_of(const JsonView& from) {
  return {.sum_s = seconds_of(from.at("sum_s")),
          .busiest_s = seconds_of(from.at("busiest_s")),
          .previous_site = if_known(from, "previous_site", number_of)};
}

NumberList cores_of(const JsonView& value) {
  constexpr std::uint64_t max_cores = 1 << 20;
  const auto cores = NumberList::parse(value.text(), max_cores);
  if (!cores || !std::ranges::is_sorted(cores->numbers(), std::less_equal()))
    throw value.error("expected an ascending list of cores such as \"0-3, 8\"");
  return *cores;
}

class MpiCallsReader {
 public:
  MpiCalls read(const JsonView& root) {
    check_format(root);
    if (const auto run = root.find("run")) calls_.run = run->text();
    calls_.ideal_s = if_known(root, "ideal_s", seconds_of);
    if (const auto cause = root.find("ideal_unknown")) calls_.ideal_unknown = cause->text();
    if (const auto cause = root.find("regions_ideal_unknown")) calls_.regions_ideal_unknown = cause->text();
    calls_.clock_error_s = if_known(root, "clock_error_s", seconds_of);
    root.at("ranks").for_each_element([&](const JsonView& rank) { read_rank(rank); });
    if (calls_.ranks.empty()) throw root.at("ranks").error("must not be empty");
    if (const auto ranks = root.find("cut_short")) calls_.cut_short = cut_short_ranks(*ranks);
    calls_.is_running = if_known(root, "is_running", truth_of).value_or(false);
    read_parts(root, calls_);
    read_functions(root.at("functions"), calls_);
    root.at("sites").for_each_element([&](const JsonView& site) { read_site(site); });
    check_previous_sites(root.at("sites"));
    root.at("traffic").for_each_element([&](const JsonView& pair) { read_traffic(pair); });
    return std::move(calls_);
  }

 private:
  static void check_format(const JsonView& root) {
    const auto format = root.find("format");
    if (!format || format->get<std::string_view>() != mpi_calls_format)
      throw root.error(fmt::format("expected an object with \"format\": \"{}\"", mpi_calls_format));
    const JsonView version = root.at("version");
    if (version.get<std::int64_t>() != mpi_calls_version)
      throw version.error(fmt::format("unsupported version: expected {}", mpi_calls_version),
                          "use the version of Plimsoll that wrote the file");
  }

  void read_rank(const JsonView& from) {
    calls_.ranks.push_back({.host = std::string(from.at("host").text()),
                            .wall_s = seconds_of(from.at("wall_s")),
                            .mpi_s = seconds_of(from.at("mpi_s")),
                            .waited_s = if_known(from, "waited_s", seconds_of),
                            .threads = if_known(from, "threads", number_of),
                            .user_s = if_known(from, "user_s", seconds_of),
                            .system_s = if_known(from, "system_s", seconds_of),
                            .voluntary_switches = if_known(from, "voluntary_switches", count_of),
                            .involuntary_switches = if_known(from, "involuntary_switches", count_of),
                            .core_wait_s = if_known(from, "core_wait_s", seconds_of),
                            .instructions = if_known(from, "instructions", count_of),
                            .cycles = if_known(from, "cycles", count_of),
                            .cores = if_known(from, "cores", cores_of).value_or(NumberList()),
                            .peak_memory_bytes = if_known(from, "peak_memory_bytes", count_of)});
    const MpiCalls::Rank& rank = calls_.ranks.back();
    check_part(from, "waited_s", rank.waited_s, rank.mpi_s);
    if (rank.threads) check_part(from, "mpi_s", rank.mpi_s, *rank.threads * rank.wall_s);
  }

  /// Throws Error (bad_input) for a time that exceeds the one of which it is a part.
  static void check_part(const JsonView& from, const char* key, std::optional<double> part_s,
                         double whole_s) {
    if (part_s && exceeds(*part_s, whole_s))
      throw from.at(key).error(
          fmt::format("invalid time {}: must be <= {}, of which it is a part", *part_s, whole_s));
  }

  void read_site(const JsonView& from) {
    calls_.sites.push_back({.function = function_of(from.at("function")),
                            .location = std::string(from.at("location").text()),
                            .ranks = number_of_ranks(from.at("ranks")),
                            .calls = count_of(from.at("calls")),
                            .failed_calls = count_of(from.at("failed_calls")),
                            .sent_bytes = count_of(from.at("sent_bytes")),
                            .received_bytes = count_of(from.at("received_bytes")),
                            .time_s = seconds_of(from.at("time_s")),
                            .max_time_s = seconds_of(from.at("max_time_s")),
                            .min_time_s = seconds_of(from.at("min_time_s")),
                            .slowest_rank = rank_of(from.at("slowest_rank")),
                            .fastest_rank = rank_of(from.at("fastest_rank")),
                            .longest_call_s = seconds_of(from.at("longest_call_s")),
                            .waited_s = if_known(from, "waited_s", seconds_of),
                            .work_before = if_known(from, "work_before", work_of)});
    const MpiCalls::Site& site = calls_.sites.back();
    check_part(from, "waited_s", site.waited_s, site.time_s);
    calls_.sites.back().callers = read_callers(from, site);
  }

  void check_previous_sites(const JsonView& sites) const {
    std::size_t number = 0;
    sites.for_each_element([&](const JsonView& site) {
      const auto& work = calls_.sites[number++].work_before;
      if (work && work->previous_site && *work->previous_site >= calls_.sites.size())
        throw site.at("work_before")
            .at("previous_site")
            .error(fmt::format("invalid site: expected 0 to {}", calls_.sites.size() - 1));
    });
  }

  /// Reads an entry [from, to, messages, bytes].
  void read_traffic(const JsonView& from) {
    MpiCalls::Traffic pair;
    std::size_t position = 0;
    from.for_each_element([&](const JsonView& value) {
      switch (position++) {
        case 0: pair.from = rank_of(value); break;
        case 1: pair.to = rank_of(value); break;
        case 2: pair.messages = count_of(value); break;
        case 3: pair.bytes = count_of(value); break;
        default: break;
      }
    });
    if (position != 4) throw from.error("expected [sender, receiver, messages, bytes]");
    const auto ranks = [](const MpiCalls::Traffic& traffic) { return std::pair(traffic.from, traffic.to); };
    if (!calls_.traffic.empty() && ranks(pair) <= ranks(calls_.traffic.back()))
      throw from.error("expected ascending pairs of ranks");
    calls_.traffic.push_back(pair);
  }

  NumberList cut_short_ranks(const JsonView& value) const {
    const auto ranks = NumberList::parse(value.text(), calls_.ranks.size());
    if (!ranks || !std::ranges::is_sorted(ranks->numbers(), std::less_equal()) ||
        (!ranks->empty() && ranks->numbers().back() >= calls_.ranks.size()))
      throw value.error("expected an ascending list of ranks such as \"0-3, 8\"");
    return *ranks;
  }

  std::uint32_t function_of(const JsonView& name) const {
    const auto found = std::ranges::lower_bound(calls_.functions, name.text(), {}, &MpiCalls::Function::name);
    if (found == calls_.functions.end() || found->name != name.text())
      throw name.error(fmt::format("{} is missing in \"functions\"", support::in_quotes(name.text())));
    return static_cast<std::uint32_t>(found - calls_.functions.begin());
  }

  std::uint32_t number_of_ranks(const JsonView& value) const {
    return static_cast<std::uint32_t>(value.whole_number(1, static_cast<std::int64_t>(calls_.ranks.size())));
  }

  std::uint32_t rank_of(const JsonView& value) const {
    return static_cast<std::uint32_t>(
        value.whole_number(0, static_cast<std::int64_t>(calls_.ranks.size()) - 1));
  }

  MpiCalls calls_;
};

using support::JsonWriter;

void write_site(JsonWriter& json, const MpiCalls::Site& site, const MpiCalls& calls) {
  json.begin_object()
      .member("function", calls.functions[site.function].name)
      .member("location", site.location)
      .member("ranks", site.ranks)
      .member("calls", site.calls)
      .member("failed_calls", site.failed_calls)
      .member("sent_bytes", site.sent_bytes)
      .member("received_bytes", site.received_bytes)
      .member("time_s", site.time_s)
      .member("max_time_s", site.max_time_s)
      .member("min_time_s", site.min_time_s)
      .member("slowest_rank", site.slowest_rank)
      .member("fastest_rank", site.fastest_rank)
      .member("longest_call_s", site.longest_call_s)
      .member("waited_s", site.waited_s);
  if (site.work_before)
    json.key("work_before")
        .begin_object()
        .member("sum_s", site.work_before->sum_s)
        .member("busiest_s", site.work_before->busiest_s)
        .member("previous_site", site.work_before->previous_site)
        .end_object();
  write_callers(json, site);
  json.end_object();
}

void write_rank(JsonWriter& json, const MpiCalls::Rank& rank) {
  json.begin_object()
      .member("host", rank.host)
      .member("wall_s", rank.wall_s)
      .member("mpi_s", rank.mpi_s)
      .member("waited_s", rank.waited_s)
      .member("threads", rank.threads)
      .member("user_s", rank.user_s)
      .member("system_s", rank.system_s)
      .member("voluntary_switches", rank.voluntary_switches)
      .member("involuntary_switches", rank.involuntary_switches)
      .member("core_wait_s", rank.core_wait_s)
      .member("instructions", rank.instructions)
      .member("cycles", rank.cycles)
      .member("cores", rank.cores.empty() ? std::nullopt : std::optional(rank.cores.to_string()))
      .member("peak_memory_bytes", rank.peak_memory_bytes)
      .end_object();
}

}  // namespace

MpiCalls parse_mpi_calls(std::string_view json, const std::string& file) {
  support::JsonParser parser(file);
  return MpiCallsReader().read(parser.parse(json));
}

MpiCalls read_mpi_calls(const std::string& path) {
  return parse_mpi_calls(support::read_text_file(path, largest_file_bytes), path);
}

std::optional<MpiCalls> find_mpi_calls(const std::vector<std::string>& paths) {
  std::vector<Diagnostic> unknown_files;  // read() reports them
  const std::vector<std::string> found = find_files(paths, unknown_files).mpi_calls;
  if (found.empty()) return std::nullopt;
  if (found.size() > 1)
    throw support::usage_error(fmt::format("MPI calls of several runs: {} and {}", found[0], found[1]),
                               "specify the directory of one run");
  return read_mpi_calls(found.front());
}

std::string to_json(const MpiCalls& calls) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("format", mpi_calls_format).member("version", mpi_calls_version);
  if (!calls.run.empty()) json.member("run", calls.run);
  if (calls.ideal_s) json.member("ideal_s", *calls.ideal_s);
  if (!calls.ideal_unknown.empty()) json.member("ideal_unknown", calls.ideal_unknown);
  if (!calls.regions_ideal_unknown.empty()) json.member("regions_ideal_unknown", calls.regions_ideal_unknown);
  if (calls.clock_error_s) json.member("clock_error_s", *calls.clock_error_s);
  if (!calls.cut_short.empty()) json.member("cut_short", calls.cut_short.to_string());
  if (calls.is_running) json.member("is_running", true);
  json.key("ranks").begin_array();
  for (const MpiCalls::Rank& rank : calls.ranks) write_rank(json, rank);
  json.end_array();
  write_functions(json, calls);
  json.key("sites").begin_array();
  for (const MpiCalls::Site& site : calls.sites) write_site(json, site, calls);
  json.end_array().key("traffic").begin_array();
  for (const MpiCalls::Traffic& pair : calls.traffic)
    json.begin_array().value(pair.from).value(pair.to).value(pair.messages).value(pair.bytes).end_array();
  json.end_array();
  write_parts(json, calls);
  json.end_object();
  text += '\n';
  return text;
}

}  // namespace plimsoll::collectives
