#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <map>

#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/parse.hpp>

#include "collectives/files/file_names.hpp"
#include "collectives/model/rows_by_rank.hpp"
#include "collectives/profile_file/fields.hpp"
#include "collectives/profile_file/profile_file.hpp"
#include "collectives/profile_file/transposed.hpp"
#include "collectives/time_files/time_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

constexpr double ns_per_s = 1e9;

/// Returns the seconds that are read from their text with nine decimals.
double as_in_text(double seconds) {
  const double nanoseconds = std::nearbyint(seconds * ns_per_s);
  // The text contains the nearest ns, and up to here, ns / 10^9 is the double nearest to each of these.
  constexpr double max_exact_s = 1 << 22;
  if (std::abs(seconds) < max_exact_s && nanoseconds / ns_per_s == seconds) return seconds;
  const std::string text = fmt::format("{:.9f}", seconds);
  double read = seconds;
  std::from_chars(text.data(), text.data() + text.size(), read);
  return read;
}

/// Returns the text that is read from a line of a text file.
std::string line_of(const std::string& text) {
  return std::string(support::trimmed(support::printable(text)));
}

class ProfileWriter {
 public:
  explicit ProfileWriter(CheckedWriter& output) : output_(output) {}

  void head(const ProfileFileHead& head) {
    output_.number(head.job);
    for_each(head.text_files, [&](const TextFile& file) {
      output_.text(file.name);
      output_.number(file.size_bytes);
      output_.signed_number(file.modified_ns);
      output_.word(file.hash);
    });
  }

  void profile(const Profile& profile, bool with_profile) {
    const Profile nothing;
    const Profile& whole = with_profile ? profile : nothing;
    output_.number(profile.world_size);
    for_each(whole.runs, [&](const std::string& run) { output_.text(run); });
    output_.list(whole.cut_short);
    output_.number(whole.incomplete_calls);
    output_.number(whole.clock_error_s ? 1 : 0);
    if (whole.clock_error_s) output_.word(std::bit_cast<std::uint64_t>(*whole.clock_error_s));
    for_each(whole.failed_calls, [&](const FailedCalls& failed) {
      operation(failed.operation);
      output_.number(failed.calls);
      output_.list(failed.ranks);
    });
    for_each(whole.hosts, [&](const Host& host) {
      output_.text(support::printable(host.name));
      output_.list(host.ranks);
    });
  }

  void leads(const Profile& profile, std::uint64_t job) {
    output_.number(static_cast<std::uint64_t>(
        std::ranges::count(profile.leads, job, [](const Lead& lead) { return lead.job; })));
    for (const Lead& one : profile.leads)
      if (one.job == job) lead(one);
  }

 private:
  template <class Items, class Write>
  void for_each(const Items& items, Write&& write) {
    output_.number(items.size());
    for (const auto& item : items) write(item);
  }

  void operation(Operation operation) { output_.number(operation.index()); }

  void lead(const Lead& lead) {
    output_.number(lead.rank);
    for_each(lead.signatures, [&](const Signature& one) { signature(one, true); });
    for_each(lead.displacements, [&](const Signature& one) { signature(one, false); });
    communicators(lead);
    for (const auto& [kind, values] : {std::pair(FileKind::execution_times, &lead.execution_s),
                                       {FileKind::late_arrival_times, &lead.late_arrival_s},
                                       {FileKind::timestamps, &lead.begin_s}})
      per_rank(lead, kind, *values);
    per_rank(lead, FileKind::content_hashes, lead.hashes);
    backtraces(lead.backtraces);
    output_.numbers(lead.total_calls);
  }

  void signature(const Signature& signature, bool with_type_sizes) {
    operation(signature.operation);
    output_.number(signature.comm_size);
    output_.list(signature.calls);
    side(signature.send, with_type_sizes);
    side(signature.recv, with_type_sizes);
    matrix_shape(signature.send.matrix, signature.comm_size);
    output_.numbers(signature.send.matrix.counts);
    matrix_shape(signature.recv.matrix, signature.comm_size);
    const bool is_transposed =
        Transposed::fits(signature) && Transposed(signature.send.matrix).is_equal(signature.recv.matrix);
    output_.number(is_transposed ? 1 : 0);
    if (!is_transposed) output_.numbers(signature.recv.matrix.counts);
  }

  void side(const Side& side, bool with_type_sizes) {
    output_.number(side.type_size);
    const bool differ = with_type_sizes && !side.type_sizes.empty();
    output_.number(differ ? 1 : 0);
    if (differ) output_.numbers(side.type_sizes);
  }

  // Writes 0 rows if each rank has its own row.
  void matrix_shape(const CountMatrix& matrix, std::uint32_t comm_size) {
    output_.number(matrix.columns);
    if (matrix.columns == 0) return;
    const bool each_rank = matrix.rows() == comm_size;
    output_.number(each_rank ? 0 : matrix.rows());
    if (each_rank) return;
    for (const NumberList& ranks : matrix.ranks) output_.list(ranks);
  }

  // Text files mention all communicators that have times or similar data.
  void communicators(const Lead& lead) {
    std::map<std::uint32_t, const Communicator*> by_id;
    for (std::size_t index = 0; index < Operation::count; ++index)
      for (const std::uint32_t id : communicators_with_data(lead, Operation::at(index))) by_id[id] = nullptr;
    for (const Communicator& one : lead.communicators) by_id[one.id] = &one;
    for_each(by_id, [&](const auto& entry) {
      communicator(entry.second ? *entry.second : Communicator{.id = entry.first});
    });
  }

  void communicator(const Communicator& communicator) {
    output_.number(communicator.id);
    output_.list(communicator.members);
    output_.list(communicator.remote_members);
    const std::vector<std::string> hosts = hosts_in_text(communicator);
    const bool has_pids = !hosts.empty() && communicator.pids.size() == hosts.size();
    output_.number(hosts.empty() ? 0 : 1);
    if (!hosts.empty()) places(hosts);
    output_.number(has_pids ? 1 : 0);
    if (has_pids) output_.numbers(communicator.pids);
    for_each(communicator.calls, [&](const Communicator::Calls& calls) {
      operation(calls.operation);
      output_.list(calls.ids);
    });
  }

  /// Returns the hosts that are read from the file of locations; empty if that file is missing or malformed.
  static std::vector<std::string> hosts_in_text(const Communicator& communicator) {
    if (communicator.calls.empty() || communicator.hosts.size() != communicator.members.size()) return {};
    std::vector<std::string> hosts;
    for (const std::string& host : communicator.hosts) {
      hosts.push_back(line_of(host));
      if (hosts.back().empty()) return {};
    }
    return hosts;
  }

  // Writes each name once, then the number of the name of each rank.
  void places(const std::vector<std::string>& hosts) {
    std::map<std::string_view, std::uint64_t> numbers;
    std::vector<std::string_view> names;
    std::vector<std::uint64_t> of_ranks;
    for (const std::string& host : hosts) {
      const auto [place, is_new] = numbers.try_emplace(host, names.size());
      if (is_new) names.push_back(host);
      of_ranks.push_back(place->second);
    }
    for_each(names, [&](std::string_view name) { output_.text(name); });
    output_.numbers(of_ranks);
  }

  /// Writes values in the order in which their text files are read. Their text lacks values without calls.
  template <class Value>
  void per_rank(const Lead& lead, FileKind kind, const std::vector<PerRank<Value>>& all) {
    std::map<std::string, const PerRank<Value>*> by_name;
    for (const PerRank<Value>& values : all) {
      const FileName name{.kind = kind,
                          .operation = values.operation,
                          .job = lead.job,
                          .lead = lead.rank,
                          .communicator = values.communicator};
      if (!values.calls.empty()) by_name.try_emplace(name.text(), &values);
    }
    for_each(by_name, [&](const auto& entry) {
      const PerRank<Value>& values = *entry.second;
      operation(values.operation);
      output_.number(values.communicator);
      output_.number(values.comm_size);
      output_.number(values.calls.size());
      output_.numbers(values.calls);
      this->values(values.values);
    });
  }

  // Writes a piece at a time, which needs less memory than all values.
  template <class Value, class Convert>
  void converted(const std::vector<Value>& values, Convert&& convert) {
    constexpr std::size_t piece_size = 4096;  // a multiple of the size of a group
    std::vector<std::int64_t> piece;
    for (std::size_t begin = 0; begin < values.size(); begin += piece_size) {
      piece.clear();
      for (const Value& value : std::span(values).subspan(begin, std::min(piece_size, values.size() - begin)))
        piece.push_back(convert(value));
      output_.numbers(piece);
    }
  }

  // Writes ns if they are exact, else the bits of the seconds.
  void values(const std::vector<double>& seconds) {
    constexpr double max_ns = 9e15;  // doubles represent all integers up to here
    const auto ns_of = [](double read) { return static_cast<std::int64_t>(std::nearbyint(read * ns_per_s)); };
    const bool are_ns = std::ranges::all_of(seconds, [&](double value) {
      const double read = as_in_text(value);
      return std::abs(read) * ns_per_s < max_ns &&
             std::bit_cast<std::int64_t>(static_cast<double>(ns_of(read)) / ns_per_s) ==
                 std::bit_cast<std::int64_t>(read);
    });
    output_.number(are_ns ? 1 : 0);
    converted(seconds, [&](double value) {
      const double read = as_in_text(value);
      return are_ns ? ns_of(read) : std::bit_cast<std::int64_t>(read);
    });
  }

  void values(const std::vector<DataHashes>& hashes) {
    for (const auto member : {&DataHashes::sent, &DataHashes::received})
      converted(hashes, [member](const DataHashes& pair) { return static_cast<std::int64_t>(pair.*member); });
  }

  void backtraces(const std::vector<Backtrace>& traces) {
    for_each(traces, [&](const Backtrace& trace) {
      operation(trace.operation);
      output_.text(line_of(trace.program));
      output_.number(trace.pid);
      for_each(trace.frames, [&](const std::string& frame) { output_.text(line_of(frame)); });
      for_each(trace.contexts, [&](const Backtrace::Context& context) {
        output_.number(context.communicator);
        output_.number(context.comm_rank);
        output_.number(context.world_rank);
        output_.list(context.calls);
      });
    });
  }

  FieldWriter output_;
};

}  // namespace

void write_profile_file(const Profile& profile, const ProfileFileHead& head, bool with_profile,
                        const CheckedWriter::Sink& sink) {
  CheckedWriter output(sink);
  ProfileWriter writer(output);
  writer.head(head);
  writer.profile(profile, with_profile);
  writer.leads(profile, head.job);
  output.finish();
}

}  // namespace plimsoll::collectives
