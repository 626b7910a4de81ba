// The blocks of the mesh, which own the particles: the elements of the collection. Particles that leave their
// block are sent to their new one, wherever it is.
#pragma once

#include <cereal/types/vector.hpp>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include <plimsoll/objects.hpp>

#include "../cpp/distribution.hpp"
#include "../cpp/mesh.hpp"

template <class Archive>
void serialize(Archive& archive, Mesh& mesh) {
  archive(mesh.cells, mesh.k, mesh.m, mesh.block);
}
template <class Archive>
void serialize(Archive& archive, Particle& particle) {
  archive(cereal::binary_data(&particle, sizeof particle));
}

class Block : public plimsoll::Element<Block, 2> {
 public:
  Block() = default;  // for a block that arrives from another rank: serialize() fills it
  Block(const Mesh& mesh, const Distribution& distribution)
      : mesh_(mesh), particles_(particles_in_block(number(), mesh, distribution)) {
    set_position(mesh.centre_of(number()));
  }

  // Moves all particles by one step, and sends those that leave to their new blocks.
  void step() {
    ++step_;
    std::map<int, std::vector<Particle>> leaving;  // by the number of their new block
    mesh_.move_block(number(), particles_,
                     [&](const Particle& particle, int target) { leaving[target].push_back(particle); });
    for (auto& [target, particles] : leaving)
      collection()[collection().bounds().index_of(target)].send<&Block::enter>(step_, std::move(particles));
    enter(step_, std::exchange(early_, {}));
  }

  // Takes particles that another block has moved into this one.
  void enter(int step, const std::vector<Particle>& particles) {
    // A block that has not done the step yet keeps them apart, because it must not move them again.
    std::vector<Particle>& place = step == step_ ? particles_ : early_;
    place.insert(place.end(), particles.begin(), particles.end());
  }

  int number() const { return static_cast<int>(Element::number()); }
  const std::vector<Particle>& particles() const { return particles_; }
  void number_particles(std::int64_t last) {
    for (Particle& particle : particles_) particle.number = ++last;
  }

  // Blocks migrate between two steps, when no particle is early.
  template <class Archive>
  void serialize(Archive& archive) {
    archive(mesh_, step_, particles_);
  }

 private:
  Mesh mesh_{};
  int step_ = 0;
  std::vector<Particle> particles_;
  std::vector<Particle> early_;  // have entered before this block does the step
};
