#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/mpi/messages.hpp>

#include "common/throws_error.hpp"

namespace plimsoll::PLIMSOLL_ABI::mpi {
namespace {

int world_rank() {
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int world_size() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

TEST(Communicator, DuplicatesParent) {
  const Communicator communicator(MPI_COMM_WORLD);
  EXPECT_EQ(communicator.rank(), world_rank());
  EXPECT_EQ(communicator.size(), world_size());
  int relation = MPI_UNEQUAL;
  MPI_Comm_compare(communicator.handle(), MPI_COMM_WORLD, &relation);
  EXPECT_EQ(relation, MPI_CONGRUENT);
  communicator.barrier();
}

TEST(Communicator, DuplicatesSubCommunicator) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank() % 2, -world_rank(), &half);  // ranks in reverse order
  {
    const Communicator communicator(half);
    const int odd = world_rank() % 2;
    const int size = (world_size() + 1 - odd) / 2;
    EXPECT_EQ(communicator.size(), size);
    EXPECT_EQ(communicator.rank(), size - 1 - world_rank() / 2);
    EXPECT_EQ(communicator.broadcast(std::to_string(world_rank()), 0), std::to_string(2 * (size - 1) + odd));
  }
  MPI_Comm_free(&half);
}

/// Sends one message around the ring on each communicator, with the same tag. `ours_first` selects the order.
/// Returns the values received on Plimsoll's communicator and on the program's.
std::pair<int, int> exchange_on_both(const Communicator& ours, bool ours_first) {
  const int left = (ours.rank() + ours.size() - 1) % ours.size();
  const int right = (ours.rank() + 1) % ours.size();
  constexpr int tag = 7;
  constexpr int our_value = 1;
  constexpr int program_value = 2;
  std::pair<int, int> received{0, 0};
  std::array<MPI_Request, 4> requests;
  // The program receives any message from any rank.
  MPI_Irecv(&received.second, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&received.first, 1, MPI_INT, left, tag, ours.handle(), &requests[1]);
  const auto send_ours = [&] { MPI_Isend(&our_value, 1, MPI_INT, right, tag, ours.handle(), &requests[2]); };
  if (ours_first) send_ours();
  MPI_Isend(&program_value, 1, MPI_INT, right, tag, MPI_COMM_WORLD, &requests[3]);
  if (!ours_first) send_ours();
  MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
  return received;
}

TEST(Communicator, KeepsMessagesSeparateFromProgram) {
  const Communicator communicator(MPI_COMM_WORLD);
  EXPECT_EQ(exchange_on_both(communicator, true), std::pair(1, 2));
  EXPECT_EQ(exchange_on_both(communicator, false), std::pair(1, 2));
}

TEST(Communicator, KeepsMessagesSeparateFromSibling) {
  const Communicator first(MPI_COMM_WORLD);
  const Communicator second(MPI_COMM_WORLD);
  const std::array<int, 2> sent{1, 2};
  std::array<int, 2> received{0, 0};
  std::array<MPI_Request, 4> requests;
  MPI_Isend(&sent[0], 1, MPI_INT, first.rank(), 0, first.handle(), &requests[0]);
  MPI_Isend(&sent[1], 1, MPI_INT, second.rank(), 0, second.handle(), &requests[1]);
  MPI_Irecv(&received[1], 1, MPI_INT, MPI_ANY_SOURCE, 0, second.handle(), &requests[2]);
  MPI_Irecv(&received[0], 1, MPI_INT, MPI_ANY_SOURCE, 0, first.handle(), &requests[3]);
  MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
  EXPECT_EQ(received, sent);
}

TEST(Communicator, ThrowsErrorsRegardlessOfErrorHandlerOfProgram) {
  MPI_Errhandler of_program = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &of_program);
  ASSERT_EQ(of_program, MPI_ERRORS_ARE_FATAL);  // otherwise this test would be meaningless

  const Communicator communicator(MPI_COMM_WORLD);
  const std::vector<std::byte> bytes(1);
  EXPECT_ERROR(send(communicator, bytes, communicator.size(), 0), system, "MPI_Send failed: ");
  EXPECT_ERROR(receive(communicator, communicator.size(), 0), system, "MPI_Recv failed: ");
  EXPECT_ERROR(communicator.broadcast("text", communicator.size()), system, "MPI_Bcast failed: ");

  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &of_program);
  EXPECT_EQ(of_program, MPI_ERRORS_ARE_FATAL);
  communicator.barrier();  // still usable
}

TEST(Communicator, ReportsFailedCallAndMpiErrorText) {
  EXPECT_NO_THROW(check(MPI_SUCCESS, "MPI_Something"));
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(MPI_ERR_TRUNCATE, text, &length);
  EXPECT_ERROR(check(MPI_ERR_TRUNCATE, "MPI_Something"), system,
               std::string("MPI_Something failed: ") + text);
}

TEST(Communicator, RejectsNullCommunicator) {
  EXPECT_ERROR(Communicator(MPI_COMM_NULL), usage, "MPI_COMM_NULL");
}

TEST(Communicator, RejectsInterCommunicator) {
  if (world_size() < 2) GTEST_SKIP() << "requires two ranks";
  const int side = world_rank() % 2;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, side, 0, &half);
  MPI_Comm between = MPI_COMM_NULL;
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 0, &between);
  EXPECT_ERROR(Communicator{between}, usage, "inter-communicator");
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
}

/// Counts how often the watched MPI communicators are freed.
class FreeCounter {
 public:
  FreeCounter() { MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, count_free, &key_, nullptr); }
  ~FreeCounter() { MPI_Comm_free_keyval(&key_); }
  FreeCounter(const FreeCounter&) = delete;
  FreeCounter& operator=(const FreeCounter&) = delete;

  void watch(const Communicator& communicator) { MPI_Comm_set_attr(communicator.handle(), key_, &freed_); }
  int freed() const { return freed_; }

 private:
  static int count_free(MPI_Comm, int, void* freed, void*) {
    ++*static_cast<int*>(freed);
    return MPI_SUCCESS;
  }

  int key_ = MPI_KEYVAL_INVALID;
  int freed_ = 0;
};

TEST(Communicator, IsFreedOnceAfterMove) {
  FreeCounter counter;
  {
    Communicator first(MPI_COMM_WORLD);
    counter.watch(first);
    const MPI_Comm handle = first.handle();
    const Communicator second(std::move(first));
    EXPECT_EQ(second.handle(), handle);
    EXPECT_EQ(second.rank(), world_rank());
    EXPECT_EQ(second.size(), world_size());
    second.barrier();
    EXPECT_EQ(counter.freed(), 0);
  }
  EXPECT_EQ(counter.freed(), 1);
}

TEST(Communicator, FreesOldCommunicatorOnMoveAssignment) {
  FreeCounter counter;
  Communicator target(MPI_COMM_WORLD);
  Communicator alone(MPI_COMM_SELF);
  counter.watch(target);
  const MPI_Comm handle = alone.handle();
  target = std::move(alone);
  EXPECT_EQ(counter.freed(), 1);
  EXPECT_EQ(target.handle(), handle);
  EXPECT_EQ(target.rank(), 0);
  EXPECT_EQ(target.size(), 1);
}

TEST(Communicator, SupportsSelfMove) {
  FreeCounter counter;
  Communicator communicator(MPI_COMM_WORLD);
  counter.watch(communicator);
  Communicator& itself = communicator;
  communicator = std::move(itself);
  EXPECT_EQ(counter.freed(), 0);
  EXPECT_EQ(communicator.size(), world_size());
  communicator.barrier();
}

TEST(Communicator, BroadcastsTextsOfAnyLengthFromEveryRank) {
  const Communicator communicator(MPI_COMM_WORLD);
  for (const std::size_t length : {0, 1, 1'000'000}) {
    for (int root = 0; root < communicator.size(); ++root) {
      std::string text(length, '\0');
      std::iota(text.begin(), text.end(), static_cast<char>(root));
      const std::string mine = communicator.rank() == root ? text : "ignored";
      EXPECT_TRUE(communicator.broadcast(mine, root) == text) << length << " bytes from " << root;
    }
  }
}

/// 2 x 2 matrix of integers: the product is exact and does not commute.
using Matrix = std::array<std::uint64_t, 4>;

void multiply(Matrix& left, const Matrix& right) {
  left = {left[0] * right[0] + left[1] * right[2], left[0] * right[1] + left[1] * right[3],
          left[2] * right[0] + left[3] * right[2], left[2] * right[1] + left[3] * right[3]};
}

Matrix matrix_of(int rank) {
  const auto r = static_cast<std::uint64_t>(rank);
  return {r + 1, 2 * r + 3, r * r + 5, 7};
}

TEST(AllReduce, MergesInRankOrder) {
  const Communicator communicator(MPI_COMM_WORLD);
  Matrix product = matrix_of(0);
  for (int rank = 1; rank < communicator.size(); ++rank) multiply(product, matrix_of(rank));
  EXPECT_EQ(communicator.all_reduce<&multiply>(matrix_of(communicator.rank())), product);
  bool waited = false;
  const auto wait = [&](MPI_Request& request) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    waited = true;
  };
  EXPECT_EQ(communicator.all_reduce<&multiply>(matrix_of(communicator.rank()), wait), product);
  EXPECT_TRUE(waited);
}

/// Ranks in merge order. Large capacities let MPI choose another algorithm.
template <int capacity>
struct Sequence {
  std::array<int, capacity> ranks{};
  int length = 0;
};

template <int capacity>
void append(Sequence<capacity>& left, const Sequence<capacity>& right) {
  std::copy_n(right.ranks.begin(), right.length, left.ranks.begin() + left.length);
  left.length += right.length;
}

template <int capacity>
void expect_in_order() {
  const Communicator communicator(MPI_COMM_WORLD);
  Sequence<capacity> mine;
  mine.ranks[0] = communicator.rank();
  mine.length = 1;
  const auto all = communicator.all_reduce<&append<capacity>>(mine);
  ASSERT_EQ(all.length, communicator.size());
  for (int k = 0; k < all.length; ++k) EXPECT_EQ(all.ranks[k], k);
}

TEST(AllReduce, AcceptsValuesOfAnySize) {
  expect_in_order<16>();
  expect_in_order<1'000>();
  expect_in_order<50'000>();
}

void add(double& left, double right) {
  left += right;
}

TEST(AllReduce, GivesSameBitsOnAllRanks) {
  const Communicator communicator(MPI_COMM_WORLD);
  for (int round = 0; round < 100; ++round) {
    // Values of very different magnitude, so that the sum depends on the order of additions.
    const double mine = std::pow(-10.0, (communicator.rank() * 7 + round) % 17) / 3;
    const auto wait = [](MPI_Request& request) { MPI_Wait(&request, MPI_STATUS_IGNORE); };
    const double sum =
        round % 2 == 0 ? communicator.all_reduce<&add>(mine) : communicator.all_reduce<&add>(mine, wait);
    std::vector<double> sums(communicator.size());
    MPI_Allgather(&sum, 1, MPI_DOUBLE, sums.data(), 1, MPI_DOUBLE, communicator.handle());
    for (const double other : sums)
      EXPECT_EQ(std::bit_cast<std::uint64_t>(other), std::bit_cast<std::uint64_t>(sum));
  }
}

TEST(AllReduce, FindsMaximum) {
  const Communicator communicator(MPI_COMM_WORLD);
  const int rank = communicator.rank();
  const int size = communicator.size();
  EXPECT_EQ(communicator.max(rank), size - 1);
  EXPECT_EQ(communicator.max(-rank), 0);
  for (int largest = 0; largest < size; ++largest)
    EXPECT_EQ(communicator.max(rank == largest ? -0.5 : -1.0), -0.5) << "on rank " << largest;
}

TEST(AllReduce, AddsValues) {
  const Communicator communicator(MPI_COMM_WORLD);
  const std::int64_t rank = communicator.rank();
  const std::int64_t size = communicator.size();
  EXPECT_EQ(communicator.sum(rank + 1), size * (size + 1) / 2);
  const std::int64_t beyond_int = std::int64_t{1} << 40;
  EXPECT_EQ(communicator.sum(beyond_int), beyond_int * size);
  EXPECT_EQ(communicator.sum(0.25), 0.25 * static_cast<double>(size));
}

// MPICH supports only 2,048 communicators, so the test fails if Plimsoll leaks them.
TEST(Communicator, LeavesNoCommunicatorsBehind) {
  if (world_size() > 1) GTEST_SKIP() << "one rank is sufficient and does not wait for others";
  for (int k = 0; k < 3'000; ++k) {
    const Communicator communicator(MPI_COMM_WORLD);
    ASSERT_EQ(communicator.all_reduce<&add>(1.0), communicator.size());
  }
}

}  // namespace
}  // namespace plimsoll::mpi
