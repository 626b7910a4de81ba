#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>
#include <string>

#include <plimsoll/lbdata/generator.hpp>
#include <plimsoll/support/json_writer.hpp>

#include "cli/commands.hpp"
#include "cli/options/input_options.hpp"
#include "cli/options/integer_option.hpp"
#include "cli/options/named_option.hpp"
#include "cli/options/output_options.hpp"
#include "cli/terminal/terminal_progress.hpp"
#include "cli/terminal/text.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

struct GenerateOptions {
  lbdata::GenerateOptions data;
  // The default differs from that of the library, so that strategies can improve the data set.
  std::string law = "hot-spot";
  std::string topology = "mesh2d";
  unsigned threads = 0;
  OutputOptions output;
  bool json = false;
};

constexpr const char* generate_examples =
    R"(  plimsoll generate -o data                                    4 ranks, 16 objects each
  plimsoll generate --ranks 32 --objects-per-rank 64 --phases 10 --loads hot-spot -o data
  plimsoll generate --loads lognormal --mean 1e-3 --variance 4e-6 --topology mesh3d -o data
  plimsoll generate --topology random --degree 8 --bytes 1e6 --seed 7 --plain -o data
  plimsoll generate --footprint 1e6 --blocks-per-rank 2 --block-bytes 1e8 -o data)";

std::string json_text(const GenerateOptions& options) {
  const lbdata::GenerateOptions& data = options.data;
  std::string text;
  support::JsonWriter json(text);
  json.begin_object()
      .member("output", options.output.folder)
      .member("ranks", data.ranks)
      .member("phases", data.phases)
      .member("objects", data.ranks * data.objects_per_rank)
      .member("seed", data.seed)
      .end_object();
  return text + '\n';
}

std::string text(const GenerateOptions& options) {
  const lbdata::GenerateOptions& data = options.data;
  return fmt::format("Wrote {}, {} and {} to {}.\n", count(data.ranks, "rank"), count(data.phases, "phase"),
                     count(data.ranks * data.objects_per_rank, "object"), options.output.folder);
}

void add_load_options(CLI::App& app, GenerateOptions& options) {
  lbdata::GenerateOptions& data = options.data;
  app.add_option("--loads", options.law,
                 "Distribution: constant, uniform, lognormal, u4 (few\nheavy objects), ramp, or hot-spot, "
                 "which moves by one\nrank per phase [default: hot-spot]")
      ->option_text("LAW")
      ->check(one_of(support::names_of(lbdata::load_laws)));
  app.add_option("--mean", data.mean_s, "Mean load per object; ignored by u4 [default: 1e-3]")
      ->option_text("SECONDS");
  app.add_option("--variance", data.variance_s2, "Variance of uniform and lognormal loads\n[default: 2.5e-7]")
      ->option_text("SECONDS^2");
  app.add_option("--hot-factor", data.hot_factor, "Load factor of objects in the hot spot [default: 10]")
      ->option_text("FACTOR");
  app.add_option("--hot-fraction", data.hot_fraction,
                 "Share of the objects in the hot spot, 0 to 1\n[default: 0.1]")
      ->option_text("SHARE");
  app.add_option("--noise", data.phase_noise,
                 "Maximum relative load change between phases, 0 to 1\n[default: 0]")
      ->option_text("SHARE");
  add_integer_option(app, "--subphases", data.subphases, "Subphases per object [default: 0]");
}

void add_topology_options(CLI::App& app, GenerateOptions& options) {
  lbdata::GenerateOptions& data = options.data;
  app.add_option("--topology", options.topology,
                 "Topology: none, ring, mesh2d, mesh3d, random\n[default: mesh2d]")
      ->option_text("NAME")
      ->check(one_of(support::names_of(lbdata::topologies)));
  add_integer_option(app, "--degree", data.degree, "Senders per object in a random topology [default: 4]");
  app.add_option("--bytes", data.bytes_per_message, "Bytes per message [default: 1024]")->option_text("N");
  add_integer_option(app, "--messages", data.messages, "Messages per edge and phase [default: 1]");
}

void add_memory_options(CLI::App& app, GenerateOptions& options) {
  lbdata::GenerateOptions& data = options.data;
  const auto add = [&](const char* name, double& bytes, const char* help) {
    return app.add_option(name, bytes, help)->option_text("BYTES");
  };
  add("--footprint", data.footprint_bytes, "Memory per object [default: 0]");
  add("--working-memory", data.working_bytes, "Additional memory of an object while it runs\n[default: 0]");
  add("--serialized", data.serialized_bytes,
      "Bytes that an object sends when it migrates\n[default: its footprint]");
  add("--rank-memory", data.rank_bytes, "Memory per rank without its objects [default: 0]");
  CLI::Option* const blocks =
      add_integer_option(app, "--blocks-per-rank", data.blocks_per_rank,
                         "Memory blocks per rank, each shared by consecutive\nobjects [default: 0]");
  add("--block-bytes", data.block_bytes, "Size of each shared block [default: 1048576]")->needs(blocks);
}

void add_sentinel_options(CLI::App& app, GenerateOptions& options) {
  lbdata::GenerateOptions& data = options.data;
  add_integer_option(app, "--sentinels", data.sentinels, "Non-migratable objects per rank [default: 1]");
  app.add_option("--sentinel-load", data.sentinel_load_s, "Load per non-migratable object [default: 0]")
      ->option_text("SECONDS");
  add_integer_option(app, "--ranks-per-node", data.ranks_per_node, "Ranks per node [default: all]");
}

}  // namespace

Command define_generate(CLI::App& app) {
  auto options = std::make_shared<GenerateOptions>();
  lbdata::GenerateOptions& data = options->data;
  app.footer(generate_examples);
  add_output_options(app, options->output)->required();
  add_integer_option(app, "--ranks", data.ranks, "Number of ranks [default: 4]");
  add_integer_option(app, "--objects-per-rank", data.objects_per_rank,
                     "Migratable objects per rank [default: 16]");
  add_integer_option(app, "--phases", data.phases, "Number of phases [default: 1]");
  add_load_options(app, *options);
  add_topology_options(app, *options);
  add_memory_options(app, *options);
  add_sentinel_options(app, *options);
  add_integer_option(app, "--seed", data.seed, "Random seed; equal seeds give identical files\n[default: 1]");
  add_integer_option(app, "--threads", options->threads, "Number of threads [default: number of processors]");
  add_json_option(app, options->json);

  return [options](Terminal& terminal) {
    options->data.law = support::value_of(lbdata::load_laws, options->law, "load distribution");
    options->data.topology = support::value_of(lbdata::topologies, options->topology, "topology");
    check_output(options->output);
    {
      TerminalProgress progress(terminal);
      lbdata::generate_files(options->data, options->output.folder, "data", write_options(options->output),
                             options->threads, progress);
    }
    terminal.print(options->json ? json_text(*options) : text(*options));
    return 0;
  };
}

}  // namespace plimsoll::cli
