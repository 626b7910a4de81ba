#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/json_view.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "collectives/files/call_lists.hpp"
#include "collectives/time_files/time_files.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

using support::JsonView;
using support::JsonWriter;

constexpr std::string_view index_format = "plimsoll collectives";
constexpr std::uint64_t index_version = 1;

constexpr std::uint64_t max_rank = std::numeric_limits<int>::max();  // MPI's ranks are ints

template <class Value>
constexpr std::string_view type_name = "a string";
template <>
constexpr std::string_view type_name<std::uint64_t> = "an integer >= 0";
template <>
constexpr std::string_view type_name<double> = "a number";

class IndexReader {
 public:
  IndexReader(const std::string& path, std::uint64_t job, Profile& profile, std::vector<Diagnostic>& findings,
              const ReadLimits& limits)
      : findings_(path, findings), job_(job), profile_(profile), limits_(limits) {}

  void read(std::string_view text) {
    support::JsonParser parser(findings_.file());
    try {
      read_document(parser.parse(text));
    } catch (const Error& error) {
      findings_.add_at(support::Severity::error, "", error.diagnostic().what);
    }
  }

 private:
  void read_document(const JsonView& root) {
    if (root.is_object() && member<std::string_view>(root, "format") == index_format)
      read_profile(root);
    else
      wrong(root, fmt::format("expected an object with \"format\": \"{}\"", index_format));
  }

  void wrong(const JsonView& value, std::string what) {
    findings_.add_at(support::Severity::error, value.pointer(), std::move(what));
  }

  template <class Value>
  std::optional<Value> value_of(const JsonView& view) {
    const std::optional<Value> value = view.get<Value>();
    if (!value) wrong(view, fmt::format("expected {}; value skipped", type_name<Value>));
    return value;
  }

  /// Returns a member; nothing if it is missing. A wrong type becomes a finding.
  template <class Value>
  std::optional<Value> member(const JsonView& from, const char* key) {
    const auto found = from.find(key);
    return found ? value_of<Value>(*found) : std::nullopt;
  }

  std::optional<std::uint64_t> number(const JsonView& from, const char* key, std::uint64_t most) {
    const auto value = member<std::uint64_t>(from, key);
    if (value && *value <= most) return value;
    wrong(from,
          fmt::format("missing or invalid \"{}\": expected an integer from 0 to {}; skipped", key, most));
    return std::nullopt;
  }

  /// Returns the mandatory operation of an entry.
  std::optional<Operation> operation_of(const JsonView& from) {
    const auto operation = Operation::named(member<std::string_view>(from, "operation").value_or(""));
    if (!operation) wrong(from, "missing or unknown \"operation\"; skipped");
    return operation;
  }

  std::optional<JsonView> array(const JsonView& from, const char* key) {
    auto found = from.find(key);
    if (!found || found->is_array()) return found;
    wrong(*found, "expected an array; value skipped");
    return std::nullopt;
  }

  template <class Visit>
  void for_each_object(const JsonView& from, const char* key, Visit&& visit) {
    const auto entries = array(from, key);
    if (!entries) return;
    entries->for_each_element([&](const JsonView& entry) {
      if (entry.is_object())
        visit(entry);
      else
        wrong(entry, "expected an object; value skipped");
    });
  }

  /// Reads a list such as "0-3, 7"; an empty text is an empty list.
  NumberList list(const JsonView& view, std::uint64_t largest = UINT64_MAX) {
    const auto text = value_of<std::string_view>(view);
    if (!text || text->empty()) return {};
    std::optional<NumberList> numbers = NumberList::parse(*text, limits_.max_numbers);
    if (numbers && numbers->max() <= largest) return std::move(*numbers);
    wrong(view, "expected a list of numbers such as \"0-3, 7\"; value skipped");
    return {};
  }

  /// Calls visit(operation, value) for each member of an object whose keys are operations.
  template <class Visit>
  void for_each_operation(const JsonView& from, const char* key, Visit&& visit) {
    const auto members = from.find(key);
    if (!members) return;
    if (!members->is_object()) return wrong(*members, "expected an object; value skipped");
    members->for_each_member([&](std::string_view name, const JsonView& value) {
      if (const auto operation = Operation::named(name))
        visit(*operation, value);
      else
        wrong(value, "unknown operation; skipped");
    });
  }

  void read_profile(const JsonView& root) {
    if (member<std::uint64_t>(root, "version") != index_version)
      findings_.add_at(support::Severity::warning, "/version",
                       fmt::format("unsupported version: expected {0}; read as version {0}", index_version));
    if (const auto size = member<std::uint64_t>(root, "world_size")) {
      if (*size > max_rank)
        wrong(root.at("world_size"), "more ranks than MPI supports; value skipped");
      else
        profile_.world_size = std::max(profile_.world_size, static_cast<std::uint32_t>(*size));
    }
    read_runs(root);
    if (const auto ranks = root.find("cut_short")) profile_.cut_short.append(list(*ranks, max_rank));
    profile_.incomplete_calls += member<std::uint64_t>(root, "incomplete_calls").value_or(0);
    if (const auto error = member<double>(root, "clock_error_s"))
      profile_.clock_error_s = std::max(*error, profile_.clock_error_s.value_or(0));
    read_failed_calls(root);
    read_hosts(root);
    read_leads(root);
  }

  void read_runs(const JsonView& root) {
    const auto runs = array(root, "runs");
    if (!runs) return;
    runs->for_each_element([&](const JsonView& run) {
      if (const auto name = value_of<std::string_view>(run)) profile_.runs.emplace_back(*name);
    });
  }

  void read_failed_calls(const JsonView& root) {
    for_each_object(root, "failed_calls", [&](const JsonView& failed) {
      const auto operation = operation_of(failed);
      const auto calls = number(failed, "calls", UINT64_MAX);
      const auto ranks = failed.find("ranks");
      if (operation && calls)
        profile_.failed_calls.push_back({*operation, *calls, ranks ? list(*ranks, max_rank) : NumberList()});
    });
  }

  /// Reads the hosts, unless another file already contained hosts.
  void read_hosts(const JsonView& root) {
    std::vector<Host> hosts;
    for_each_object(root, "hosts", [&](const JsonView& host) {
      const auto name = member<std::string_view>(host, "name");
      const auto ranks = host.find("ranks");
      if (name && ranks)
        hosts.push_back({std::string(*name), list(*ranks, max_rank)});
      else
        wrong(host, "missing \"name\" or \"ranks\"; skipped");
    });
    if (profile_.hosts.empty()) profile_.hosts = std::move(hosts);
  }

  void read_leads(const JsonView& root) {
    for_each_numbered(root, "leads", "rank", max_rank, [&](const JsonView& lead, std::uint32_t rank) {
      read_lead(lead, lead_of(profile_, job_, rank));
    });
  }

  /// Calls visit(object, number) for each object of an array, whose numbers must ascend. Each entry is then
  /// added at the end, so that a malicious file cannot make reading slow.
  template <class Visit>
  void for_each_numbered(const JsonView& from, const char* key, const char* number_key, std::uint64_t most,
                         Visit&& visit) {
    std::optional<std::uint64_t> last;
    for_each_object(from, key, [&](const JsonView& entry) {
      const auto next = number(entry, number_key, most);
      if (!next) return;
      if (last && *next <= *last)
        return wrong(entry,
                     fmt::format("number {} follows {}: expected ascending numbers; skipped", *next, *last));
      last = next;
      visit(entry, static_cast<std::uint32_t>(*next));
    });
  }

  void read_lead(const JsonView& from, Lead& lead) {
    for_each_numbered(from, "communicators", "id", UINT32_MAX,
                      [&](const JsonView& communicator, std::uint32_t id) {
                        read_communicator(communicator, communicator_of(lead, id));
                      });
    read_type_sizes(from, lead);
    for_each_operation(from, "total_calls", [&](Operation operation, const JsonView& value) {
      if (const auto calls = value_of<std::uint64_t>(value)) lead.total_calls[operation.index()] = *calls;
    });
  }

  void read_communicator(const JsonView& from, Communicator& communicator) {
    set_ranks(from, "members", communicator.members);
    set_ranks(from, "remote_members", communicator.remote_members);
    for_each_operation(from, "calls", [&](Operation operation, const JsonView& value) {
      if (NumberList ids = list(value); !ids.empty())
        set(calls_of(communicator, operation), std::move(ids), value);
    });
  }

  void set_ranks(const JsonView& from, const char* key, NumberList& numbers) {
    if (const auto found = from.find(key)) set(numbers, list(*found, max_rank), *found);
  }

  void set(NumberList& numbers, NumberList read, const JsonView& place) {
    if (read.empty() || numbers == read) return;
    if (numbers.empty())
      numbers = std::move(read);
    else
      wrong(place, "another file contains a different value, which is kept");
  }

  /// Returns signatures by operation and first call, because type sizes refer to them in this way.
  static std::map<std::pair<std::size_t, std::uint64_t>, Signature*> signatures_of(Lead& lead) {
    std::map<std::pair<std::size_t, std::uint64_t>, Signature*> signatures;
    for (Signature& signature : lead.signatures)
      if (!signature.calls.empty())
        signatures[{signature.operation.index(), signature.calls.front()}] = &signature;
    return signatures;
  }

  void read_type_sizes(const JsonView& from, Lead& lead) {
    const auto signatures = signatures_of(lead);
    for_each_object(from, "type_sizes", [&](const JsonView& sizes) {
      const auto operation = operation_of(sizes);
      const auto first = number(sizes, "first_call", UINT64_MAX);
      if (!operation || !first) return;
      const auto signature = signatures.find({operation->index(), *first});
      if (signature == signatures.end()) {
        findings_.add_at(support::Severity::warning, sizes.pointer(),
                         fmt::format("no count set of {} has first call {}; type sizes skipped",
                                     operation->name(), *first));
        return;
      }
      const std::uint32_t ranks = signature->second->comm_size;
      read_sizes(sizes, "send", ranks, signature->second->send.type_sizes);
      read_sizes(sizes, "recv", ranks, signature->second->recv.type_sizes);
    });
  }

  void read_sizes(const JsonView& from, const char* key, std::uint32_t n_ranks,
                  std::vector<std::uint64_t>& sizes) {
    const auto entries = array(from, key);
    if (!entries) return;
    std::vector<std::uint64_t> read;
    bool sound = true;
    entries->for_each_element([&](const JsonView& entry) {
      const auto size = entry.get<std::uint64_t>();
      sound = sound && size.has_value();
      if (sound) read.push_back(*size);
    });
    if (sound && read.size() == n_ranks)
      sizes = std::move(read);
    else
      wrong(*entries, fmt::format("expected {} numbers, one per rank; value skipped", n_ranks));
  }

  Findings findings_;
  std::uint64_t job_;
  Profile& profile_;
  const ReadLimits& limits_;
};

void append_communicator(JsonWriter& json, const Communicator& communicator) {
  json.begin_object().member("id", communicator.id);
  if (!communicator.members.empty()) json.member("members", communicator.members.to_string());
  if (!communicator.remote_members.empty())
    json.member("remote_members", communicator.remote_members.to_string());
  if (!communicator.calls.empty()) {
    json.key("calls").begin_object();
    for (const Communicator::Calls& calls : communicator.calls)
      json.member(calls.operation.lower_case_name(), list_of_calls(calls.ids));
    json.end_object();
  }
  json.end_object();
}

void append_failed_calls(JsonWriter& json, const std::vector<FailedCalls>& failed_calls) {
  if (failed_calls.empty()) return;
  json.key("failed_calls").begin_array();
  for (const FailedCalls& failed : failed_calls)
    json.begin_object()
        .member("operation", failed.operation.lower_case_name())
        .member("calls", failed.calls)
        .member("ranks", failed.ranks.to_string())
        .end_object();
  json.end_array();
}

void append_hosts(JsonWriter& json, const std::vector<Host>& hosts) {
  if (hosts.empty()) return;
  json.key("hosts").begin_array();
  for (const Host& host : hosts)
    json.begin_object()
        .member("name", support::printable(host.name))
        .member("ranks", host.ranks.to_string())
        .end_object();
  json.end_array();
}

void append_type_sizes(JsonWriter& json, const Lead& lead) {
  bool begun = false;
  for (const Signature& signature : lead.signatures) {
    if (signature.send.type_sizes.empty() && signature.recv.type_sizes.empty()) continue;
    if (!begun) json.key("type_sizes").begin_array();
    begun = true;
    json.begin_object()
        .member("operation", signature.operation.lower_case_name())
        .member("first_call", signature.calls.front());
    for (const auto& [side, sizes] :
         {std::pair("send", &signature.send.type_sizes), {"recv", &signature.recv.type_sizes}})
      if (!sizes->empty()) json.key(side).values(*sizes);
    json.end_object();
  }
  if (begun) json.end_array();
}

void append_lead(JsonWriter& json, const Lead& lead) {
  json.begin_object().member("rank", lead.rank);
  if (!lead.communicators.empty()) {
    json.key("communicators").begin_array();
    for (const Communicator& communicator : lead.communicators) append_communicator(json, communicator);
    json.end_array();
  }
  append_type_sizes(json, lead);
  json.key("total_calls").begin_object();
  for (std::size_t index = 0; index < lead.total_calls.size(); ++index)
    if (lead.total_calls[index] > 0)
      json.member(Operation::at(index).lower_case_name(), lead.total_calls[index]);
  json.end_object().end_object();
}

}  // namespace

void read_index(const std::string& path, std::string_view text, std::uint64_t job, Profile& profile,
                std::vector<Diagnostic>& findings, const ReadLimits& limits) {
  IndexReader(path, job, profile, findings, limits).read(text);
}

std::string index_text(const Profile& profile, std::uint64_t job, bool with_profile) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("format", index_format).member("version", index_version);
  if (profile.world_size > 0) json.member("world_size", profile.world_size);
  if (with_profile) {
    if (!profile.runs.empty()) json.key("runs").values(profile.runs);
    if (!profile.cut_short.empty()) json.member("cut_short", profile.cut_short.to_string());
    if (profile.incomplete_calls > 0) json.member("incomplete_calls", profile.incomplete_calls);
    if (profile.clock_error_s) json.member("clock_error_s", *profile.clock_error_s);
    append_failed_calls(json, profile.failed_calls);
    append_hosts(json, profile.hosts);
  }
  json.key("leads").begin_array();
  for (const Lead& lead : profile.leads)
    if (lead.job == job) append_lead(json, lead);
  json.end_array().end_object();
  text += '\n';
  return text;
}

}  // namespace plimsoll::collectives
