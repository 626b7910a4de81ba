/* The physics of the particle-in-cell kernel: a periodic mesh of fixed charges, and the particles that they
 * move.
 *
 * The mesh has L x L cells of size 1. Each vertex in an even column carries the charge 1, each vertex in an
 * odd column the charge -1. A particle starts at the centre of a cell, and its charge is such that it moves
 * exactly 2k + 1 cells to the right in each time step of length 1. Therefore its position is known after any
 * number of steps. */
#ifndef MESH_H
#define MESH_H

#include <math.h>
#include <stdint.h>
#include <string.h>

struct particle {
  double x, y;             /* position: 0 <= x, y < L */
  double v_x, v_y;         /* velocity */
  double charge;           /* the mass is 1 */
  double start_x, start_y; /* position at step 0 */
  int64_t number;          /* from 1 */
};

struct mesh {
  int cells; /* L: cells per side, even */
  int k;     /* a particle moves 2k + 1 cells in x per step ... */
  int m;     /* ... and m cells in y */
  int block; /* cells per side of a block, which divides `cells` */
};

/* Blocks are numbered from 0, column by column. */
static int blocks_per_side(const struct mesh* mesh) {
  return mesh->cells / mesh->block;
}

static int block_count(const struct mesh* mesh) {
  return blocks_per_side(mesh) * blocks_per_side(mesh);
}

static int block_of(const struct mesh* mesh, const struct particle* particle) {
  return (int)particle->x / mesh->block * blocks_per_side(mesh) + (int)particle->y / mesh->block;
}

/* Returns a particle at the centre of a cell. */
static struct particle particle_in(const struct mesh* mesh, int column, int row) {
  const double r = sqrt(0.5 * 0.5 + 0.5 * 0.5); /* distance to each of the four vertices */
  const double force = 4 * 0.5 / (r * r * r);   /* in x, on a particle of charge 1 in an even column */
  const double charge = (column % 2 == 0 ? 2 : -2) * (2 * mesh->k + 1) / force;
  const double x = column + 0.5;
  const double y = row + 0.5;
  const struct particle particle = {x, y, 0, mesh->m, charge, x, y, 0};
  return particle;
}

/* Returns a coordinate between -L and 2L at its periodic position. */
static double wrap(const struct mesh* mesh, double coordinate) {
  if (coordinate < 0) return coordinate + mesh->cells;
  return coordinate >= mesh->cells ? coordinate - mesh->cells : coordinate;
}

/* Adds the acceleration by a vertex at the given distance; `charge` is the product of both charges. */
static void add_vertex(double charge, double distance_x, double distance_y, double* a_x, double* a_y) {
  const double r_squared = distance_x * distance_x + distance_y * distance_y;
  const double force = charge / (r_squared * sqrt(r_squared));
  *a_x += force * distance_x;
  *a_y += force * distance_y;
}

/* Moves a particle by one time step: adds up the Coulomb forces of the four vertices of its cell. */
static void move(const struct mesh* mesh, struct particle* particle) {
  const int column = (int)particle->x;
  const int row = (int)particle->y;
  const double left = particle->x - column;
  const double right = left - 1;
  const double below = particle->y - row;
  const double above = below - 1;
  const double charge = column % 2 == 0 ? particle->charge : -particle->charge;
  double a_x = 0;
  double a_y = 0;
  add_vertex(charge, left, below, &a_x, &a_y);
  add_vertex(charge, left, above, &a_x, &a_y);
  add_vertex(-charge, right, below, &a_x, &a_y);
  add_vertex(-charge, right, above, &a_x, &a_y);
  particle->x = wrap(mesh, particle->x + particle->v_x + 0.5 * a_x);
  particle->y = wrap(mesh, particle->y + particle->v_y + 0.5 * a_y);
  particle->v_x += a_x;
  particle->v_y += a_y;
}

/* Returns how far a particle is from its exact position after `steps` steps. */
static double position_error(const struct mesh* mesh, const struct particle* particle, int64_t steps) {
  const double moved_x = (double)(steps * (2 * mesh->k + 1) % mesh->cells);
  const double moved_y = (double)(steps * mesh->m % mesh->cells);
  return fmax(fabs(particle->x - wrap(mesh, particle->start_x + moved_x)),
              fabs(particle->y - wrap(mesh, particle->start_y + moved_y)));
}

/* Returns a number from 0 to 2^31 - 2 that depends on every bit of a particle's number, position and
 * velocity. The sum over all particles does not depend on their order. No operation overflows, so that all
 * languages agree. */
static int64_t checksum(const struct particle* particle) {
  const double values[4] = {particle->x, particle->y, particle->v_x, particle->v_y};
  int64_t sum = particle->number % 2147483647;
  for (int i = 0; i < 4; ++i) {
    uint64_t bits;
    memcpy(&bits, &values[i], sizeof bits);
    sum = (sum * 48271 + (int64_t)(bits >> 32)) % 2147483647;
    sum = (sum * 48271 + (int64_t)(bits & 0xffffffff)) % 2147483647;
  }
  return sum;
}

#endif
