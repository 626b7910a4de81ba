#include <filesystem>
#include <system_error>

#include <plimsoll/report/page_server.hpp>
#include <plimsoll/support/files.hpp>
#include <plimsoll/support/internal/process.hpp>

#include "cli/commands.hpp"
#include "cli/commands/report/report_document.hpp"

namespace plimsoll::PLIMSOLL_ABI::cli {

namespace {

namespace fs = std::filesystem;

struct ServeOptions {
  DataSetSectionOptions data_sets{.strategies = "none", .is_growing = true};
  report::ServerAddress address;
};

constexpr const char* serve_examples =
    R"(  plimsoll serve data                     show data, also while a program writes it
  plimsoll serve data --port 8080         always at the same port;
      if it runs on a remote MACHINE: ssh -L 8080:localhost:8080 MACHINE, then open the printed address)";

void add_state(const fs::path& path, std::string& state) {
  std::error_code ignored;
  state += fmt::format("{} {} {}\n", path.string(), fs::file_size(path, ignored),
                       fs::last_write_time(path, ignored).time_since_epoch().count());
}

/// Returns what to watch for an input: the directory that it is or, for DIR/BASE and patterns, contains its
/// files; otherwise the file.
fs::path watched(const std::string& path) {
  std::error_code ignored;
  if (fs::exists(path, ignored)) return path;
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder;
}

/// Returns a text that changes when a file of the inputs changes.
std::string state_of(const std::vector<std::string>& paths) {
  std::string state;
  for (const std::string& input : paths) {
    const fs::path path = watched(input);
    std::error_code code;
    if (!fs::is_directory(path, code)) {
      add_state(path, state);
      continue;
    }
    support::for_each_readable_entry(
        path.string(), [&](const support::FolderEntry& entry) { add_state(entry.path(), state); });
  }
  return state;
}

class NewestDocument {
 public:
  NewestDocument(const ServeOptions& options, Terminal& terminal) : options_(options), terminal_(terminal) {}

  std::shared_ptr<const report::VersionedDocument> operator()() {
    const DataSetSectionOptions& data_sets = options_.data_sets;
    std::string state = state_of(data_sets.reading.paths);
    if (document_ && state == state_) return document_;
    std::string json = report_document(data_sets, command_line("serve", data_sets), terminal_);
    state_ = std::move(state);
    // Other files of a watched directory may have changed. The browser need not draw equal data again.
    if (document_ && json == document_->json) return document_;
    document_ = std::make_shared<report::VersionedDocument>(
        report::VersionedDocument{document_ ? document_->version + 1 : 1, std::move(json)});
    return document_;
  }

 private:
  const ServeOptions& options_;
  Terminal& terminal_;
  std::string state_;
  std::shared_ptr<const report::VersionedDocument> document_;
};

void check_port(int port) {
  constexpr int max_port = 65535;
  if (port < 0 || port > max_port)
    throw support::usage_error(fmt::format("invalid value {} for --port: expected 0 to {}", port, max_port));
}

/// Throws the error of the first document if waiting cannot help: a missing input, an invalid option. A
/// program may not have written data yet.
void refuse_wrong_use(NewestDocument& newest) {
  try {
    newest();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_input) throw;
  }
}

}  // namespace

Command define_serve(OptionParser& parser) {
  auto options = begin_command<ServeOptions>(parser, serve_examples);
  add_report_options(parser, options->data_sets);
  parser.add_option("--port N", options->address.port, "Port to listen on [default: any free port]");
  parser
      .add_option("--host ADDRESS", options->address.host,
                  "Address to listen on [default: 127.0.0.1, only this machine]. On any other, whoever knows "
                  "the printed address can read the data")
      .check(check_name);
  return [options](Terminal& terminal) {
    resolve_strategies(options->data_sets);
    check_port(options->address.port);
    NewestDocument newest(*options, terminal);
    refuse_wrong_use(newest);
    report::PageServer server(options->address, std::move(newest));
    support::CleanUpOnStop::expect_stop();
    terminal.print(
        fmt::format("Open {}\n{}The page follows {}. Press Ctrl-C to stop.\n", server.url(),
                    admits_other_machines(options->address)
                        ? "Other machines can connect: whoever knows this address can read the data.\n"
                        : "",
                    count(options->data_sets.reading.paths.size(), "input")));
    terminal.finish();
    server.run();
    return 0;
  };
}

}  // namespace plimsoll::cli
