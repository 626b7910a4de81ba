#include <plimsoll/support/internal/text.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "collectives/time_files/time_file_kinds.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

using support::JsonWriter;

void append_communicator(JsonWriter& json, const Communicator& communicator) {
  json.begin_object().member("id", communicator.id);
  if (!communicator.members.empty()) json.member("members", communicator.members.to_string());
  if (!communicator.remote_members.empty())
    json.member("remote_members", communicator.remote_members.to_string());
  if (!communicator.calls.empty()) {
    json.key("calls").begin_object();
    for (const Communicator::Calls& calls : communicator.calls)
      json.member(calls.operation.lower_case_name(), calls.ids.to_string());
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

void append_sizes(JsonWriter& json, std::string_view side, const std::vector<std::uint64_t>& sizes) {
  if (sizes.empty()) return;
  json.key(side).values(sizes);
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
    append_sizes(json, "send", signature.send.type_sizes);
    append_sizes(json, "recv", signature.recv.type_sizes);
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
