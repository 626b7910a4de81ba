/* The blocks of the mesh on this rank, which own the particles. A block is an object: the unit of work that
 * is measured, and that can live on any rank. */
#ifndef BLOCKS_H
#define BLOCKS_H

#include <mpi.h>
#include <plimsoll.h>
#include <stdlib.h>

#include "distribution.h"
#include "mesh.h"

/* Particles in an array that grows. */
struct particles {
  struct particle* data;
  int count;
  int capacity;
};

static void resize(struct particles* particles, int count) {
  particles->count = count;
  if (count <= particles->capacity) return;
  particles->capacity = count > 2 * particles->capacity ? count : 2 * particles->capacity;
  particles->data = realloc(particles->data, (size_t)particles->capacity * sizeof(struct particle));
  if (particles->data == NULL) abort();
}

static void append(struct particles* particles, const struct particle* particle) {
  resize(particles, particles->count + 1);
  particles->data[particles->count - 1] = *particle;
}

struct block {
  plimsoll_object object; /* none if the block is on another rank */
  struct particles particles;
};

struct blocks {
  struct mesh mesh;
  plimsoll_recorder* recorder;
  int rank;
  int ranks;
  int count;           /* number of blocks on all ranks */
  struct block* block; /* all blocks, by number; those of other ranks are empty */
  int* owner;          /* rank of each block */
  plimsoll_id* id;     /* ID of each block, which every rank can compute */
  MPI_Datatype particle_type;
  /* Buffers, kept from step to step. */
  struct particles* to_rank; /* particles that enter a block of each rank */
  struct particles sent;
  struct particles received;
  int* counts; /* counts and positions of the messages to and from each rank */
};

static int is_here(const struct blocks* blocks, int number) {
  return blocks->owner[number] == blocks->rank;
}

static int first_owner(const struct blocks* blocks, int number) {
  return (int)((int64_t)number * blocks->ranks / blocks->count);
}

static void create_block(struct blocks* blocks, int number, const struct distribution* distribution) {
  const struct mesh* mesh = &blocks->mesh;
  const int64_t index[2] = {number / blocks_per_side(mesh), number % blocks_per_side(mesh)};
  const int first_column = (int)index[0] * mesh->block;
  const int first_row = (int)index[1] * mesh->block;
  struct block* block = &blocks->block[number];
  plimsoll_spec spec = PLIMSOLL_SPEC_INIT;
  spec.number = number;
  block->object = plimsoll_register(blocks->recorder, 2, index, &spec);
  const double centre[2] = {first_column + 0.5 * mesh->block, first_row + 0.5 * mesh->block};
  plimsoll_set_position(blocks->recorder, block->object, 2, centre);
  for (int column = first_column; column < first_column + mesh->block; ++column) {
    int64_t random = random_state_at((int64_t)column * mesh->cells + first_row);
    for (int row = first_row; row < first_row + mesh->block; ++row) {
      const struct particle particle = particle_in(mesh, column, row);
      const int count = (int)(expected_particles(distribution, column, row) + next_random(&random));
      for (int i = 0; i < count; ++i) append(&block->particles, &particle);
    }
  }
}

/* Numbers the particles of all ranks from 1, in the order of their blocks. */
static void number_particles(struct blocks* blocks) {
  int64_t count = 0;
  int64_t last = 0;
  for (int number = 0; number < blocks->count; ++number) count += blocks->block[number].particles.count;
  MPI_Exscan(&count, &last, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
  for (int number = 0; number < blocks->count; ++number) {
    struct particles* particles = &blocks->block[number].particles;
    for (int i = 0; i < particles->count; ++i) particles->data[i].number = ++last;
  }
}

/* Creates this rank's blocks and their particles. Each rank starts with consecutive blocks, which are columns
 * of the mesh: the usual static decomposition. */
static struct blocks create_blocks(const struct mesh* mesh, const struct distribution* distribution,
                                   plimsoll_recorder* recorder) {
  struct blocks blocks = {.mesh = *mesh, .recorder = recorder, .count = block_count(mesh)};
  MPI_Comm_rank(MPI_COMM_WORLD, &blocks.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &blocks.ranks);
  MPI_Type_contiguous(sizeof(struct particle), MPI_BYTE, &blocks.particle_type);
  MPI_Type_commit(&blocks.particle_type);
  blocks.block = calloc((size_t)blocks.count, sizeof *blocks.block);
  blocks.owner = calloc((size_t)blocks.count, sizeof *blocks.owner);
  blocks.id = calloc((size_t)blocks.count, sizeof *blocks.id);
  blocks.to_rank = calloc((size_t)blocks.ranks, sizeof *blocks.to_rank);
  blocks.counts = calloc(4 * (size_t)blocks.ranks, sizeof *blocks.counts);
  if (blocks.block == NULL || blocks.owner == NULL || blocks.id == NULL || blocks.to_rank == NULL ||
      blocks.counts == NULL) {
    abort();
  }
  for (int number = 0; number < blocks.count; ++number) {
    blocks.owner[number] = first_owner(&blocks, number);
    blocks.id[number] = plimsoll_make_id(blocks.owner[number], number, 1);
    if (is_here(&blocks, number)) create_block(&blocks, number, distribution);
  }
  number_particles(&blocks);
  return blocks;
}

static void free_blocks(struct blocks* blocks) {
  for (int number = 0; number < blocks->count; ++number) free(blocks->block[number].particles.data);
  for (int rank = 0; rank < blocks->ranks; ++rank) free(blocks->to_rank[rank].data);
  free(blocks->sent.data);
  free(blocks->received.data);
  free(blocks->block);
  free(blocks->owner);
  free(blocks->id);
  free(blocks->to_rank);
  free(blocks->counts);
  MPI_Type_free(&blocks->particle_type);
}

/* Moves the particles of a block. Those that leave it are at the end of its array then, and are not counted
 * any more; returns their number. */
static int move_particles(struct blocks* blocks, int number) {
  struct particles* particles = &blocks->block[number].particles;
  int left = 0;
  int i = 0;
  while (i < particles->count) {
    struct particle* particle = &particles->data[i];
    move(&blocks->mesh, particle);
    if (block_of(&blocks->mesh, particle) == number) {
      ++i;
    } else { /* exchange it for the last particle, which is moved next */
      const struct particle leaving = *particle;
      *particle = particles->data[--particles->count];
      particles->data[particles->count] = leaving;
      ++left;
    }
  }
  return left;
}

static void insert(struct blocks* blocks, const struct particles* particles) {
  for (int i = 0; i < particles->count; ++i) {
    const struct particle* particle = &particles->data[i];
    append(&blocks->block[block_of(&blocks->mesh, particle)].particles, particle);
  }
}

/* Sends the particles in `to_rank`, and adds those that arrive to their blocks. */
static void exchange_particles(struct blocks* blocks) {
  const int ranks = blocks->ranks;
  int* send_counts = blocks->counts;
  int* send_starts = send_counts + ranks;
  int* receive_counts = send_starts + ranks;
  int* receive_starts = receive_counts + ranks;
  blocks->sent.count = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const struct particles* particles = &blocks->to_rank[rank];
    send_counts[rank] = rank == blocks->rank ? 0 : particles->count;
    send_starts[rank] = blocks->sent.count;
    if (send_counts[rank] == 0) continue;
    resize(&blocks->sent, send_starts[rank] + send_counts[rank]);
    memcpy(blocks->sent.data + send_starts[rank], particles->data,
           (size_t)send_counts[rank] * sizeof(struct particle));
  }
  plimsoll_begin_idle(blocks->recorder);
  MPI_Alltoall(send_counts, 1, MPI_INT, receive_counts, 1, MPI_INT, MPI_COMM_WORLD);
  int received = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    receive_starts[rank] = received;
    received += receive_counts[rank];
  }
  resize(&blocks->received, received);
  MPI_Alltoallv(blocks->sent.data, send_counts, send_starts, blocks->particle_type, blocks->received.data,
                receive_counts, receive_starts, blocks->particle_type, MPI_COMM_WORLD);
  plimsoll_end_idle(blocks->recorder);
  insert(blocks, &blocks->to_rank[blocks->rank]);
  insert(blocks, &blocks->received);
}

/* Moves all particles by one step, and those that leave their block to their new one. */
static void step_blocks(struct blocks* blocks) {
  plimsoll_recorder* recorder = blocks->recorder;
  for (int rank = 0; rank < blocks->ranks; ++rank) blocks->to_rank[rank].count = 0;
  for (int number = 0; number < blocks->count; ++number) {
    if (!is_here(blocks, number)) continue;
    const struct block* block = &blocks->block[number];
    plimsoll_begin(recorder, block->object);
    const int left = move_particles(blocks, number);
    /* Messages between blocks of the same rank count too: they cross ranks once one of the blocks has left.
     */
    for (int i = 0; i < left; ++i) {
      const struct particle* particle = &block->particles.data[block->particles.count + i];
      const int target = block_of(&blocks->mesh, particle);
      plimsoll_message(recorder, blocks->id[number], blocks->id[target], sizeof *particle);
      append(&blocks->to_rank[blocks->owner[target]], particle);
    }
    plimsoll_end(recorder, block->object);
  }
  exchange_particles(blocks);
  for (int number = 0; number < blocks->count; ++number) {
    if (!is_here(blocks, number)) continue;
    const struct block* block = &blocks->block[number];
    plimsoll_set_integer(recorder, PLIMSOLL_USER_DEFINED, block->object, "task_serialized_bytes",
                         block->particles.count * (int64_t)sizeof(struct particle));
  }
}

/* Migrates the blocks of a plan. A block is its particles, so the messages of a time step can carry it. */
static void move_blocks(struct blocks* blocks, const plimsoll_migration_plan* plan) {
  for (int rank = 0; rank < blocks->ranks; ++rank) blocks->to_rank[rank].count = 0;
  for (int64_t i = 0; i < plan->export_count; ++i) {
    struct particles* leaving = &blocks->block[plimsoll_number_of(plan->exports[i].object)].particles;
    for (int j = 0; j < leaving->count; ++j) {
      append(&blocks->to_rank[plan->exports[i].to], &leaving->data[j]);
    }
    free(leaving->data);
    *leaving = (struct particles){NULL, 0, 0};
  }
  exchange_particles(blocks);
}

/* Asks where the blocks are, after some have moved. Collective. Returns the status of Plimsoll. */
static int find_blocks(struct blocks* blocks) {
  for (int number = 0; number < blocks->count; ++number) {
    blocks->block[number].object = plimsoll_find(blocks->recorder, blocks->id[number]);
  }
  return plimsoll_owner(blocks->recorder, blocks->count, blocks->id, blocks->owner);
}

#endif
