// Initial distributions of the particles over the mesh.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "mesh.hpp"

// Expected number of particles in a cell, usually a fraction.
using Distribution = std::function<double(int column, int row)>;

// Distributes about `particles` particles over cells x cells cells. Throws std::invalid_argument.
inline Distribution make_distribution(const std::string& name, const std::vector<double>& parameters,
                                      double cells, double particles) {
  const auto require = [&](bool condition, const char* expected) {
    if (!condition) throw std::invalid_argument("invalid parameters of " + name + ": expected " + expected);
  };
  if (name == "GEOMETRIC") {
    require(parameters.size() == 1 && parameters[0] > 0 && parameters[0] < 1, "RHO, with 0 < RHO < 1");
    const double rho = parameters[0];
    const double first = particles * (1 - rho) / (1 - std::pow(rho, cells)) / cells;
    return [=](int column, int) { return first * std::pow(rho, static_cast<double>(column)); };
  }
  if (name == "SINUSOIDAL") {
    require(parameters.empty(), "none");
    return [=](int column, int) {
      const double cosine = std::cos(column * std::numbers::pi / cells);
      return 2 * cosine * cosine * particles / (cells * cells);
    };
  }
  if (name == "LINEAR") {
    require(
        parameters.size() == 2 && parameters[0] >= 0 && parameters[1] >= parameters[0] && parameters[1] > 0,
        "ALPHA BETA, with 0 <= ALPHA <= BETA and BETA > 0");
    const double alpha = parameters[0];
    const double beta = parameters[1];
    const double sum = beta * cells - 0.5 * alpha * cells;
    return [=](int column, int) { return (beta - alpha * column / (cells - 1)) / sum * particles / cells; };
  }
  if (name == "PATCH") {
    const auto& p = parameters;
    require(p.size() == 4 && 0 <= p[0] && p[0] < p[1] && p[1] <= cells && 0 <= p[2] && p[2] < p[3] &&
                p[3] <= cells,
            "LEFT RIGHT BOTTOM TOP, with 0 <= LEFT < RIGHT <= L and 0 <= BOTTOM < TOP <= L");
    for (const double side : p) require(side == std::floor(side), "LEFT RIGHT BOTTOM TOP, integers");
    const double density = particles / ((p[1] - p[0]) * (p[3] - p[2]));
    return [=](int column, int row) {
      return p[0] <= column && column < p[1] && p[2] <= row && row < p[3] ? density : 0;
    };
  }
  if (name == "UNIFORM") {
    require(parameters.empty(), "none");
    return [=](int, int) { return particles / (cells * cells); };
  }
  throw std::invalid_argument("unknown distribution \"" + name +
                              "\"; available: GEOMETRIC, SINUSOIDAL, LINEAR, PATCH, UNIFORM");
}

// Random numbers that round the expected numbers. Each cell has its own position in the sequence, so that the
// particles do not depend on the number of ranks. The generator is x(n + 1) = 48271 x(n) mod (2^31 - 1), by
// Park and Miller, which needs 64-bit integers only and therefore gives the same numbers in all languages.
class RandomSequence {
 public:
  explicit RandomSequence(std::int64_t position) {
    for (std::int64_t factor = 48271; position > 0; position /= 2, factor = factor * factor % modulus) {
      if (position % 2 == 1) state_ = state_ * factor % modulus;
    }
  }
  // Returns the next number between 0 and 1.
  double next() {
    state_ = state_ * 48271 % modulus;
    return static_cast<double>(state_) / modulus;
  }

 private:
  static constexpr std::int64_t modulus = 2147483647;
  std::int64_t state_ = 27182818;
};

// Returns the particles of a block before the first step. They have no numbers yet.
inline std::vector<Particle> particles_in_block(int number, const Mesh& mesh,
                                                const Distribution& distribution) {
  const int first_column = number / mesh.blocks_per_side() * mesh.block;
  const int first_row = number % mesh.blocks_per_side() * mesh.block;
  std::vector<Particle> particles;
  for (int column = first_column; column < first_column + mesh.block; ++column) {
    RandomSequence random(std::int64_t{column} * mesh.cells + first_row);
    for (int row = first_row; row < first_row + mesh.block; ++row) {
      const auto count = static_cast<int>(distribution(column, row) + random.next());
      particles.insert(particles.end(), count, mesh.particle_in(column, row, 0));
    }
  }
  return particles;
}
