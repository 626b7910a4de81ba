#include <plimsoll/collectives/mpi_calls.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "collectives/mpi_calls/mpi_calls_format.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

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
      .member("beyond_fastest_s", site.beyond_fastest_s)
      .end_object();
}

}  // namespace

std::string to_json(const MpiCalls& calls) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("format", mpi_calls_format).member("version", mpi_calls_version);
  if (!calls.run.empty()) json.member("run", calls.run);
  json.key("ranks").begin_array();
  for (const MpiCalls::Rank& rank : calls.ranks)
    json.begin_object()
        .member("host", rank.host)
        .member("wall_s", rank.wall_s)
        .member("mpi_s", rank.mpi_s)
        .member("beyond_fastest_s", rank.beyond_fastest_s)
        .end_object();
  json.end_array().key("functions").begin_array();
  for (const MpiCalls::Function& function : calls.functions)
    json.begin_object()
        .member("name", function.name)
        .key("calls")
        .values(function.calls)
        .key("time_s")
        .values(function.time_s)
        .end_object();
  json.end_array().key("sites").begin_array();
  for (const MpiCalls::Site& site : calls.sites) write_site(json, site, calls);
  json.end_array().key("traffic").begin_array();
  for (const MpiCalls::Traffic& pair : calls.traffic)
    json.begin_array().value(pair.from).value(pair.to).value(pair.messages).value(pair.bytes).end_array();
  json.end_array().end_object();
  text += '\n';
  return text;
}

}  // namespace plimsoll::collectives
