// The blocks of the mesh on this rank, which own the particles. A block is an object: the unit of work that
// is measured, and that can live on any rank.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <numeric>
#include <span>
#include <vector>

#include <plimsoll/runtime.hpp>

#include "distribution.hpp"
#include "mesh.hpp"

struct Block {
  plimsoll::ObjectHandle object;
  std::vector<Particle> particles;

  // Allocates memory for this number of particles and for those that will enter.
  void reserve(std::size_t count) { particles.reserve(count + count / 4 + 16); }
};

class Blocks {
 public:
  // Creates this rank's blocks and their particles. Each rank starts with consecutive blocks, which are
  // columns of the mesh: the usual static decomposition.
  Blocks(const Mesh& mesh, const Distribution& distribution, plimsoll::LoadRecorder& recorder)
      : mesh_(mesh),
        recorder_(recorder),
        owner_(mesh.block_count()),
        ids_(mesh.block_count()),
        to_rank_(recorder.rank_count()) {
    MPI_Type_contiguous(sizeof(Particle), MPI_BYTE, &particle_type_);
    MPI_Type_commit(&particle_type_);
    for (int number = 0; number < mesh_.block_count(); ++number) {
      owner_[number] = first_owner(number);
      ids_[number] = plimsoll::object_id(owner_[number], number);
      if (owner_[number] == recorder_.rank()) add_block(number, distribution);
    }
    number_particles();
  }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;
  ~Blocks() { MPI_Type_free(&particle_type_); }

  // Moves all particles by one step, and those that leave their block to their new one.
  void step() {
    for (auto& particles : to_rank_) particles.clear();
    for (auto& [number, block] : blocks_) {
      const auto work = recorder_.work_on(block.object);
      // Messages between blocks of the same rank count too: they cross ranks once one of the blocks has left.
      mesh_.move_block(number, block.particles, [&](const Particle& particle, int target) {
        recorder_.record_message(ids_[number], ids_[target], sizeof(Particle));
        to_rank_[owner_[target]].push_back(particle);
      });
    }
    exchange();
    for (auto& [number, block] : blocks_) {
      recorder_.set_value(block.object, plimsoll::UserValueKind::user_defined, "task_serialized_bytes",
                          static_cast<std::int64_t>(block.particles.size() * sizeof(Particle)));
    }
  }

  const std::map<int, Block>& all() const { return blocks_; }

  // How Plimsoll moves a block to another rank: it sends the particles.
  plimsoll::ObjectTransport transport() {
    return {
        .size_bytes = [this](plimsoll::ObjectId id) { return block(id).particles.size() * sizeof(Particle); },
        .pack =
            [this](plimsoll::ObjectId id, std::span<std::byte> packed) {
              std::memcpy(packed.data(), block(id).particles.data(), packed.size());
              return packed.size();
            },
        .unpack =
            [this](plimsoll::ObjectId id, std::span<const std::byte> packed) {
              Block& block = blocks_[number_of(id)];
              block.object = recorder_.find(id);
              block.reserve(packed.size() / sizeof(Particle));
              block.particles.resize(packed.size() / sizeof(Particle));
              std::memcpy(block.particles.data(), packed.data(), packed.size());
              return packed.size();
            },
        .remove = [this](plimsoll::ObjectId id) { blocks_.erase(number_of(id)); },
    };
  }

  // Asks where the blocks are, after some have moved. Collective.
  void find_owners(plimsoll::Balancer& balancer) { owner_ = balancer.owner(ids_); }

 private:
  int first_owner(int number) const {
    return static_cast<int>(std::int64_t{number} * recorder_.rank_count() / mesh_.block_count());
  }
  static int number_of(plimsoll::ObjectId id) { return static_cast<int>(*plimsoll::object_number(id)); }
  Block& block(plimsoll::ObjectId id) { return blocks_.at(number_of(id)); }

  void add_block(int number, const Distribution& distribution) {
    Block& block = blocks_[number];
    block.object = recorder_.register_object(
        {.index = {number / mesh_.blocks_per_side(), number % mesh_.blocks_per_side()},
         .number = static_cast<std::uint64_t>(number)});
    recorder_.set_position(block.object, mesh_.centre_of(number));
    block.particles = particles_in_block(number, mesh_, distribution);
    block.reserve(block.particles.size());
  }

  // Numbers the particles of all ranks from 1, in the order of their blocks.
  void number_particles() {
    std::int64_t count = 0;
    for (const auto& [number, block] : blocks_) count += static_cast<std::int64_t>(block.particles.size());
    std::int64_t last = 0;
    MPI_Exscan(&count, &last, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    for (auto& [number, block] : blocks_) {
      for (Particle& particle : block.particles) particle.number = ++last;
    }
  }

  // Sends the particles that left their blocks to the ranks that own their new blocks.
  void exchange() {
    const std::size_t ranks = to_rank_.size();
    std::vector<int> send_counts(ranks), send_starts(ranks), receive_counts(ranks), receive_starts(ranks);
    sent_.clear();
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      send_starts[rank] = static_cast<int>(sent_.size());
      if (static_cast<int>(rank) == recorder_.rank()) continue;
      send_counts[rank] = static_cast<int>(to_rank_[rank].size());
      sent_.insert(sent_.end(), to_rank_[rank].begin(), to_rank_[rank].end());
    }
    {
      const auto idle = recorder_.wait();
      MPI_Alltoall(send_counts.data(), 1, MPI_INT, receive_counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
      std::exclusive_scan(receive_counts.begin(), receive_counts.end(), receive_starts.begin(), 0);
      received_.resize(receive_starts.back() + receive_counts.back());
      MPI_Alltoallv(sent_.data(), send_counts.data(), send_starts.data(), particle_type_, received_.data(),
                    receive_counts.data(), receive_starts.data(), particle_type_, MPI_COMM_WORLD);
    }
    insert(to_rank_[recorder_.rank()]);
    insert(received_);
  }
  void insert(const std::vector<Particle>& particles) {
    auto block = blocks_.end();
    for (const Particle& particle : particles) {
      const int number = mesh_.block_of(particle);  // often the same as for the previous particle
      if (block == blocks_.end() || block->first != number) block = blocks_.find(number);
      block->second.particles.push_back(particle);
    }
  }

  Mesh mesh_;
  plimsoll::LoadRecorder& recorder_;
  std::map<int, Block> blocks_;          // blocks of this rank, by number
  std::vector<int> owner_;               // rank of each block, also of those on other ranks
  std::vector<plimsoll::ObjectId> ids_;  // ID of each block, which every rank can compute
  MPI_Datatype particle_type_ = MPI_DATATYPE_NULL;
  // Buffers, kept from step to step.
  std::vector<std::vector<Particle>> to_rank_;  // particles that enter a block of each rank
  std::vector<Particle> sent_;
  std::vector<Particle> received_;
};
