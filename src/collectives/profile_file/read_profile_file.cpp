#include <fmt/format.h>
#include <sys/stat.h>

#include <bit>
#include <cerrno>
#include <limits>
#include <memory>

#include <plimsoll/support/files.hpp>

#include "collectives/files/counts_files.hpp"
#include "collectives/profile_file/fields.hpp"
#include "collectives/profile_file/profile_file.hpp"
#include "collectives/profile_file/transposed.hpp"

namespace plimsoll::PLIMSOLL_ABI::collectives {

namespace {

constexpr std::uint64_t largest_rank = std::numeric_limits<std::int32_t>::max();  // MPI's ranks are ints

class ProfileReader {
 public:
  ProfileReader(CheckedReader& input, Budget& budget) : input_(input, budget) {}

  ProfileFileHead head() {
    ProfileFileHead head{.job = input_.number(), .text_files = {}};
    for_each([&] {
      TextFile& file = head.text_files.emplace_back();
      file.name = input_.text();
      file.size_bytes = input_.number();
      file.modified_ns = input_.signed_number();
      file.hash = input_.word();
    });
    return head;
  }

  Profile profile(std::uint64_t job) {
    Profile profile;
    profile.world_size = static_cast<std::uint32_t>(input_.number(largest_rank, "number of ranks"));
    for_each([&] { profile.runs.push_back(input_.text()); });
    profile.cut_short = input_.list(largest_rank);
    profile.incomplete_calls = input_.number();
    if (flag()) profile.clock_error_s = std::bit_cast<double>(input_.word());
    for_each([&] {
      FailedCalls& failed = profile.failed_calls.emplace_back();
      failed.operation = operation();
      failed.calls = input_.number();
      failed.ranks = input_.list(largest_rank);
    });
    for_each([&] {
      Host& host = profile.hosts.emplace_back();
      host.name = input_.text();
      host.ranks = input_.list(largest_rank);
    });
    leads(profile, job);
    return profile;
  }

 private:
  /// Reads a number of items.
  template <class Read>
  void for_each(Read&& read) {
    for (std::uint64_t count = input_.number(); count > 0; --count) read();
  }

  bool flag() { return input_.number(1, "flag") == 1; }
  Operation operation() { return Operation::at(input_.number(Operation::count - 1, "operation")); }

  void leads(Profile& profile, std::uint64_t job) {
    for_each([&] {
      Lead& lead = profile.leads.emplace_back();
      lead.job = job;
      lead.rank = static_cast<std::uint32_t>(input_.number(largest_rank, "rank"));
      if (profile.leads.size() > 1 && profile.leads.end()[-2].rank >= lead.rank)
        input_.fail(fmt::format("lead {} does not follow in order", lead.rank));
      read_lead(lead);
    });
  }

  void read_lead(Lead& lead) {
    for_each([&] { lead.signatures.push_back(signature(Content::counts)); });
    for_each([&] { lead.displacements.push_back(signature(Content::displacements)); });
    for_each([&] {
      Communicator one = communicator();
      if (!lead.communicators.empty() && lead.communicators.back().id >= one.id)
        input_.fail(fmt::format("communicator {} does not follow in order", one.id));
      lead.communicators.push_back(std::move(one));
    });
    for (const auto values : {&Lead::execution_s, &Lead::late_arrival_s, &Lead::begin_s})
      per_rank(lead.*values);
    per_rank(lead.hashes);
    for_each([&] { lead.backtraces.push_back(backtrace()); });
    lead.total_calls = input_.unsigned_numbers(Operation::count);
  }

  Signature signature(Content content) {
    Signature signature;
    signature.operation = operation();
    signature.comm_size = comm_size();
    signature.calls = input_.list(largest_id);
    if (signature.calls.empty()) input_.fail("count set without calls");
    input_.take(signature.calls.size());
    side(signature.send, signature.comm_size);
    side(signature.recv, signature.comm_size);
    CountMatrix& send = signature.send.matrix;
    matrix_shape(send, signature.comm_size);
    send.counts = counts_of(send, content);
    CountMatrix& recv = signature.recv.matrix;
    matrix_shape(recv, signature.comm_size);
    if (!flag()) {
      recv.counts = counts_of(recv, content);
    } else if (Transposed::fits(signature)) {
      input_.take(recv.rows() * recv.columns);
      Transposed(send).fill(recv);
    } else {
      input_.fail("counts of a matrix that is not square are received from the senders");
    }
    if (content == Content::counts)
      if (const std::string problem = size_problem(signature); !problem.empty()) input_.fail(problem);
    return signature;
  }

  std::uint32_t comm_size() {
    const std::uint64_t ranks = input_.number(largest_rank, "communicator size");
    if (ranks == 0) input_.fail("invalid communicator size 0");
    return static_cast<std::uint32_t>(ranks);
  }

  void side(Side& side, std::uint32_t comm_size) {
    side.type_size = input_.number();
    if (flag()) side.type_sizes = input_.unsigned_numbers(comm_size);
  }

  /// Reads the ranks of each row. Each rank has one row.
  void matrix_shape(CountMatrix& matrix, std::uint32_t comm_size) {
    matrix.columns = static_cast<std::uint32_t>(input_.number(largest_rank, "number of columns"));
    if (matrix.columns == 0) return;
    const std::uint64_t rows = input_.number(comm_size, "number of rows");
    if (rows == 0) return rows_of_all_ranks(matrix, comm_size);
    std::uint64_t ranks = 0;
    for (std::uint64_t row = 0; row < rows; ++row) {
      matrix.ranks.push_back(input_.list(comm_size - 1));
      const NumberList& of_row = matrix.ranks.back();
      if (of_row.empty() || (row > 0 && of_row.min() <= matrix.ranks[row - 1].min()))
        input_.fail("rows are not sorted by their lowest ranks");
      ranks += of_row.size();
    }
    std::vector<const NumberList*> lists;
    for (const NumberList& list : matrix.ranks) lists.push_back(&list);
    if (ranks != comm_size || NumberList::first_duplicate(lists))
      input_.fail(fmt::format("the rows do not contain each of {} ranks once", comm_size));
  }

  void rows_of_all_ranks(CountMatrix& matrix, std::uint32_t comm_size) {
    constexpr std::uint64_t numbers_per_row = sizeof(NumberList) / sizeof(std::uint64_t);
    if (comm_size / max_numbers_per_byte > input_.remaining())
      input_.fail(fmt::format("rows of {} ranks do not fit into the rest of the file", comm_size));
    input_.take(numbers_per_row * comm_size);
    matrix.ranks.resize(comm_size);
    for (std::uint32_t rank = 0; rank < comm_size; ++rank) matrix.ranks[rank].push_back(rank);
  }

  std::vector<std::int64_t> counts_of(const CountMatrix& matrix, Content content) {
    std::vector<std::int64_t> counts = input_.numbers(matrix.rows() * matrix.columns);
    if (content == Content::counts &&
        std::ranges::any_of(counts, [](std::int64_t count) { return count < 0; }))
      input_.fail("negative count");
    return counts;
  }

  Communicator communicator() {
    Communicator communicator;
    communicator.id = input_.number32("communicator");
    communicator.members = input_.list(largest_rank);
    communicator.remote_members = input_.list(largest_rank);
    const std::uint64_t ranks = communicator.members.size();
    if (flag()) communicator.hosts = places(ranks);
    if (flag()) communicator.pids = input_.unsigned_numbers(ranks);
    for_each([&] {
      Communicator::Calls& calls = communicator.calls.emplace_back();
      calls.operation = operation();
      calls.ids = input_.list(largest_id);
      if (calls.ids.empty()) input_.fail("empty list of calls");
    });
    return communicator;
  }

  std::vector<std::string> places(std::uint64_t ranks) {
    std::vector<std::string> names;
    for_each([&] { names.push_back(input_.text()); });
    std::vector<std::string> hosts;
    for (const std::uint64_t number : input_.unsigned_numbers(ranks)) {
      if (number >= names.size()) input_.fail(fmt::format("unknown host {}", number));
      input_.take((sizeof(std::string) + names[number].size()) / sizeof(std::uint64_t));
      hosts.push_back(names[number]);
    }
    return hosts;
  }

  template <class Value>
  void per_rank(std::vector<PerRank<Value>>& all) {
    for_each([&] {
      PerRank<Value>& values = all.emplace_back();
      values.operation = operation();
      values.communicator = input_.number32("communicator");
      values.comm_size = comm_size();
      values.calls = input_.unsigned_numbers(input_.number());
      if (std::ranges::adjacent_find(values.calls, std::greater_equal<>()) != values.calls.end())
        input_.fail("calls with values are not in ascending order");
      if (values.calls.size() > UINT64_MAX / values.comm_size) input_.fail("too many values");
      read_values(values.calls.size() * values.comm_size, values.values);
    });
  }

  void read_values(std::uint64_t count, std::vector<double>& seconds) {
    const bool are_ns = flag();
    const std::vector<std::int64_t> numbers = input_.numbers(count);
    seconds.reserve(count);
    for (const std::int64_t number : numbers) {
      seconds.push_back(are_ns ? static_cast<double>(number) / 1e9 : std::bit_cast<double>(number));
      if (!(seconds.back() - seconds.back() == 0)) input_.fail("time that is not finite");
    }
  }

  void read_values(std::uint64_t count, std::vector<DataHashes>& hashes) {
    const std::vector<std::uint64_t> sent = input_.unsigned_numbers(count);
    const std::vector<std::uint64_t> received = input_.unsigned_numbers(count);
    hashes.reserve(count);
    for (std::size_t k = 0; k < count; ++k) hashes.push_back({sent[k], received[k]});
  }

  Backtrace backtrace() {
    Backtrace trace;
    trace.operation = operation();
    trace.program = input_.text();
    trace.pid = input_.number();
    for_each([&] { trace.frames.push_back(input_.text()); });
    for_each([&] {
      Backtrace::Context& context = trace.contexts.emplace_back();
      context.communicator = input_.number32("communicator");
      context.comm_rank = input_.number32("rank");
      context.world_rank = input_.number32("rank");
      context.calls = input_.list();
      if (context.calls.empty()) input_.fail("empty list of calls");
    });
    return trace;
  }

  FieldReader input_;
};

/// Adds a profile to another one, which lacks its leads.
void add(Profile part, Profile& profile) {
  profile.world_size = std::max(profile.world_size, part.world_size);
  std::ranges::move(part.runs, std::back_inserter(profile.runs));
  if (profile.hosts.empty()) profile.hosts = std::move(part.hosts);
  profile.cut_short.append(part.cut_short);
  profile.incomplete_calls += part.incomplete_calls;
  std::ranges::move(part.failed_calls, std::back_inserter(profile.failed_calls));
  if (part.clock_error_s)
    profile.clock_error_s = std::max(*part.clock_error_s, profile.clock_error_s.value_or(0));
  for (Lead& lead : part.leads) lead_of(profile, lead.job, lead.rank) = std::move(lead);
}

std::uint64_t bytes_of(const support::Descriptor& file, const std::string& path) {
  struct stat status {};
  if (fstat(file.number(), &status) != 0) throw support::system_error("cannot read", path, errno);
  return static_cast<std::uint64_t>(status.st_size);
}

CheckedReader open(const std::string& path) {
  const auto file = std::make_shared<support::Descriptor>(support::open_input_file(path));
  return CheckedReader(path, bytes_of(*file, path),
                       [file, path](char* buffer, std::size_t size, std::uint64_t position) {
                         return support::read_at(*file, buffer, size, position, path);
                       });
}

}  // namespace

ProfileFileReader::ProfileFileReader(const std::string& path, Budget& budget)
    : input_(open(path)), budget_(budget), head_(ProfileReader(input_, budget_).head()) {}

ProfileFileReader::ProfileFileReader(std::string name, std::uint64_t file_bytes, CheckedReader::Source source,
                                     Budget& budget)
    : input_(std::move(name), file_bytes, std::move(source)),
      budget_(budget),
      head_(ProfileReader(input_, budget_).head()) {}

void ProfileFileReader::read(Profile& profile) {
  Profile part = ProfileReader(input_, budget_).profile(head_.job);
  input_.expect_end();
  add(std::move(part), profile);
}

}  // namespace plimsoll::collectives
