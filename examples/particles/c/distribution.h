/* Initial distributions of the particles over the mesh. */
#ifndef DISTRIBUTION_H
#define DISTRIBUTION_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum shape { GEOMETRIC, SINUSOIDAL, LINEAR, PATCH, UNIFORM, shape_count };
static const char* const shape_names[shape_count] = {"GEOMETRIC", "SINUSOIDAL", "LINEAR", "PATCH", "UNIFORM"};

struct distribution {
  enum shape shape;
  double particles; /* approximate number of particles */
  double cells;     /* cells per side of the mesh */
  int parameter_count;
  double parameters[4]; /* rho; alpha, beta; or left, right, bottom, top */
};

/* Returns the parameters that a distribution needs, or NULL if it has them. */
static const char* missing_parameters(const struct distribution* d) {
  const double* p = d->parameters;
  switch (d->shape) {
    case GEOMETRIC: return d->parameter_count == 1 && p[0] > 0 && p[0] < 1 ? NULL : "RHO, with 0 < RHO < 1";
    case LINEAR:
      if (d->parameter_count == 2 && p[0] >= 0 && p[1] >= p[0] && p[1] > 0) return NULL;
      return "ALPHA BETA, with 0 <= ALPHA <= BETA and BETA > 0";
    case PATCH:
      if (d->parameter_count != 4 || p[0] < 0 || p[0] >= p[1] || p[1] > d->cells || p[2] < 0 ||
          p[2] >= p[3] || p[3] > d->cells) {
        return "LEFT RIGHT BOTTOM TOP, with 0 <= LEFT < RIGHT <= L and 0 <= BOTTOM < TOP <= L";
      }
      for (int i = 0; i < 4; ++i) {
        if (p[i] != floor(p[i])) return "LEFT RIGHT BOTTOM TOP, integers";
      }
      return NULL;
    default: return d->parameter_count == 0 ? NULL : "none";
  }
}

/* Returns the expected number of particles in a cell, usually a fraction. */
static double expected_particles(const struct distribution* d, int column, int row) {
  const double* p = d->parameters;
  switch (d->shape) {
    case GEOMETRIC: {
      const double first = d->particles * (1 - p[0]) / (1 - pow(p[0], d->cells)) / d->cells;
      return first * pow(p[0], column);
    }
    case SINUSOIDAL: {
      const double cosine = cos(column * 3.141592653589793 / d->cells);
      return 2 * cosine * cosine * d->particles / (d->cells * d->cells);
    }
    case LINEAR: {
      const double sum = p[1] * d->cells - 0.5 * p[0] * d->cells;
      return (p[1] - p[0] * column / (d->cells - 1)) / sum * d->particles / d->cells;
    }
    case PATCH: {
      const int inside = p[0] <= column && column < p[1] && p[2] <= row && row < p[3];
      return inside ? d->particles / ((p[1] - p[0]) * (p[3] - p[2])) : 0;
    }
    default: return d->particles / (d->cells * d->cells);
  }
}

/* Random numbers that round the expected numbers. Each cell has its own position in the sequence, so that the
 * particles do not depend on the number of ranks. The generator is x(n + 1) = 48271 x(n) mod (2^31 - 1), by
 * Park and Miller, which needs 64-bit integers only and therefore gives the same numbers in all languages. */
enum { random_modulus = 2147483647 };

static int64_t random_state_at(int64_t position) {
  int64_t state = 27182818;
  for (int64_t factor = 48271; position > 0; position /= 2, factor = factor * factor % random_modulus) {
    if (position % 2 == 1) state = state * factor % random_modulus;
  }
  return state;
}

/* Returns the next number between 0 and 1. */
static double next_random(int64_t* state) {
  *state = *state * 48271 % random_modulus;
  return (double)*state / random_modulus;
}

#endif
