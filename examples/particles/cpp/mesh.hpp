// The physics of the particle-in-cell kernel: a periodic mesh of fixed charges, and the particles that they
// move.
//
// The mesh has L x L cells of size 1. Each vertex in an even column carries the charge 1, each vertex in an
// odd column the charge -1. A particle starts at the centre of a cell, and its charge is such that it moves
// exactly 2k + 1 cells to the right in each time step of length 1. Therefore its position is known after any
// number of steps.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

struct Particle {
  double x, y;              // position: 0 <= x, y < L
  double v_x, v_y;          // velocity
  double charge;            // the mass is 1
  double start_x, start_y;  // position at step 0
  std::int64_t number;      // from 1
};

struct Mesh {
  int cells;  // L: cells per side, even
  int k;      // a particle moves 2k + 1 cells in x per step ...
  int m;      // ... and m cells in y
  int block;  // cells per side of a block, which divides `cells`

  // Blocks are numbered from 0, column by column.
  int blocks_per_side() const { return cells / block; }
  int block_count() const { return blocks_per_side() * blocks_per_side(); }
  int block_of(const Particle& particle) const {
    return static_cast<int>(particle.x) / block * blocks_per_side() + static_cast<int>(particle.y) / block;
  }
  std::array<double, 2> centre_of(int number) const {
    return {(number / blocks_per_side() + 0.5) * block, (number % blocks_per_side() + 0.5) * block};
  }

  // Returns a particle at the centre of a cell.
  Particle particle_in(int column, int row, std::int64_t number) const {
    const double r = std::sqrt(0.5 * 0.5 + 0.5 * 0.5);  // distance to each of the four vertices
    const double force = 4 * 0.5 / (r * r * r);         // in x, on a particle of charge 1 in an even column
    const double charge = (column % 2 == 0 ? 2 : -2) * (2 * k + 1) / force;
    const double x = column + 0.5;
    const double y = row + 0.5;
    return {x, y, 0, static_cast<double>(m), charge, x, y, number};
  }

  // Moves a particle by one time step: adds up the Coulomb forces of the four vertices of its cell.
  void move(Particle& particle) const {
    const int column = static_cast<int>(particle.x);
    const int row = static_cast<int>(particle.y);
    const double left = particle.x - column;
    const double right = left - 1;
    const double below = particle.y - row;
    const double above = below - 1;
    double a_x = 0;
    double a_y = 0;
    const auto add_vertex = [&](double charge, double distance_x, double distance_y) {
      const double r_squared = distance_x * distance_x + distance_y * distance_y;
      const double force = charge / (r_squared * std::sqrt(r_squared));
      a_x += force * distance_x;
      a_y += force * distance_y;
    };
    const double charge = column % 2 == 0 ? particle.charge : -particle.charge;
    add_vertex(charge, left, below);
    add_vertex(charge, left, above);
    add_vertex(-charge, right, below);
    add_vertex(-charge, right, above);
    particle.x = wrap(particle.x + particle.v_x + 0.5 * a_x);
    particle.y = wrap(particle.y + particle.v_y + 0.5 * a_y);
    particle.v_x += a_x;
    particle.v_y += a_y;
  }

  // Moves the particles of a block by one time step. Removes those that are in another block then, and calls
  // leave(particle, number of that block) for each.
  template <class Leave>
  void move_block(int number, std::vector<Particle>& particles, const Leave& leave) const {
    auto kept = particles.begin();
    for (Particle& particle : particles) {
      move(particle);
      const int target = block_of(particle);
      if (target == number) {
        *kept++ = particle;
      } else {
        leave(particle, target);
      }
    }
    particles.erase(kept, particles.end());
  }

  // Returns how far a particle is from its exact position after `steps` steps.
  double error(const Particle& particle, std::int64_t steps) const {
    const auto exact = [&](double start, std::int64_t cells_per_step) {
      return wrap(start + static_cast<double>(steps * cells_per_step % cells));
    };
    return std::max(std::abs(particle.x - exact(particle.start_x, 2 * k + 1)),
                    std::abs(particle.y - exact(particle.start_y, m)));
  }

 private:
  // Returns a coordinate between -L and 2L at its periodic position.
  double wrap(double coordinate) const {
    if (coordinate < 0) return coordinate + cells;
    return coordinate >= cells ? coordinate - cells : coordinate;
  }
};

// Returns a number from 0 to 2^31 - 2 that depends on every bit of a particle's number, position and
// velocity. The sum over all particles does not depend on their order. No operation overflows, so that all
// languages agree.
inline std::int64_t checksum(const Particle& particle) {
  std::int64_t sum = particle.number % 2147483647;
  for (const double value : {particle.x, particle.y, particle.v_x, particle.v_y}) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (const std::uint64_t half : {bits >> 32, bits & 0xffffffff}) {
      sum = (sum * 48271 + static_cast<std::int64_t>(half)) % 2147483647;
    }
  }
  return sum;
}
