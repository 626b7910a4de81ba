#include "interpose/sums/collect_calls.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <type_traits>
#include <vector>

namespace plimsoll::PLIMSOLL_ABI::interpose {

namespace {

constexpr int calls_tag = 3;

template <class Element>
void send(MPI_Comm communicator, const std::vector<Element>& elements) {
  static_assert(std::is_trivially_copyable_v<Element>);
  PMPI_Send(elements.data(), static_cast<int>(elements.size() * sizeof(Element)), MPI_BYTE, 0, calls_tag,
            communicator);
}

template <class Element>
std::vector<Element> receive(MPI_Comm communicator, int from) {
  MPI_Status status = {};
  int bytes = 0;
  PMPI_Probe(from, calls_tag, communicator, &status);
  PMPI_Get_count(&status, MPI_BYTE, &bytes);
  std::vector<Element> elements(static_cast<std::size_t>(bytes) / sizeof(Element));
  PMPI_Recv(elements.data(), bytes, MPI_BYTE, from, calls_tag, communicator, MPI_STATUS_IGNORE);
  return elements;
}

/// Joins names, each with a final null character.
std::vector<char> joined(const std::vector<std::string>& names) {
  std::vector<char> text;
  for (const std::string& name : names) text.insert(text.end(), name.c_str(), name.c_str() + name.size() + 1);
  return text;
}

std::vector<std::string> divided(const std::vector<char>& text) {
  std::vector<std::string> names;
  for (auto begin = text.begin(); begin != text.end();) {
    const auto end = std::find(begin, text.end(), '\0');
    names.emplace_back(begin, end);
    begin = end + 1;
  }
  return names;
}

/// Joins the host, the cores and the modules.
std::vector<char> names_of(const RankCalls& calls) {
  std::vector<std::string> names = {calls.host, calls.cores};
  names.insert(names.end(), calls.modules.begin(), calls.modules.end());
  return joined(names);
}

void set_names(const std::vector<char>& text, RankCalls& calls) {
  const std::vector<std::string> names = divided(text);
  calls.host = names.at(0);
  calls.cores = names.at(1);
  calls.modules.assign(names.begin() + 2, names.end());
}

/// Sends this rank's calls when rank 0 is ready for them.
void send_calls(MPI_Comm communicator, const RankCalls& calls) {
  PMPI_Recv(nullptr, 0, MPI_BYTE, 0, calls_tag, communicator, MPI_STATUS_IGNORE);
  send(communicator, std::vector{calls.process});
  send(communicator, names_of(calls));
  send(communicator, calls.sites);
  send(communicator, calls.of_functions);
  send(communicator, calls.messages);
  send(communicator, std::vector{calls.parts});
  send(communicator, joined(calls.region_names));
  send(communicator, calls.callers);
}

RankCalls receive_calls(MPI_Comm communicator, int rank) {
  PMPI_Send(nullptr, 0, MPI_BYTE, rank, calls_tag, communicator);
  RankCalls calls;
  calls.process = receive<RankCalls::Process>(communicator, rank).at(0);
  set_names(receive<char>(communicator, rank), calls);
  calls.functions = names_of_functions();  // all ranks have the same library
  calls.sites = receive<RankCalls::Site>(communicator, rank);
  calls.of_functions = receive<RankCalls::OfFunction>(communicator, rank);
  calls.messages = receive<RankCalls::Messages>(communicator, rank);
  calls.parts = receive<RankCalls::Parts>(communicator, rank).at(0);
  calls.region_names = divided(receive<char>(communicator, rank));
  calls.callers = receive<collectives::CallsOfStack>(communicator, rank);
  return calls;
}

}  // namespace

std::optional<collectives::ProgramCalls> collect_calls(MPI_Comm communicator, const RankCalls& own) {
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(communicator, &rank);
  PMPI_Comm_size(communicator, &ranks);
  if (rank != 0) {
    send_calls(communicator, own);
    return std::nullopt;
  }
  collectives::ProgramCalls all(ranks);
  std::exception_ptr failure;  // after it, the other ranks still wait to send
  for (int from = 0; from < ranks; ++from) try {
      const RankCalls calls = from == 0 ? own : receive_calls(communicator, from);
      if (!failure) all.add_rank(calls);
    } catch (const std::exception&) {
      failure = std::current_exception();
    }
  if (failure) std::rethrow_exception(failure);
  return all;
}

}  // namespace plimsoll::interpose
