#include <algorithm>
#include <array>

#include <plimsoll/lbdata/data_specification.hpp>
#include <plimsoll/lbdata/generator.hpp>
#include <plimsoll/support/internal/text.hpp>

#include "cli/commands.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

struct GenerateOptions {
  lbdata::GenerateOptions data;
  // The default differs from that of the library, so that strategies can improve the data set.
  std::string law = "hot-spot";
  std::string topology = "mesh2d";
  std::string specification;
  unsigned threads = 0;
  OutputOptions output;
  bool json = false;
};

constexpr const char* generate_examples =
    R"(  plimsoll generate -o data                                    4 ranks, 16 objects each
  plimsoll generate --ranks 32 --objects-per-rank 64 --phases 10 --loads hot-spot -o data
  plimsoll generate --loads lognormal --mean 1e-3 --variance 4e-6 --topology mesh3d -o data
  plimsoll generate --topology random --degree 8 --bytes 1e6 --seed 7 --plain -o data
  plimsoll generate --footprint 1e6 --blocks-per-rank 2 --block-bytes 1e8 -o data
  plimsoll generate --spec blocks.yaml -o data                 tasks, edges and shared blocks of a file)";

/// Size of a generated data set.
struct Size {
  std::int64_t ranks = 0;
  std::int64_t phases = 0;
  std::int64_t objects = 0;  ///< migratable objects
};

std::string json_text(const Size& size, const GenerateOptions& options) {
  return json_line([&](support::JsonWriter& json) {
    json.member("output", options.output.folder)
        .member("ranks", size.ranks)
        .member("phases", size.phases)
        .member("objects", size.objects)
        .member("seed", options.data.seed);
  });
}

std::string text(const Size& size, const GenerateOptions& options) {
  return fmt::format("Wrote {}, {} and {} to {}.\n", count(size.ranks, "rank"), count(size.phases, "phase"),
                     count(size.objects, "object"), support::printable(options.output.folder));
}

Size generate_from_options(GenerateOptions& options, Terminal& terminal) {
  lbdata::GenerateOptions& data = options.data;
  data.law = support::value_of(lbdata::load_laws, options.law, "load distribution");
  data.topology = support::value_of(lbdata::topologies, options.topology, "topology");
  check_output(options.output);
  TerminalProgress progress(terminal);
  lbdata::generate_files(data, options.output.folder, "data", write_options(options.output), options.threads,
                         progress);
  return {data.ranks, data.phases, data.ranks * data.objects_per_rank};
}

Size generate_from_specification(const GenerateOptions& options, Terminal& terminal) {
  check_output(options.output);
  const lbdata::Dataset dataset = lbdata::read_data_specification(
      options.specification, {.ranks_per_node = options.data.ranks_per_node, .seed = options.data.seed});
  write_output(dataset, options.output, options.threads, terminal);
  Size size{.ranks = static_cast<std::int64_t>(dataset.ranks.size()), .phases = 1};
  for (const lbdata::RankData& rank : dataset.ranks)
    size.objects += std::ranges::count_if(rank.phases.front().tasks.entity, [&](lbdata::EntityIndex entity) {
      return dataset.entities.migratable(entity);
    });
  return size;
}

void add_load_options(OptionParser& parser, GenerateOptions& options) {
  lbdata::GenerateOptions& data = options.data;
  parser
      .add_option("--loads LAW", options.law,
                  "Distribution: constant, uniform, lognormal, u4 (few heavy objects), ramp, or hot-spot, "
                  "which moves by one rank per phase [default: hot-spot]")
      .one_of(support::names_of(lbdata::load_laws));
  parser.add_option("--mean SECONDS", data.mean_s, "Mean load per object; ignored by u4 [default: 1e-3]");
  parser.add_option("--variance SECONDS^2", data.variance_s2,
                    "Variance of uniform and lognormal loads [default: 2.5e-7]");
  parser.add_option("--hot-factor FACTOR", data.hot_factor,
                    "Load factor of objects in the hot spot [default: 10]");
  parser.add_option("--hot-fraction SHARE", data.hot_fraction,
                    "Share of the objects in the hot spot, 0 to 1 [default: 0.1]");
  parser.add_option("--noise SHARE", data.phase_noise,
                    "Maximum relative load change between phases, 0 to 1 [default: 0]");
  parser.add_option("--subphases N", data.subphases, "Subphases per object [default: 0]");
}

void add_topology_options(OptionParser& parser, GenerateOptions& options) {
  lbdata::GenerateOptions& data = options.data;
  parser
      .add_option("--topology NAME", options.topology,
                  "Topology: none, ring, mesh2d, mesh3d, random [default: mesh2d]")
      .one_of(support::names_of(lbdata::topologies));
  parser.add_option("--degree N", data.degree, "Senders per object in a random topology [default: 4]");
  parser.add_option("--bytes N", data.bytes_per_message, "Bytes per message [default: 1024]");
  parser.add_option("--messages N", data.messages, "Messages per edge and phase [default: 1]");
}

void add_memory_options(OptionParser& parser, GenerateOptions& options) {
  lbdata::GenerateOptions& data = options.data;
  parser.add_option("--footprint BYTES", data.footprint_bytes, "Memory per object [default: 0]");
  parser.add_option("--working-memory BYTES", data.working_bytes,
                    "Additional memory of an object while it runs [default: 0]");
  parser.add_option("--serialized BYTES", data.serialized_bytes,
                    "Bytes that an object sends when it migrates [default: its footprint]");
  parser.add_option("--rank-memory BYTES", data.rank_bytes,
                    "Memory per rank without its objects [default: 0]");
  const Option blocks =
      parser.add_option("--blocks-per-rank N", data.blocks_per_rank,
                        "Memory blocks per rank, each shared by consecutive objects [default: 0]");
  parser.add_option("--block-bytes BYTES", data.block_bytes, "Size of each shared block [default: 1048576]")
      .needs(blocks);
}

void add_sentinel_options(OptionParser& parser, GenerateOptions& options) {
  lbdata::GenerateOptions& data = options.data;
  parser.add_option("--sentinels N", data.sentinels, "Non-migratable objects per rank [default: 1]");
  parser.add_option("--sentinel-load SECONDS", data.sentinel_load_s,
                    "Load per non-migratable object [default: 0]");
  parser.add_option("--ranks-per-node N", data.ranks_per_node, "Ranks per node [default: all]");
}

/// Adds --spec, which replaces all options that describe the data.
void add_specification_option(OptionParser& parser, GenerateOptions& options) {
  const Option specification = add_text_option(parser, "--spec FILE", options.specification,
                                               "YAML or JSON file with tasks, ranks, communications and "
                                               "shared blocks, as in LBAF, instead of options");
  constexpr std::array<std::string_view, 9> compatible = {"--spec",           "--output", "--plain",
                                                          "--force",          "--seed",   "--threads",
                                                          "--ranks-per-node", "--json",   "--help"};
  for (const std::string& name : parser.option_names())
    if (std::ranges::find(compatible, name) == compatible.end()) parser.option(name).excludes(specification);
}

}  // namespace

Command define_generate(OptionParser& parser) {
  auto options = begin_command<GenerateOptions>(parser, generate_examples);
  lbdata::GenerateOptions& data = options->data;
  add_output_options(parser, options->output).required();
  parser.add_option("--ranks N", data.ranks, "Number of ranks [default: 4]");
  parser.add_option("--objects-per-rank N", data.objects_per_rank,
                    "Migratable objects per rank [default: 16]");
  parser.add_option("--phases N", data.phases, "Number of phases [default: 1]");
  add_load_options(parser, *options);
  add_topology_options(parser, *options);
  add_memory_options(parser, *options);
  add_sentinel_options(parser, *options);
  parser.add_option("--seed N", data.seed, "Random seed; equal seeds give identical files [default: 1]");
  parser.add_option("--threads N", options->threads, "Number of threads [default: number of processors]");
  add_json_option(parser, options->json);
  add_specification_option(parser, *options);

  return [options](Terminal& terminal) {
    const Size size = options->specification.empty() ? generate_from_options(*options, terminal)
                                                     : generate_from_specification(*options, terminal);
    terminal.print(options->json ? json_text(size, *options) : fitted(text(size, *options)));
    return 0;
  };
}

}  // namespace plimsoll::cli
