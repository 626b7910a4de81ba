#include <cereal/types/map.hpp>
#include <cereal/types/memory.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/polymorphic.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/vector.hpp>
#include <gtest/gtest.h>
#include <mpi.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <plimsoll/mpi/communicator.hpp>
#include <plimsoll/runtime/serialised_transport.hpp>

#include "common/throws_error.hpp"
#include "runtime/balancing/object_store.hpp"

namespace plimsoll::PLIMSOLL_ABI::runtime {

struct Particle {
  double position[3] = {};
  float charge = 0;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(position, charge);
  }
  friend bool operator==(const Particle&, const Particle&) = default;
};

struct Shape {
  Shape() = default;
  Shape(const Shape&) = delete;
  Shape& operator=(const Shape&) = delete;
  virtual ~Shape() = default;
  virtual int corners() const = 0;
};
struct Polygon : Shape {
  int n = 0;
  int corners() const override { return n; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(CEREAL_NVP(n));
  }
};

/// Has members of every kind that the archives treat specially.
struct Block {
  std::vector<double> cells;
  std::vector<Particle> particles;
  std::map<std::string, std::optional<int>> properties;
  std::unique_ptr<Shape> shape;
  bool is_active = false;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(cells, particles, properties, shape, is_active);
  }
};

namespace {

Block block_of(int number) {
  Block block;
  for (int k = 0; k < 10 * number; ++k) block.cells.push_back(0.5 * k);
  for (int k = 0; k < number; ++k) block.particles.push_back({{1.0 * k, 2, 3}, 4.5F});
  block.properties["name"] = number;
  block.properties[std::string(static_cast<std::size_t>(number), 'x')] = std::nullopt;
  auto polygon = std::make_unique<Polygon>();
  polygon->n = number;
  block.shape = std::move(polygon);
  block.is_active = number % 2 == 0;
  return block;
}

void expect_same(const Block& block, const Block& expected) {
  EXPECT_EQ(block.cells, expected.cells);
  EXPECT_EQ(block.particles, expected.particles);
  EXPECT_EQ(block.properties, expected.properties);
  EXPECT_EQ(block.is_active, expected.is_active);
  ASSERT_NE(block.shape, nullptr);
  EXPECT_EQ(block.shape->corners(), expected.shape->corners());
}

template <class Object>
ObjectTransport transport_of(std::map<ObjectId, Object>& objects) {
  return serialised<Object>([&](ObjectId id) -> Object& { return objects.at(id); },
                            [&](ObjectId id, Object&& object) { objects.emplace(id, std::move(object)); },
                            [&](ObjectId id) { objects.erase(id); });
}

TEST(SerialisedTransport, MovesObjectsThroughAllRanks) {
  const mpi::Communicator communicator(MPI_COMM_WORLD);
  const int size = communicator.size();
  constexpr int n_blocks = 12;
  std::map<ObjectId, Block> blocks;
  const ObjectTransport transport = transport_of(blocks);
  for (int k = 0; k < n_blocks; ++k)
    if (k % size == communicator.rank()) blocks.emplace(numbered(k), block_of(k));
  for (int step = 0; step < size; ++step) {
    std::vector<Move> moves;
    for (int k = 0; k < n_blocks; ++k)
      moves.push_back({numbered(k), (k + step) % size, (k + step + 1) % size});
    const MovesOfRank mine(moves, communicator.rank());
    migrate(communicator, mine.exports, mine.imports, transport);
  }
  for (int k = 0; k < n_blocks; ++k)
    if (k % size == communicator.rank()) expect_same(blocks.at(numbered(k)), block_of(k));
}

/// Writes or reads a different number of bytes each time.
struct Unreliable {
  int save_bytes = 4;
  int load_bytes = 4;

  template <class Archive>
  void save(Archive& archive) const {
    archive(cereal::binary_data(buffer, static_cast<std::size_t>(save_bytes)));
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(cereal::binary_data(buffer, static_cast<std::size_t>(load_bytes)));
  }
  char buffer[64] = {};
};

TEST(SerialisedTransport, CountsBytesWithoutWriting) {
  std::map<ObjectId, Unreliable> objects = {{numbered(1), {.save_bytes = 37}}};
  EXPECT_EQ(transport_of(objects).size_bytes(numbered(1)), 37u);
}

TEST(SerialisedTransport, RejectsObjectThatGrowsWhilePacked) {
  std::map<ObjectId, Unreliable> objects = {{numbered(1), {.save_bytes = 9}}};
  std::vector<std::byte> memory(8);
  EXPECT_ERROR(transport_of(objects).pack(numbered(1), memory), usage,
               "the object has more data than when its size was counted");
}

TEST(SerialisedTransport, NeverReadsPastTheData) {
  std::map<ObjectId, Unreliable> objects;
  const std::vector<std::byte> memory(3);
  EXPECT_ERROR(
      transport_of(objects).unpack(numbered(1), memory), usage,
      "the object reads more data than were written; check that its serialize(), or load() and save(), "
      "use the same data");
  EXPECT_TRUE(objects.empty());
}

TEST(SerialisedTransport, ReportsDataThatAreNotRead) {
  std::map<ObjectId, Unreliable> objects;
  const std::vector<std::byte> memory(5);
  EXPECT_EQ(transport_of(objects).unpack(numbered(1), memory), 4u);
}

}  // namespace
}  // namespace plimsoll::runtime

CEREAL_REGISTER_TYPE(plimsoll::runtime::Polygon)
CEREAL_REGISTER_POLYMORPHIC_RELATION(plimsoll::runtime::Shape, plimsoll::runtime::Polygon)
