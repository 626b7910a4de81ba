#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "collectives/files/findings.hpp"
#include "collectives/time_files/index_file.hpp"
#include "collectives/time_files/lead_parts.hpp"

namespace plimsoll::collectives {

namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::uint64_t max_rank = std::numeric_limits<int>::max();  // MPI's ranks are ints

template <class Value>
constexpr std::string_view type_name = "a string";
template <>
constexpr std::string_view type_name<std::uint64_t> = "a number from 0";
template <>
constexpr std::string_view type_name<double> = "a number";
template <>
constexpr std::string_view type_name<object> = "an object";
template <>
constexpr std::string_view type_name<array> = "an array";

class IndexReader {
 public:
  IndexReader(const std::string& path, std::uint64_t job, Profile& profile, std::vector<Diagnostic>& findings,
              const ReadLimits& limits)
      : findings_(path, findings), job_(job), profile_(profile), limits_(limits) {}

  void read(std::string_view text) {
    simdjson::dom::parser parser;
    const auto parsed = parser.parse(text.data(), text.size());
    object root;
    if (parsed.error() != simdjson::SUCCESS) {
      wrong("", fmt::format("no JSON: {}", simdjson::error_message(parsed.error())));
    } else if (parsed.get(root) != simdjson::SUCCESS ||
               member<std::string_view>(root, "", "format") != index_format) {
      wrong("", fmt::format("no object with \"format\": \"{}\"", index_format));
    } else {
      read_profile(root);
    }
  }

 private:
  void wrong(const std::string& pointer, std::string what) {
    findings_.add_at(support::Severity::error, pointer, std::move(what));
  }

  template <class Value>
  std::optional<Value> value_of(const element& from, const std::string& pointer) {
    Value value;
    if (from.get(value) == simdjson::SUCCESS) return value;
    wrong(pointer, fmt::format("not {}; it is left out", type_name<Value>));
    return std::nullopt;
  }

  /// A member; nothing if it is not there, and a finding if it is of another type.
  template <class Value>
  std::optional<Value> member(const object& from, const std::string& pointer, const char* key) {
    element found;
    if (from.at_key(key).get(found) != simdjson::SUCCESS) return std::nullopt;
    return value_of<Value>(found, pointer + '/' + key);
  }

  /// A number that must be there.
  std::optional<std::uint64_t> number(const object& from, const std::string& pointer, const char* key,
                                      std::uint64_t most) {
    const auto value = member<std::uint64_t>(from, pointer, key);
    if (value && *value <= most) return value;
    wrong(pointer, fmt::format("no \"{}\" from 0 to {}; it is left out", key, most));
    return std::nullopt;
  }

  /// "0-3, 7"; the empty text is the empty list.
  NumberList list(std::string_view text, const std::string& pointer, std::uint64_t largest = UINT64_MAX) {
    if (text.empty()) return {};
    std::optional<NumberList> numbers = NumberList::parse(text, limits_.max_numbers);
    if (numbers && numbers->max() <= largest) return std::move(*numbers);
    wrong(pointer, "no list of numbers such as \"0-3, 7\"; it is left out");
    return {};
  }

  NumberList ranks(const object& from, const std::string& pointer, const char* key) {
    const auto text = member<std::string_view>(from, pointer, key);
    return text ? list(*text, pointer + '/' + key, max_rank) : NumberList();
  }

  /// Calls function(operation, value, pointer) for each member of an object whose keys are operations.
  template <class Function>
  void for_each_operation(const object& from, const std::string& pointer, const char* key,
                          Function&& function) {
    const auto members = member<object>(from, pointer, key);
    if (!members) return;
    for (const auto& [name, value] : *members) {
      const std::string place = fmt::format("{}/{}/{}", pointer, key, name);
      if (const auto operation = Operation::named(name)) {
        function(*operation, value, place);
      } else {
        wrong(place, "no operation that is known; it is left out");
      }
    }
  }

  void read_profile(const object& root) {
    const auto version = member<std::uint64_t>(root, "", "version");
    if (version != index_version) {
      findings_.add_at(support::Severity::warning, "/version",
                       fmt::format("not {}, the version that is known; read as that", index_version));
    }
    if (const auto size = member<std::uint64_t>(root, "", "world_size")) {
      if (*size > max_rank) {
        wrong("/world_size", "more ranks than MPI can have; it is left out");
      } else {
        profile_.world_size = std::max(profile_.world_size, static_cast<std::uint32_t>(*size));
      }
    }
    profile_.cut_short.append(ranks(root, "", "cut_short"));
    profile_.incomplete_calls += member<std::uint64_t>(root, "", "incomplete_calls").value_or(0);
    if (const auto error = member<double>(root, "", "clock_error_s"))
      profile_.clock_error_s = std::max(*error, profile_.clock_error_s.value_or(0));
    read_leads(root);
  }

  void read_leads(const object& root) {
    const auto leads = member<array>(root, "", "leads");
    if (!leads) return;
    std::optional<std::uint64_t> last;
    std::size_t index = 0;
    for (const element& entry : *leads) {
      const std::string pointer = fmt::format("/leads/{}", index++);
      const auto lead = value_of<object>(entry, pointer);
      const auto rank = lead ? number(*lead, pointer, "rank", max_rank) : std::nullopt;
      if (!rank) continue;
      if (ascends(last, *rank, pointer))
        read_lead(*lead, pointer, lead_of(profile_, job_, static_cast<std::uint32_t>(*rank)));
    }
  }

  // In order, each is added at the end, so that a hostile file cannot make reading slow.
  bool ascends(std::optional<std::uint64_t>& last, std::uint64_t next, const std::string& pointer) {
    if (last && next <= *last) {
      wrong(pointer, fmt::format("number {} comes after {}: they must ascend; it is left out", next, *last));
      return false;
    }
    last = next;
    return true;
  }

  void read_lead(const object& from, const std::string& pointer, Lead& lead) {
    read_communicators(from, pointer, lead);
    read_type_sizes(from, pointer, lead);
    for_each_operation(from, pointer, "total_calls",
                       [&](Operation operation, const element& value, const std::string& place) {
                         if (const auto calls = value_of<std::uint64_t>(value, place))
                           lead.total_calls[operation.index()] = *calls;
                       });
  }

  void read_communicators(const object& from, const std::string& pointer, Lead& lead) {
    const auto communicators = member<array>(from, pointer, "communicators");
    if (!communicators) return;
    std::optional<std::uint64_t> last;
    std::size_t index = 0;
    for (const element& entry : *communicators) {
      const std::string place = fmt::format("{}/communicators/{}", pointer, index++);
      const auto communicator = value_of<object>(entry, place);
      const auto id = communicator ? number(*communicator, place, "id", UINT32_MAX) : std::nullopt;
      if (id && ascends(last, *id, place))
        read_communicator(*communicator, place, communicator_of(lead, static_cast<std::uint32_t>(*id)));
    }
  }

  void read_communicator(const object& from, const std::string& pointer, Communicator& communicator) {
    set(communicator.members, ranks(from, pointer, "members"), pointer + "/members");
    set(communicator.remote_members, ranks(from, pointer, "remote_members"), pointer + "/remote_members");
    for_each_operation(from, pointer, "calls",
                       [&](Operation operation, const element& value, const std::string& place) {
                         const auto text = value_of<std::string_view>(value, place);
                         NumberList ids = text ? list(*text, place) : NumberList();
                         if (!ids.empty()) set(calls_of(communicator, operation), std::move(ids), place);
                       });
  }

  void set(NumberList& numbers, NumberList read, const std::string& pointer) {
    if (read.empty() || numbers == read) return;
    if (numbers.empty()) {
      numbers = std::move(read);
    } else {
      wrong(pointer, "another file says something else; that is kept");
    }
  }

  /// Signatures by operation and first call, as type sizes name them.
  static std::map<std::pair<std::size_t, std::uint64_t>, Signature*> signatures_of(Lead& lead) {
    std::map<std::pair<std::size_t, std::uint64_t>, Signature*> signatures;
    for (Signature& signature : lead.signatures)
      if (!signature.calls.empty())
        signatures[{signature.operation.index(), signature.calls.front()}] = &signature;
    return signatures;
  }

  void read_type_sizes(const object& from, const std::string& pointer, Lead& lead) {
    const auto entries = member<array>(from, pointer, "type_sizes");
    if (!entries) return;
    const auto signatures = signatures_of(lead);
    std::size_t index = 0;
    for (const element& entry : *entries) {
      const std::string place = fmt::format("{}/type_sizes/{}", pointer, index++);
      const auto sizes = value_of<object>(entry, place);
      if (!sizes) continue;
      const auto operation =
          Operation::named(member<std::string_view>(*sizes, place, "operation").value_or(""));
      const auto first = number(*sizes, place, "first_call", UINT64_MAX);
      if (!operation || !first) {
        if (!operation) wrong(place, "no \"operation\" that is known; it is left out");
        continue;
      }
      const auto signature = signatures.find({operation->index(), *first});
      if (signature == signatures.end()) {
        findings_.add_at(support::Severity::warning, place,
                         fmt::format("no counts of {} begin with call {}; its type sizes are left out",
                                     operation->name(), *first));
        continue;
      }
      const std::uint32_t ranks = signature->second->comm_size;
      read_sizes(*sizes, place, "send", ranks, signature->second->send.type_sizes);
      read_sizes(*sizes, place, "recv", ranks, signature->second->recv.type_sizes);
    }
  }

  void read_sizes(const object& from, const std::string& pointer, const char* key, std::uint32_t n_ranks,
                  std::vector<std::uint64_t>& sizes) {
    const auto entries = member<array>(from, pointer, key);
    if (!entries) return;
    std::vector<std::uint64_t> read;
    for (const element& entry : *entries) {
      std::uint64_t size = 0;
      if (entry.get(size) != simdjson::SUCCESS) break;
      read.push_back(size);
    }
    if (read.size() == n_ranks) {
      sizes = std::move(read);
    } else {
      wrong(pointer + '/' + key, fmt::format("not {} numbers, one for each rank; it is left out", n_ranks));
    }
  }

  Findings findings_;
  std::uint64_t job_;
  Profile& profile_;
  const ReadLimits& limits_;
};

}  // namespace

void read_index(const std::string& path, std::string_view text, std::uint64_t job, Profile& profile,
                std::vector<Diagnostic>& findings, const ReadLimits& limits) {
  IndexReader(path, job, profile, findings, limits).read(text);
}

}  // namespace plimsoll::collectives
