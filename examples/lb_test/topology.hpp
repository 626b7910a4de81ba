// Which elements send each other messages.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "random.hpp"

enum class Topology { ring, mesh2d, mesh3d, randgraph };

inline const std::vector<std::string> topology_names = {"ring", "mesh2d", "mesh3d", "randgraph"};

// Returns the largest divisor of `count` that is at most the given root of it.
inline int divisor_below_root(int count, double exponent) {
  int divisor = static_cast<int>(std::lround(std::pow(count, exponent)));
  while (divisor > 1 && (count % divisor != 0 || std::pow(divisor, 1 / exponent) > count)) --divisor;
  return divisor;
}

// Returns the neighbours of an element in ascending order. All links have both directions.
inline std::vector<int> neighbours_of(int element, int count, Topology topology) {
  std::vector<int> neighbours;
  // Elements are numbered row by row, plane by plane.
  const auto add_in_mesh = [&](int stride, int size) {
    const int coordinate = element / stride % size;
    if (coordinate > 0) neighbours.push_back(element - stride);
    if (coordinate + 1 < size) neighbours.push_back(element + stride);
  };
  const auto add_in_ring = [&] { neighbours = {(element + count - 1) % count, (element + 1) % count}; };
  switch (topology) {
    case Topology::ring: add_in_ring(); break;
    case Topology::mesh2d: {
      const int rows = divisor_below_root(count, 1.0 / 2);
      add_in_mesh(1, count / rows);
      add_in_mesh(count / rows, rows);
      break;
    }
    case Topology::mesh3d: {
      const int planes = divisor_below_root(count, 1.0 / 3);
      const int rows = divisor_below_root(count / planes, 1.0 / 2);
      const int columns = count / planes / rows;
      add_in_mesh(1, columns);
      add_in_mesh(columns, rows);
      add_in_mesh(columns * rows, planes);
      break;
    }
    case Topology::randgraph:  // a ring and 1 % of all other links
      add_in_ring();
      for (int other = 0; other < count; ++other)
        if (random_share(1, std::min(element, other), std::max(element, other)) < 0.01)
          neighbours.push_back(other);
  }
  std::ranges::sort(neighbours);
  const auto [first, last] = std::ranges::unique(neighbours);
  neighbours.erase(first, last);
  std::erase(neighbours, element);
  return neighbours;
}
