#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/environment.hpp>
#include <plimsoll/mpi/messages.hpp>
#include <plimsoll/support/contract.hpp>
#include <plimsoll/support/error.hpp>
#include <plimsoll/support/hash.hpp>

namespace plimsoll::PLIMSOLL_ABI::mpi {

namespace {

/// An MPI object that is freed at the end of the scope, regardless of how the scope ends.
template <class Handle, auto release>
class OwnedHandle {
 public:
  explicit OwnedHandle(Handle null) : null_(null), handle_(null) {}
  OwnedHandle(const OwnedHandle&) = delete;
  OwnedHandle& operator=(const OwnedHandle&) = delete;
  ~OwnedHandle() {
    if (handle_ != null_) release(&handle_);
  }

  /// Returns the address for the call that creates the object.
  Handle* address() { return &handle_; }
  Handle get() const { return handle_; }

 private:
  const Handle null_;
  Handle handle_;
};

// Never destroyed, because static objects of the program may be registered until the process ends.
std::vector<const AtFinalize*>& registered() {
  static auto& all = *new std::vector<const AtFinalize*>;
  return all;
}

// MPI calls this at the beginning of MPI_Finalize.
int run_all(MPI_Comm, int, void*, void*) noexcept {
  while (!registered().empty()) {
    const AtFinalize* last = registered().back();
    registered().pop_back();
    try {
      last->run();
    } catch (...) {  // MPI cannot pass it on
    }
  }
  return MPI_SUCCESS;
}

void expect_finalize() {
  int key = MPI_KEYVAL_INVALID;
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, run_all, &key, nullptr), "MPI_Comm_create_keyval");
  check(MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr), "MPI_Comm_set_attr");
  check(MPI_Comm_free_keyval(&key), "MPI_Comm_free_keyval");  // exists as long as the attribute
}

void expect_usable(MPI_Comm parent) {
  expect_running();
  if (parent == MPI_COMM_NULL)
    throw support::usage_error("invalid communicator MPI_COMM_NULL", "use a valid communicator");
  int inter = 0;
  check(MPI_Comm_test_inter(parent, &inter), "MPI_Comm_test_inter");
  if (inter != 0) {
    throw support::usage_error("invalid inter-communicator: expected an intra-communicator",
                               "use MPI_Intercomm_merge");
  }
}

using std::chrono::microseconds;
using std::chrono::steady_clock;

constexpr int spins = 1000;  // some 50 us, in which ranks on separate cores usually arrive
// A sleep delays the rank by up to 0.1 ms, because the timer of Linux adds to it. Other ranks that wait for
// this rank must not begin to sleep because of that.
constexpr microseconds time_without_sleep{500};
constexpr microseconds sleep{50};

/// The members of an Error that are not strings.
struct Numbers {
  ErrorKind kind = ErrorKind::system;
  Severity severity = Severity::error;
  std::optional<std::uint64_t> byte;
  std::optional<std::uint64_t> line;
  bool has_pointer = false;
};
static_assert(std::is_trivially_copyable_v<Numbers>);

/// Returns the error of `root` on all ranks. Collective.
Error broadcast(const Communicator& communicator, const std::optional<Error>& mine, int root) {
  const Diagnostic own = mine ? mine->diagnostic() : Diagnostic{};
  Numbers numbers;
  if (mine) numbers = {mine->kind(), own.severity, own.byte, own.line, own.pointer.has_value()};
  mpi::broadcast(communicator, std::as_writable_bytes(std::span(&numbers, 1)), root);

  Diagnostic sent{.severity = numbers.severity, .byte = numbers.byte, .line = numbers.line};
  sent.check = communicator.broadcast(own.check, root);
  sent.what = communicator.broadcast(own.what, root);
  sent.file = communicator.broadcast(own.file, root);
  if (numbers.has_pointer) sent.pointer = communicator.broadcast(own.pointer.value_or(""), root);
  sent.suggestion = communicator.broadcast(own.suggestion, root);
  return {numbers.kind, std::move(sent)};
}

/// Returns whether all ranks have this error. Collective.
bool all_ranks_have(const Communicator& communicator, const Error& error, const std::optional<Error>& mine) {
  const int same =
      mine && mine->kind() == error.kind() && std::string_view(mine->what()) == error.what() ? 1 : 0;
  int all_same = 0;
  check(MPI_Allreduce(&same, &all_same, 1, MPI_INT, MPI_MIN, communicator.handle()), "MPI_Allreduce");
  return all_same != 0;
}

}  // namespace

bool initialised() {
  int flag = 0;
  MPI_Initialized(&flag);
  return flag != 0;
}

bool finalised() {
  int flag = 0;
  MPI_Finalized(&flag);
  return flag != 0;
}

void expect_running() {
  if (initialised() && !finalised()) return;
  throw support::usage_error("MPI is not initialised, or already finalised",
                             "call this function between MPI_Init and MPI_Finalize");
}

Environment::Environment(int* argc, char*** argv) {
  if (finalised())
    throw support::usage_error("MPI is already finalised", "use Environment only before MPI_Finalize");
  if (initialised()) return;
  int provided = MPI_THREAD_SINGLE;
  check(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  initialised_here_ = true;
}

Environment::~Environment() {
  if (initialised_here_ && !finalised()) MPI_Finalize();
}

bool Environment::allows_threads() {
  expect_running();
  int level = MPI_THREAD_SINGLE;
  check(MPI_Query_thread(&level), "MPI_Query_thread");
  return level >= MPI_THREAD_FUNNELED;
}

AtFinalize::AtFinalize(std::function<void()> work) : work_(std::move(work)) {
  expect_running();
  static const bool expected = (expect_finalize(), true);
  static_cast<void>(expected);
  registered().push_back(this);
}

AtFinalize::~AtFinalize() {
  std::erase(registered(), this);
}

std::uint64_t host_number() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  check(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  return support::hash_bytes(std::string_view(name.data(), static_cast<std::size_t>(length)));
}

NodePlace node_place(const Communicator& communicator) {
  NodePlace place;
  OwnedHandle<MPI_Comm, &MPI_Comm_free> node(MPI_COMM_NULL);
  check(MPI_Comm_split_type(communicator.handle(), MPI_COMM_TYPE_SHARED, communicator.rank(), MPI_INFO_NULL,
                            node.address()),
        "MPI_Comm_split_type");
  check(MPI_Comm_rank(node.get(), &place.rank), "MPI_Comm_rank");
  check(MPI_Comm_size(node.get(), &place.size), "MPI_Comm_size");

  // The lowest rank of each node counts the nodes before it and sends the number to the others on its node.
  const int leads = place.rank == 0 ? 1 : 0;
  check(MPI_Exscan(&leads, &place.id, 1, MPI_INT, MPI_SUM, communicator.handle()), "MPI_Exscan");
  if (communicator.rank() == 0) place.id = 0;  // MPI_Exscan leaves the result undefined on rank 0
  check(MPI_Bcast(&place.id, 1, MPI_INT, 0, node.get()), "MPI_Bcast");
  check(MPI_Allreduce(&leads, &place.node_count, 1, MPI_INT, MPI_SUM, communicator.handle()),
        "MPI_Allreduce");
  return place;
}

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(ErrorKind::system,
              {.what = fmt::format("{} failed: {}", call, std::string_view(text, length))});
}

// Delegates, so that the destructor frees the duplicate if a later call throws.
Communicator::Communicator(MPI_Comm parent) : Communicator() {
  expect_usable(parent);
  // Omit the program's hints, which MPI_Comm_dup of MPI-3 copies. They may assert properties that Plimsoll
  // violates, for example that no rank receives from MPI_ANY_SOURCE.
  check(MPI_Comm_dup_with_info(parent, MPI_INFO_NULL, &handle_), "MPI_Comm_dup_with_info");
  check(MPI_Comm_set_errhandler(handle_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check(MPI_Comm_rank(handle_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(handle_, &size_), "MPI_Comm_size");
}

Communicator::Communicator(Communicator&& other) noexcept
    : handle_(std::exchange(other.handle_, MPI_COMM_NULL)), rank_(other.rank_), size_(other.size_) {}

Communicator& Communicator::operator=(Communicator&& other) noexcept {
  Communicator taken(std::move(other));
  std::swap(handle_, taken.handle_);
  std::swap(rank_, taken.rank_);
  std::swap(size_, taken.size_);
  return *this;
}

Communicator::~Communicator() {
  if (handle_ != MPI_COMM_NULL && !finalised()) MPI_Comm_free(&handle_);
}

void Communicator::barrier() const {
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Ibarrier(handle_, &request), "MPI_Ibarrier");
  mpi::wait(request);
}

std::string Communicator::broadcast(std::string_view text, int root) const {
  unsigned long long size = text.size();
  check(MPI_Bcast(&size, 1, MPI_UNSIGNED_LONG_LONG, root, handle_), "MPI_Bcast");
  std::string result(rank_ == root ? text : std::string_view());
  result.resize(size);
  mpi::broadcast(*this, std::as_writable_bytes(std::span(result)), root);
  return result;
}

void Communicator::all_reduce_bytes(const void* mine, void* result, int size_bytes,
                                    MPI_User_function* merge_all, const Wait& wait) const {
  expect_running();
  OwnedHandle<MPI_Datatype, &MPI_Type_free> type(MPI_DATATYPE_NULL);
  check(MPI_Type_contiguous(size_bytes, MPI_BYTE, type.address()), "MPI_Type_contiguous");
  check(MPI_Type_commit(type.address()), "MPI_Type_commit");
  OwnedHandle<MPI_Op, &MPI_Op_free> operation(MPI_OP_NULL);
  check(MPI_Op_create(merge_all, /*commute=*/0, operation.address()), "MPI_Op_create");
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallreduce(mine, result, 1, type.get(), operation.get(), handle_, &request), "MPI_Iallreduce");
  wait(request);
}

void Backoff::pause() {
  if (++pauses_ < spins) return;
  const steady_clock::time_point now = steady_clock::now();
  if (pauses_ == spins) start_ = now;
  if (now - start_ < time_without_sleep)
    std::this_thread::yield();
  else
    std::this_thread::sleep_for(sleep);
}

void wait(MPI_Request& request) {
  Backoff backoff;
  for (int is_complete = 0; is_complete == 0; backoff.pause())
    check(MPI_Test(&request, &is_complete, MPI_STATUS_IGNORE), "MPI_Test");
}

void agree(const Communicator& communicator, const std::optional<Error>& mine) {
  expect_running();
  const int failed = mine ? communicator.rank() : communicator.size();
  int lowest_failed = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  check(MPI_Iallreduce(&failed, &lowest_failed, 1, MPI_INT, MPI_MIN, communicator.handle(), &request),
        "MPI_Iallreduce");
  wait(request);  // the work of another rank may take long
  if (lowest_failed < communicator.size()) throw_error_of(communicator, lowest_failed, mine);
}

void agreed(const Communicator& communicator, const std::function<void()>& work) {
  std::optional<Error> error;
  try {
    work();
  } catch (...) {
    error = support::current_error();
  }
  agree(communicator, error);
}

void throw_error_of(const Communicator& communicator, int failed_rank, const std::optional<Error>& mine) {
  PLIMSOLL_EXPECT(failed_rank >= 0 && failed_rank < communicator.size());
  PLIMSOLL_EXPECT(failed_rank != communicator.rank() || mine.has_value());
  const Error error = broadcast(communicator, mine, failed_rank);
  if (all_ranks_have(communicator, error, mine)) throw error;
  Diagnostic diagnostic = error.diagnostic();
  diagnostic.what = fmt::format("rank {}: {}", failed_rank, diagnostic.what);
  throw Error(error.kind(), std::move(diagnostic));
}

}  // namespace plimsoll::mpi
